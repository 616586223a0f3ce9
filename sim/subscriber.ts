import { committedPublications } from '../core/events/eventModel.ts';
import { compileQuery, type Query } from '../core/events/query/query.ts';
import { assert, present } from '../core/lib/assert.ts';
import { CometSession } from '../core/rpc/comet/session.ts';
import type { RpcContext } from '../core/rpc/context.ts';
import { Wire } from './clients/wire.ts';
import type { Process } from './process.ts';
import type { SubscriberSpec } from './scenario/clientSpecs.ts';
import type { World } from './world.ts';

/** Turns of microtasks that a replay of a simulated chain takes at most. */
const TURNS_MAX = 1_000_000;
const RESUME = /resume from height (\d+)/;

interface EventFrame {
  readonly error?: { readonly data?: string };
  readonly result?: {
    readonly data?: { readonly type: string };
    readonly position?: { readonly height: string; readonly event_index: number };
  };
}

const placeText = (height: number, index: number): string => `${height}/${index}`;

/**
 * A client that follows one query on a node's websocket, slowly if told so, and resumes after every break: when the
 * node crashed (what was on the wire is lost) and when it was cut off for not reading (from the height it was told).
 */
export class Subscriber {
  readonly spec: SubscriberSpec;
  /** Places of the events it has, in order of arrival. */
  readonly places: string[] = [];
  readonly complaints: string[] = [];
  /** How often it was cut off as too slow. */
  cutOffs = 0;
  readonly #world: World;
  readonly #node: Process;
  readonly #query: Query;
  #wire: Wire | undefined;
  #session: CometSession | undefined;
  /** Where to resume: the first height that may hold something new. */
  #from = 1;
  #last: readonly [height: number, event: number] = [0, -1];

  constructor(world: World, spec: SubscriberSpec) {
    this.spec = spec;
    this.#world = world;
    this.#node = world.process(spec.at);
    const query = compileQuery(spec.query);
    assert(query.ok, 'the scenario was checked');
    this.#query = query.value;
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#turn());
  }

  /** What a client without any break would have heard of this chain, in order. */
  expected({ chain, suite }: RpcContext): readonly string[] {
    const places: string[] = [];
    for (let height = 1; height <= chain.head(); height++) {
      const block = present(chain.block(height), 'a kept block');
      const { blockId } = present(chain.blockMeta(height), 'the meta of a kept block');
      const results = present(chain.results(height), 'the results of a kept block');
      for (const { keys, position } of committedPublications({ block, blockId, results }, suite.sha256))
        if (this.#query.matches(keys)) places.push(placeText(height, position?.index ?? 0));
    }
    return places;
  }

  async #turn(): Promise<void> {
    const { state, lives } = this.#node;
    // A paused node answers nothing; what it wrote before can still be read.
    if (this.#wire !== undefined && (this.#wire.life !== lives || state === 'down' || state === 'halted'))
      this.#hangUp();
    if (this.#wire === undefined && state === 'up') await this.#connect();
    const [wire, session] = [this.#wire, this.#session];
    if (wire === undefined || session === undefined) return;
    for (let i = 0; i < this.spec.reads; i++) this.#read(wire.read());
    if (wire.isClosed && wire.unread.length === 0) this.#hangUp();
    else if (state === 'up') {
      session.drained();
      await this.#replayed(wire, session);
    }
  }

  async #connect(): Promise<void> {
    const rpc = this.#node.node?.rpc;
    if (rpc === undefined) return;
    const wire = new Wire(this.#node.lives, this.spec.roomBytes);
    const session = new CometSession(rpc, wire, this.spec.name);
    [this.#wire, this.#session] = [wire, session];
    this.#node.wires.add(wire);
    const params = { query: this.spec.query, from_height: String(this.#from) };
    await session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }));
    await this.#replayed(wire, session);
  }

  /** Virtual time stands still until the past is told as far as there is room: real asynchrony decides nothing. */
  async #replayed(wire: Wire, session: CometSession): Promise<void> {
    for (let i = 0; session.isReplaying && !wire.isFull && !wire.isClosed; i++) {
      assert(i < TURNS_MAX, 'a replay ends');
      await undefined;
    }
  }

  #hangUp(): void {
    this.#session?.closed();
    if (this.#wire !== undefined) this.#node.wires.delete(this.#wire);
    [this.#wire, this.#session] = [undefined, undefined];
  }

  #read(text: string | undefined): void {
    if (text === undefined) return;
    const { error, result } = JSON.parse(text) as EventFrame;
    if (error !== undefined) {
      const resume = RESUME.exec(error.data ?? '')?.[1];
      if (resume === undefined) this.complaints.push(`was told ${error.data}`);
      else this.#from = Number(resume);
      this.cutOffs++;
    } else if (result?.position !== undefined) {
      this.#onEvent(Number(result.position.height), result.position.event_index);
    } else if (result?.data !== undefined)
      this.complaints.push(`got a ${result.data.type} without a position`);
  }

  #onEvent(height: number, event: number): void {
    const [lastHeight, lastEvent] = this.#last;
    // From the height of the last event on: what it says we have is skipped, as docs/events.md tells clients.
    if (height < lastHeight || (height === lastHeight && event <= lastEvent)) return;
    this.#last = [height, event];
    this.#from = height;
    this.places.push(placeText(height, event));
  }
}
