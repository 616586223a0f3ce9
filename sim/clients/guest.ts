import { CometSession } from '../../core/rpc/comet/session.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { EventResult } from '../events/following.ts';
import type { Process } from '../machine/process.ts';
import { isTurnedAway } from './places.ts';
import { readOut, Wire } from './wire.ts';

/** A query that only guests use: the node forgets it with the last of them, and has to learn it anew. */
const HEADERS = "tm.event = 'NewBlockHeader' AND tm.event EXISTS";
const ROOM = 1024 * 1024;
/** How far the events may be behind the head: between a commit and its event the node does other work. */
const LAG_MAX = 1;
/** Blocks for which it stays, and then listens on after it has unsubscribed: enough to be told of one. */
const STAY = 2;

interface Visit {
  readonly wire: Wire;
  readonly session: CometSession;
  /** The head when it subscribed, or when it unsubscribed. */
  start: number;
  hasLeft: boolean;
  /** Answers to its unsubscriptions that are still to come. What was sent before them arrives first. */
  farewells: number;
}

interface Frame {
  readonly id?: number;
  readonly error?: { readonly data?: string };
  readonly result?: EventResult & {
    readonly data?: { readonly value?: { readonly header?: { readonly height?: string } } };
  };
}

/**
 * A client that comes and goes every few blocks. It uses a query that other clients have too, and none of them may
 * notice. It hears of every block while it is subscribed, and of nothing after it has unsubscribed.
 */
export class Guest {
  readonly complaints: string[] = [];
  readonly #node: Process;
  /** A query that others have too, and one that only guests have. */
  readonly #queries: readonly string[];
  #visit: Visit | undefined;

  constructor(node: Process, query: string) {
    this.#node = node;
    this.#queries = [query, HEADERS];
  }

  async look(): Promise<void> {
    const rpc = this.#node.node?.rpc;
    if (rpc === undefined) return;
    const visit = this.#visit;
    if (visit === undefined) await this.#come(rpc);
    else if (rpc.chain.head() < visit.start + STAY) return;
    // A guest that slept too long has more to read than is sent at once: it hangs up without unsubscribing.
    else if (visit.wire.isHeldUp) this.hangUp();
    else if (visit.hasLeft) await this.#lookBack(visit);
    else await this.#leave(visit, rpc);
  }

  /** Closes the connection without unsubscribing. */
  hangUp(): void {
    if (this.#visit === undefined) return;
    this.#visit.session.closed();
    this.#node.seated.delete(this.#visit);
    this.#visit = undefined;
  }

  async #come(rpc: RpcContext): Promise<void> {
    const wire = new Wire(this.#node.lives, ROOM);
    const session = new CometSession(rpc, wire, 'guest');
    // Before the first block the head is 0, whatever the initial height.
    const start = Math.max(rpc.chain.head(), rpc.genesis.initialHeight - 1);
    const visit = { wire, session, start, hasLeft: false, farewells: 0 };
    this.#visit = visit;
    this.#node.seated.add(visit);
    await this.#ask(visit, 'subscribe');
  }

  async #ask({ session }: Visit, method: string): Promise<void> {
    for (const [id, query] of this.#queries.entries())
      await session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params: { query } }));
  }

  async #leave(visit: Visit, { chain }: RpcContext): Promise<void> {
    const { start } = visit;
    const told = await this.#told(visit);
    if (told.some(({ error }) => isTurnedAway(this.#node, error?.data ?? ''))) return this.hangUp();
    const heights = told.flatMap(({ id, result }) =>
      id === 1 && result?.data !== undefined ? [Number(result.data.value?.header?.height)] : [],
    );
    const first = heights[0] ?? start + 1;
    const isWhole = heights.every((height, i) => height === first + i);
    const isHere = first <= start + 1 && first + LAG_MAX > start;
    if (!isWhole || !isHere || first + heights.length - 1 + LAG_MAX < chain.head())
      this.complaints.push(`was there from ${start} to ${chain.head()} and was told of headers ${heights}`);
    await this.#ask(visit, 'unsubscribe');
    visit.hasLeft = true;
    visit.farewells = this.#queries.length;
    visit.start = chain.head();
    await this.#listenOn(visit);
  }

  async #lookBack(visit: Visit): Promise<void> {
    await this.#listenOn(visit);
    this.hangUp();
  }

  /** Texts held back for lack of room come before the answers. Nothing may come after the answers. */
  async #listenOn(visit: Visit): Promise<void> {
    for (const { result } of await this.#told(visit)) {
      if (visit.farewells === 0) {
        this.complaints.push('was told of something after it had unsubscribed');
        return;
      }
      if (result?.data === undefined) visit.farewells--;
    }
  }

  async #told({ wire, session }: Visit): Promise<readonly Frame[]> {
    const frames = (await readOut(wire, session)).map((text) => JSON.parse(text) as Frame);
    for (const { error, result } of frames) {
      if (error !== undefined && !isTurnedAway(this.#node, error.data ?? ''))
        this.complaints.push(`was told ${error.data}`);
      if (result?.position !== undefined)
        this.complaints.push('was told a position, and had not asked for any');
    }
    return frames;
  }
}
