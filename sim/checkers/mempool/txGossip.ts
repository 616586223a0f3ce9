import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { settledPool } from '../../clients/settledPool.ts';
import type { Process } from '../../machine/process.ts';
import { type FactOf, hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { txHashOf, txKeysIn } from './txHashes.ts';

const NAME = 'conduct';
/** More than any pool of a run holds. */
const LIST_MAX = 10_000;
/**
 * Time within which a transaction is sent to a peer that can judge it: the node gathers for a moment, and looks again
 * at peers that are behind.
 */
const TELL_MICROS = 3_000_000;
/** A transaction that came so much later is not sent before the earlier one, once that had time to be sent at all. */
const AFTER_MICROS = 1_000_000;
const TURN_OVER_MICROS = 2_000_000;
/** Duration of one turn of a node that sends little at once, while its timers are punctual. */
const TURN_MICROS = 60_000;
/** By then a message that a node has decided to send has left it. */
const LEAVE_MICROS = 1_000_000;
/**
 * While two nodes are connected, one sends the other the same transaction at most so often, plus once for each correct
 * node: the transaction may leave the pool and come back.
 */
const SAID_MAX = 8;
/** Each such period allows one more: wallets and peers send again what a full pool has dropped. */
const BACK_MICROS = 2_000_000;
/** A node remembers the senders of its last ten thousand transactions. This bound stays below that. */
const REMEMBERED = 9_000;

interface Said {
  readonly count: number;
  readonly at: number;
}

type Rumour = FactOf<'poolGossipSaid' | 'poolGossipHeard' | 'poolGossipUnsent'>;

/** A transaction that waits in a pool, by its hash, and since when. */
interface Taken {
  readonly key: string;
  readonly at: number;
}

interface Bounds {
  /** Time within which a node with a good clock has told of a transaction. */
  readonly tellMicros: number;
  /** How much longer its late and slow timers may take. */
  readonly lateMicros: number;
}

/** What two nodes have sent each other of their pools since they are connected, by transaction hash. */
interface Talk {
  readonly since: number;
  readonly heardAt: Map<string, number>;
  readonly said: Map<string, Said>;
  /** When the node last took the peer to be behind. */
  behindAt: number;
}

/**
 * Gossip of the pool. A correct node sends each connected peer every transaction in its pool, in order of arrival,
 * unless the peer has sent it or is behind. It does not send back what it got from the peer, nor the same transaction
 * again and again. Time in which the node was held up does not count.
 */
export function txGossip(context: CheckerContext): Checker {
  const rumours = new PoolRumours(context);
  return {
    name: NAME,
    ...hearing(PoolRumours.TOPICS, (fact) => rumours.on(fact)),
    look: (node) => rumours.look(node),
  };
}

/** What nodes have sent each other of their pools, and what they owe each other. */
class PoolRumours {
  static readonly TOPICS = [
    'fault',
    'dropped',
    'poolGossipSaid',
    'poolGossipHeard',
    'poolGossipUnsent',
    ...Connections.TOPICS,
  ] as const;
  readonly #context: CheckerContext;
  readonly #talks: Connections<Talk>;
  readonly #looked = new Map<Process, number>();
  /** Since when each transaction has waited here. One that comes back later counts as new. */
  readonly #taken = new WeakMap<Bytes, Taken>();
  /** The longest pool of each node. A node that sends little at once needs more turns for it. */
  readonly #mostWaited = new Map<Process, number>();
  readonly #sizesMax: number;
  /** A small pool drives transactions out and takes them again, and tells of them again each time. */
  readonly #isRoomy: boolean;
  /** Since when nothing has held up the messages of each node. */
  readonly #calm = new Map<Process, number>();
  #calmAll = 0;

  constructor(context: CheckerContext) {
    const { world, scenario } = context;
    this.#context = context;
    const { sizesMax = Number.POSITIVE_INFINITY, poolTxs, poolBytes } = scenario.engine;
    this.#sizesMax = sizesMax;
    this.#isRoomy = (poolTxs ?? poolBytes) === undefined;
    this.#talks = new Connections(() => ({
      since: world.now,
      heardAt: new Map(),
      said: new Map(),
      behindAt: world.now,
    }));
  }

  get #now(): number {
    return this.#context.world.now;
  }

  on(fact: FactOf<(typeof PoolRumours.TOPICS)[number]>): void {
    if (fact.kind === 'fault') {
      this.#calmAll = this.#now;
      return;
    }
    if (!fact.node.isCorrect) return;
    const { node } = fact;
    this.#talks.on(fact);
    if (fact.kind === 'started') this.#calm.set(node, this.#now);
    else if (fact.kind === 'dropped') this.#talks.end(node, fact.peer);
    else if ('channel' in fact && fact.channel === CHANNELS.mempool) this.#onRumour(fact);
  }

  #onRumour(fact: Rumour): void {
    if (fact.kind === 'poolGossipSaid') {
      const keys = this.#keysOf(fact.bytes);
      for (const peer of fact.to) this.#said(fact.node, peer, keys);
      return;
    }
    const talk = this.#talks.get(fact.node, fact.peer);
    if (talk === undefined) return;
    for (const key of this.#keysOf(fact.bytes))
      if (fact.kind === 'poolGossipUnsent') talk.said.delete(key);
      else talk.heardAt.set(key, this.#now);
    if (fact.kind === 'poolGossipUnsent') talk.behindAt = this.#now;
  }

  #keysOf(bytes: Bytes): readonly string[] {
    return txKeysIn(bytes, this.#context.suite);
  }

  #said(node: Process, peer: string, keys: readonly string[]): void {
    const talk = this.#talks.get(node, peer);
    if (talk === undefined) return;
    for (const key of keys) {
      const count = (talk.said.get(key)?.count ?? 0) + 1;
      talk.said.set(key, { count, at: this.#now });
      const problem = this.#sayingProblem(node, peer, talk, key, count);
      if (problem !== undefined)
        this.#context.fail(NAME, `${node.name} tells ${peer} of transaction ${key}${problem}`);
    }
  }

  #sayingProblem(node: Process, peer: string, talk: Talk, key: string, count: number): string | undefined {
    const heardAt = talk.heardAt.size < REMEMBERED ? talk.heardAt.get(key) : undefined;
    if (heardAt !== undefined && this.#now - Math.max(heardAt, this.#calmOf(node)) > LEAVE_MICROS)
      return `, which ${peer} has told it`;
    const most = SAID_MAX + this.#context.correct.length + (this.#now - talk.since) / BACK_MICROS;
    return count > most && this.#isRoomy && !this.#isNarrow(node, peer)
      ? ` for the ${count}th time, expected at most ${Math.floor(most)} times`
      : undefined;
  }

  /** Since when nothing holds up the messages of the node. */
  #calmOf(node: Process): number {
    if (isHindered(node)) return this.#now;
    return Math.max(this.#calmAll, this.#calm.get(node) ?? 0, node.disk.lateUntil);
  }

  #isNarrow(node: Process, peer: string): boolean {
    const { network } = this.#context.world;
    return network.link(node.index, network.indexOf(peer)).isNarrow(this.#now);
  }

  look(node: Process): void {
    if (!node.isCorrect) return;
    if (isHindered(node)) this.#calm.set(node, this.#now);
    if ((node.node?.rpc?.pool.stats().bytes ?? 0) === 0) return;
    this.#noteBehind(node);
    const rpc = settledPool(node, this.#now - (this.#looked.get(node) ?? 0));
    if (rpc === undefined) return;
    this.#looked.set(node, this.#now);
    this.#judge(node, rpc.pool.list?.(LIST_MAX) ?? []);
  }

  /** The node may check in any of its events whether the peer is behind. */
  #noteBehind(node: Process): void {
    const height = node.node?.rs()?.height ?? 0;
    const peers = node.node?.rpc?.consensus?.peers() ?? [];
    for (const [peer, talk] of this.#talks.of(node)) {
      const standing = peers.find(({ id }) => id === peer)?.round.height ?? 0;
      if (standing + 1 < height || this.#isNarrow(node, peer)) talk.behindAt = this.#now;
    }
  }

  #judge(node: Process, list: readonly Bytes[]): void {
    const { correct, suite } = this.#context;
    const waiting = list.map((bytes) => {
      const taken = this.#taken.get(bytes) ?? { key: toHex(txHashOf(bytes, suite)), at: this.#now };
      this.#taken.set(bytes, taken);
      return taken;
    });
    const most = Math.max(this.#mostWaited.get(node) ?? 0, list.length);
    this.#mostWaited.set(node, most);
    const turns = most / this.#sizesMax;
    const lateMicros = lateBy(node) + turns * node.clock.jitter;
    const tellMicros = TELL_MICROS + turns * TURN_MICROS;
    for (const peer of correct) this.#judgeTold(node, peer, waiting, { tellMicros, lateMicros });
  }

  #judgeTold(
    node: Process,
    peer: Process,
    waiting: readonly Taken[],
    { tellMicros, lateMicros }: Bounds,
  ): void {
    const { network } = this.#context.world;
    const talk = this.#talks.get(node, peer.name);
    if (talk === undefined || !network.joins(node.index, peer.index)) return;
    const joinedAt = network.joinedSince(node.index, peer.index);
    if (joinedAt === undefined) return;
    const since = Math.max(joinedAt, talk.behindAt, this.#calmOf(node));
    for (const { key, at } of waiting) {
      if (talk.said.has(key) || talk.heardAt.has(key)) continue;
      const waited = this.#now - Math.max(at, since);
      const isLate = waited > tellMicros + lateMicros;
      const isOut = at >= since && waited > TURN_OVER_MICROS + lateMicros;
      if (!isLate && !(isOut && isPassedOver(talk, waiting, at))) continue;
      const how = isLate ? '' : ', but of later ones,';
      this.#context.fail(
        NAME,
        `${node.name} has not told ${peer.name}${how} of transaction ${key} for ${waited} µs, expected within ${Math.ceil(tellMicros)} µs`,
      );
      talk.said.set(key, { count: 1, at: this.#now });
    }
  }
}

/** Timers that pass before a peer that was behind is tried again and sent what waits. */
const TIMERS = 3;

/** How much longer than on a good clock those timers take. */
const lateBy = ({ clock }: Process): number =>
  Math.max(0, clock.timerMicros(TELL_MICROS / 1_000) - TELL_MICROS) + TIMERS * clock.jitter;

/** Whether the peer was sent a transaction that came a while after this one. */
const isPassedOver = (talk: Talk, waiting: readonly Taken[], at: number): boolean =>
  waiting.some((other) => {
    if (other.at <= at + AFTER_MICROS) return false;
    const said = talk.said.get(other.key);
    return said !== undefined && said.at >= other.at;
  });

/** Messages of the node wait for its drive, or the node is in block sync and does not know where peers stand. */
export const isHindered = ({ node, disk, pace }: Process): boolean =>
  disk.isSlow || disk.isFull || disk.isDamaged || pace.sync !== undefined || node?.isSyncing() === true;
