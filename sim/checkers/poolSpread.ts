import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { settledPool } from '../clients/settledPool.ts';
import type { Process } from '../machine/process.ts';
import { type FactOf, hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Connections } from './connections.ts';
import { txHashOf, txKeysIn } from './txHashes.ts';

const NAME = 'conduct';
/** More than any pool of a run holds. */
const LIST_MAX = 10_000;
/** In which a peer that can judge a transaction is told of it: it is gathered for a moment, and who was behind is asked after again. */
const TELL_MICROS = 3_000_000;
/** What came so much later than another is not told before it, once that had time to be told at all. */
const AFTER_MICROS = 1_000_000;
const TURN_OVER_MICROS = 2_000_000;
/** A turn of one who says little at once, and whose timers are in time. */
const TURN_MICROS = 60_000;
/** What was decided leaves the node by then. */
const LEAVE_MICROS = 1_000_000;
/** So often at most one transaction leaves a pool and comes back while two are connected, once more for each who may give it again, */
const SAID_MAX = 8;
/** and once more in each such time: its wallet gives again what a full pool has given up, and so do peers. */
const BACK_MICROS = 2_000_000;
/** A node remembers who has sent the last ten thousand. */
const REMEMBERED = 9_000;

interface Said {
  readonly count: number;
  readonly at: number;
}

type Rumour = FactOf<'rumourSaid' | 'rumourHeard' | 'rumourUnsent'>;

/** What waits in a pool, by its hash, and since when. */
interface Taken {
  readonly key: string;
  readonly at: number;
}

/** What two have said to each other of the pool since they are connected, by the hash of the transaction. */
interface Talk {
  readonly since: number;
  readonly heardAt: Map<string, number>;
  readonly said: Map<string, Said>;
  /** When the node last took the peer for one that is behind. */
  behindAt: number;
}

/**
 * Gossip of the pool: whoever is connected, and not behind, is told of each transaction that waits here, unless it has told of it
 * itself; nobody is told what it has said, nor the same again and again.
 */
export function poolSpread(context: CheckerContext): Checker {
  const rumours = new PoolRumours(context);
  return {
    name: NAME,
    ...hearing(PoolRumours.TOPICS, (fact) => rumours.on(fact)),
    look: (node) => rumours.look(node),
  };
}

/** What nodes have told each other of their pools, and what they owe each other. */
class PoolRumours {
  static readonly TOPICS = [
    'fault',
    'dropped',
    'rumourSaid',
    'rumourHeard',
    'rumourUnsent',
    ...Connections.TOPICS,
  ] as const;
  readonly #context: CheckerContext;
  readonly #talks: Connections<Talk>;
  readonly #looked = new Map<Process, number>();
  /** Since when each has waited here: what comes back later is taken in anew. */
  readonly #taken = new WeakMap<Bytes, Taken>();
  /** The most that has waited at each: who says little at once takes its turns. */
  readonly #mostWaited = new Map<Process, number>();
  readonly #sizesMax: number;
  /** Since when nothing has happened that holds up what is said. */
  readonly #calm = new Map<Process, number>();
  #calmAll = 0;

  constructor(context: CheckerContext) {
    const { world, scenario } = context;
    this.#context = context;
    this.#sizesMax = scenario.engine.sizesMax ?? Number.POSITIVE_INFINITY;
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
    if (fact.kind === 'rumourSaid') {
      const keys = this.#keysOf(fact.bytes);
      for (const peer of fact.to) this.#said(fact.node, peer, keys);
      return;
    }
    const talk = this.#talks.get(fact.node, fact.peer);
    if (talk === undefined) return;
    for (const key of this.#keysOf(fact.bytes))
      if (fact.kind === 'rumourUnsent') talk.said.delete(key);
      else talk.heardAt.set(key, this.#now);
    if (fact.kind === 'rumourUnsent') talk.behindAt = this.#now;
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
      return ', which it has from it';
    const most = SAID_MAX + this.#context.correct.length + (this.#now - talk.since) / BACK_MICROS;
    return count > most && !this.#isNarrow(node, peer) ? ` for the ${count}th time` : undefined;
  }

  /** Since when nothing holds up what the node says. */
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

  /** Every event of the node may be one in which it looks whether the peer is behind. */
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
    const tellMicros = TELL_MICROS + (most / this.#sizesMax) * (TURN_MICROS + node.clock.jitter);
    for (const peer of correct) this.#judgeTold(node, peer, waiting, tellMicros);
  }

  #judgeTold(node: Process, peer: Process, waiting: readonly Taken[], tellMicros: number): void {
    const { network } = this.#context.world;
    const talk = this.#talks.get(node, peer.name);
    if (talk === undefined || !network.joins(node.index, peer.index)) return;
    const joinedAt = network.joinedSince(node.index, peer.index);
    if (joinedAt === undefined) return;
    const since = Math.max(joinedAt, talk.behindAt, this.#calmOf(node));
    for (const { key, at } of waiting) {
      if (talk.said.has(key) || talk.heardAt.has(key)) continue;
      const waited = this.#now - Math.max(at, since);
      const isLate = waited > tellMicros;
      if (!isLate && !(at >= since && waited > TURN_OVER_MICROS && isPassedOver(talk, waiting, at))) continue;
      const how = isLate ? '' : ', but of later ones,';
      this.#context.fail(
        NAME,
        `${node.name} has not told ${peer.name}${how} of transaction ${key} for ${waited} µs`,
      );
      talk.said.set(key, { count: 1, at: this.#now });
    }
  }
}

/** Whether one was told that came a while after this one. */
const isPassedOver = (talk: Talk, waiting: readonly Taken[], at: number): boolean =>
  waiting.some((other) => {
    if (other.at <= at + AFTER_MICROS) return false;
    const said = talk.said.get(other.key);
    return said !== undefined && said.at >= other.at;
  });

/** What it has to say waits for its drive, or nobody has told it where it stands. */
export const isHindered = ({ node, disk, pace }: Process): boolean =>
  disk.isSlow || disk.isFull || disk.isDamaged || pace.sync !== undefined || node?.isSyncing() === true;
