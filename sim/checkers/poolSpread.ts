import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { settledPool } from '../clients/settledPool.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Connections } from './connections.ts';
import { txHashOf, txKeysIn } from './txHashes.ts';

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
  const name = 'conduct';
  const { world, correct, suite } = context;
  const talks = new Connections(
    (): Talk => ({
      since: world.now,
      heardAt: new Map(),
      said: new Map(),
      behindAt: world.now,
    }),
  );
  const looked = new Map<Process, number>();
  /** Since when each has waited here: what comes back later is taken in anew. */
  const taken = new WeakMap<Bytes, { readonly key: string; readonly at: number }>();
  /** The most that has waited at each: who says little at once takes its turns. */
  const mostWaited = new Map<Process, number>();
  const sizesMax = context.scenario.engine.sizesMax ?? Number.POSITIVE_INFINITY;
  /** Since when nothing has happened that holds up what is said. */
  const calm = new Map<Process, number>();
  let calmAll = 0;
  const keysOf = (bytes: Bytes): readonly string[] => txKeysIn(bytes, suite);
  const said = (node: Process, to: readonly string[], bytes: Bytes): void => {
    const keys = keysOf(bytes);
    for (const peer of to) {
      const talk = talks.get(node, peer);
      if (talk === undefined) continue;
      for (const key of keys) {
        const count = (talk.said.get(key)?.count ?? 0) + 1;
        talk.said.set(key, { count, at: world.now });
        const heardAt = talk.heardAt.size < REMEMBERED ? talk.heardAt.get(key) : undefined;
        const most = SAID_MAX + correct.length + (world.now - talk.since) / BACK_MICROS;
        const isEcho = heardAt !== undefined && world.now - Math.max(heardAt, calmOf(node)) > LEAVE_MICROS;
        if (isEcho)
          context.fail(name, `${node.name} tells ${peer} of transaction ${key}, which it has from it`);
        else if (count > most && !isNarrow(node, peer))
          context.fail(name, `${node.name} tells ${peer} of transaction ${key} for the ${count}th time`);
      }
    }
  };
  const calmOf = (node: Process): number => Math.max(calmAll, calm.get(node) ?? 0, node.disk.lateUntil);
  const isNarrow = (node: Process, peer: string): boolean => {
    const { network } = world;
    return network.link(node.index, network.indexOf(peer)).isNarrow(world.now);
  };
  /** Every event of the node may be one in which it looks whether the peer is behind. */
  const noteBehind = (node: Process): void => {
    const height = node.node?.rs()?.height ?? 0;
    const peers = node.node?.rpc?.consensus?.peers() ?? [];
    for (const [peer, talk] of talks.of(node)) {
      const standing = peers.find(({ id }) => id === peer)?.round.height ?? 0;
      if (standing + 1 < height || isNarrow(node, peer)) talk.behindAt = world.now;
    }
  };
  /** Whether one was told that came a while after this one. */
  const isPassedOver = (talk: Talk, list: readonly Bytes[], at: number): boolean =>
    list.some((bytes) => {
      const other = taken.get(bytes);
      if (other === undefined || other.at <= at + AFTER_MICROS) return false;
      const said = talk.said.get(other.key);
      return said !== undefined && said.at >= other.at;
    });
  const judge = (node: Process, list: readonly Bytes[]): void => {
    for (const bytes of list)
      if (!taken.has(bytes)) taken.set(bytes, { key: toHex(txHashOf(bytes, suite)), at: world.now });
    mostWaited.set(node, Math.max(mostWaited.get(node) ?? 0, list.length));
    const turns = (mostWaited.get(node) ?? 0) / sizesMax;
    const tellMicros = TELL_MICROS + turns * (TURN_MICROS + node.clock.jitter);
    for (const peer of correct) {
      const talk = talks.get(node, peer.name);
      if (talk === undefined || !world.network.joins(node.index, peer.index)) continue;
      const joinedAt = world.network.joinedSince(node.index, peer.index);
      if (joinedAt === undefined) continue;
      const since = Math.max(joinedAt, talk.behindAt, calmOf(node));
      for (const bytes of list) {
        const { key, at } = taken.get(bytes) ?? { key: '', at: world.now };
        if (talk.said.has(key) || talk.heardAt.has(key)) continue;
        const waited = world.now - Math.max(at, since);
        const isLate = waited > tellMicros;
        if (!isLate && !(at >= since && waited > TURN_OVER_MICROS && isPassedOver(talk, list, at))) continue;
        const how = isLate ? '' : ', but of later ones,';
        context.fail(
          name,
          `${node.name} has not told ${peer.name}${how} of transaction ${key} for ${waited} µs`,
        );
        talk.said.set(key, { count: 1, at: world.now });
      }
    }
  };
  return {
    name,
    ...hearing(
      ['fault', 'started', 'dropped', 'rumourSaid', 'rumourHeard', 'rumourUnsent', ...Connections.TOPICS],
      (fact) => {
        if (fact.kind === 'fault') {
          calmAll = world.now;
          return;
        }
        if (!fact.node.isCorrect) return;
        const { node } = fact;
        talks.on(fact);
        if (fact.kind === 'started') calm.set(node, world.now);
        else if (fact.kind === 'dropped') talks.end(node, fact.peer);
        else if ('channel' in fact && fact.channel !== CHANNELS.mempool) return;
        else if (fact.kind === 'rumourSaid') said(node, fact.to, fact.bytes);
        else if (fact.kind === 'rumourHeard' || fact.kind === 'rumourUnsent') {
          const talk = talks.get(node, fact.peer);
          for (const key of talk === undefined ? [] : keysOf(fact.bytes))
            if (fact.kind === 'rumourUnsent') talk?.said.delete(key);
            else talk?.heardAt.set(key, world.now);
          if (fact.kind === 'rumourUnsent' && talk !== undefined) talk.behindAt = world.now;
        }
      },
    ),
    look(node) {
      if (!node.isCorrect) return;
      if (isHindered(node)) calm.set(node, world.now);
      if ((node.node?.rpc?.pool.stats().bytes ?? 0) === 0) return;
      noteBehind(node);
      const rpc = settledPool(node, world.now - (looked.get(node) ?? 0));
      if (rpc === undefined) return;
      looked.set(node, world.now);
      judge(node, rpc.pool.list?.(LIST_MAX) ?? []);
    },
  };
}

/** What it has to say waits for its drive, or nobody has told it where it stands. */
export const isHindered = ({ node, disk, pace }: Process): boolean =>
  disk.isSlow || disk.isFull || disk.isDamaged || pace.sync !== undefined || node?.isSyncing() === true;
