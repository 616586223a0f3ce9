import { assert } from '../../core/lib/assert.ts';
import { CometSession } from '../../core/rpc/comet/session.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { happeningOf } from '../events/between.ts';
import { type EventResult, Following } from '../events/following.ts';
import type { Process } from '../machine/process.ts';
import type { SubscriberSpec } from '../scenario/clientSpecs.ts';
import type { World } from '../world/world.ts';
import { Guest } from './guest.ts';
import { isTurnedAway } from './places.ts';
import { readOut, Wire } from './wire.ts';

/** Microtask turns that the replay of a simulated chain takes at most. */
const TURNS_MAX = 1_000_000;
const RESUME = /resume from height (\d+)/;
/** How far the events may be behind the head: between a commit and its event the node does other work. */
const LAG_MAX = 1;

interface Frame {
  readonly id?: number;
  readonly error?: { readonly data?: string };
  readonly result?: EventResult;
}

/**
 * A client that follows queries on a node's websocket, slowly if told so. It resumes after every break. When the node
 * crashed, what was on the wire is lost. When it was cut off for not reading, it resumes from the height that it was
 * told.
 */
export class Subscriber {
  readonly spec: SubscriberSpec;
  hasActed = false;
  /** Everything new that the client was told, in order of arrival. */
  readonly places: string[] = [];
  readonly complaints: string[] = [];
  /** How often it was cut off as too slow. */
  cutOffs = 0;
  readonly #world: World;
  readonly #node: Process;
  readonly #followed: readonly Following[];
  #wire: Wire | undefined;
  #session: CometSession | undefined;
  /** The node has no place for it. It tries again at its next turn. */
  #isTurnedAway = false;
  readonly #guest: Guest;

  constructor(world: World, spec: SubscriberSpec) {
    this.spec = spec;
    this.#world = world;
    this.#node = world.process(spec.at);
    this.#followed = spec.queries.map((query) => new Following(query));
    this.#guest = new Guest(this.#node, spec.queries[0] ?? '');
  }

  start(): void {
    this.#world.observe(['vote', 'round', 'newRound', 'completeProposal'], (fact) => {
      if (fact.node !== this.#node || this.#wire === undefined) return;
      const happening = happeningOf(fact.event);
      if (happening !== undefined) for (const followed of this.#followed) followed.onHappening(happening);
    });
    this.#world.every(this.spec.period, () => this.#turn());
  }

  /** What is wrong with what it was told, compared with this chain. */
  async problems(chain: RpcContext): Promise<readonly string[]> {
    const least = await this.#leastHeard();
    const wrong = this.#followed.flatMap((one) => one.problem(chain, least) ?? []);
    const guests = this.#guest.complaints.map((text) => `had a guest who ${text}`);
    return [
      ...this.complaints,
      ...this.#followed.flatMap(({ complaints }) => complaints),
      ...guests,
      ...wrong,
    ];
  }

  /**
   * Reads what is left. Returns the height up to which it must have heard everything: 0 unless it is connected and
   * live.
   */
  async #leastHeard(): Promise<number> {
    const [wire, session, { node, state, lives }] = [this.#wire, this.#session, this.#node];
    if (wire === undefined || session === undefined || wire.life !== lives) return 0;
    for (const text of await readOut(wire, session)) this.#read(text);
    const isTold = state === 'up' && !wire.isClosed && !session.isReplaying;
    return isTold ? (node?.rpc?.chain.head() ?? 0) - LAG_MAX : 0;
  }

  async #turn(): Promise<void> {
    const { state, lives } = this.#node;
    // A paused node answers nothing; what it wrote before can still be read.
    if (this.#wire !== undefined && (this.#wire.life !== lives || state === 'down' || state === 'halted'))
      this.#hangUp();
    if (this.#wire === undefined && state === 'up') await this.#connect();
    if (state === 'up') await this.#guest.look();
    const [wire, session] = [this.#wire, this.#session];
    if (wire === undefined || session === undefined) return;
    const reads = Math.min(this.spec.reads, wire.unread.length);
    for (let i = 0; i < reads; i++) this.#read(wire.read());
    if (this.#isTurnedAway || (wire.isClosed && wire.unread.length === 0)) this.#hangUp();
    else if (state === 'up') {
      wire.wake(session);
      await this.#replayed(wire, session);
      if (!session.isReplaying) for (const followed of this.#followed) followed.onLive();
    }
  }

  async #connect(): Promise<void> {
    const rpc = this.#node.node?.rpc;
    if (rpc === undefined) return;
    this.hasActed = true;
    const wire = new Wire(this.#node.lives, this.spec.roomBytes);
    const session = new CometSession(rpc, wire, this.spec.name);
    [this.#wire, this.#session] = [wire, session];
    this.#node.wires.add(wire);
    this.#node.seated.add(wire);
    for (const [id, followed] of this.#followed.entries()) {
      followed.onConnect();
      const { query, from } = followed;
      const params = { query, from_height: String(Math.max(from, rpc.genesis.initialHeight)) };
      await session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params }));
    }
    await this.#replayed(wire, session);
  }

  /**
   * Waits until the past is told as far as there is room. Virtual time stands still, so real asynchrony decides
   * nothing.
   */
  async #replayed(wire: Wire, session: CometSession): Promise<void> {
    for (let i = 0; session.isReplaying && !wire.isHeldUp && !wire.isClosed; i++) {
      assert(i < TURNS_MAX, 'a replay ends');
      await undefined;
    }
  }

  #hangUp(): void {
    this.#session?.closed();
    if (this.#wire !== undefined) {
      this.#node.wires.delete(this.#wire);
      this.#node.seated.delete(this.#wire);
    }
    this.#isTurnedAway = false;
    this.#guest.hangUp();
    [this.#wire, this.#session] = [undefined, undefined];
  }

  #read(text: string | undefined): void {
    if (text === undefined) return;
    const { id, error, result } = JSON.parse(text) as Frame;
    const followed = this.#followed[id ?? -1];
    if (followed === undefined) this.complaints.push(`got an answer to ${id}`);
    else if (error !== undefined) this.#onCutOff(followed, error.data ?? '');
    else if (result?.data !== undefined && followed.onEvent(result))
      this.places.push(`${this.places.length}`);
  }

  #onCutOff(followed: Following, reason: string): void {
    if (isTurnedAway(this.#node, reason)) {
      this.#isTurnedAway = true;
      followed.onCancelled();
      return;
    }
    const resume = RESUME.exec(reason)?.[1];
    if (resume !== undefined) followed.from = Number(resume);
    else if (this.#node.disk.isDamaged) return followed.onCancelled();
    else this.complaints.push(`was told ${reason}`);
    // Each of its subscriptions is told so: count the cut-off once.
    if (followed === this.#followed[0]) this.cutOffs++;
  }
}
