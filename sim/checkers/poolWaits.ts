import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { DEFAULT_MEMPOOL } from '../../core/mempool/config.ts';
import type { PooledSender, RpcContext } from '../../core/rpc/context.ts';
import type { Process } from '../process.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { hasOddClocks } from './patience.ts';

/** Looks at one node's pool are so far apart. */
const LOOK_MICROS = 250_000;
/** A pool looks for what waited too long so often. */
const TICK_MICROS = 60_000_000;
const SLACK_MICROS = 1_000_000;
/** With fewer free places than this another transaction may have needed one of them. */
const FREE_MIN = 1_000;

/** What waits of one sender for an earlier nonce. */
interface Waiting {
  readonly sender: Bytes;
  /** Changes when anything of the sender moves. */
  readonly position: string;
  /** Micros in which nothing has; of a pause of the node only one look counts. */
  readonly waited: number;
  /** Nonces by transaction hash. */
  readonly nonces: ReadonlyMap<string, bigint>;
}

/**
 * POOL: what waits for an earlier nonce of its sender waits as long as the pool's settings say while nothing of that sender moves, and no
 * longer.
 */
export function poolWaits(context: CheckerContext): Checker {
  const name = 'records';
  const { world, scenario } = context;
  const { poolLifetime, poolTxs = DEFAULT_MEMPOOL.txsMax } = scenario.engine;
  // By default hours, more than any run has; a Cosmos transaction uses nonces too and is not in what the pool shows.
  if (poolLifetime === undefined || hasOddClocks(scenario) || (scenario.bankers ?? []).length > 0)
    return { name };
  // The first look at a pool that has something to wait for comes within a minute; it begins the wait, and later ones end it.
  const longest = (1 + Math.ceil(poolLifetime / TICK_MICROS)) * TICK_MICROS + SLACK_MICROS;
  const looked = new Map<Process, number>();
  /** By sender. */
  const known = new Map<Process, ReadonlyMap<string, Waiting>>();

  const judge = (node: Process, rpc: RpcContext, gap: number): ReadonlyMap<string, Waiting> => {
    const content = rpc.pool.content();
    const { pending, queued } = rpc.pool.stats();
    const isRoomy = pending + queued + FREE_MIN <= poolTxs;
    const next = new Map<string, Waiting>();
    for (const its of content) if (its.queued.length > 0) next.set(toHex(its.sender), waitingOf(rpc, its));
    for (const [key, before] of known.get(node) ?? []) {
      const now = next.get(key);
      const its = content.find(({ sender }) => equalBytes(sender, before.sender));
      if (positionOf(rpc, before.sender, its) !== before.position) continue;
      const waited = before.waited + Math.min(gap, SLACK_MICROS);
      const [hashes, told] = [[...before.nonces.keys()], `has waited ${waited / 1_000_000} s for its turn`];
      const kept = hashes.find((hash) => now?.nonces.has(hash));
      if (kept !== undefined && waited > longest)
        context.fail(name, `${node.name} keeps transaction 0x${kept}, which ${told}`);
      const nonces = new Set(now?.nonces.values());
      const gone = hashes.find((hash) => !nonces.has(before.nonces.get(hash) as bigint));
      if (gone !== undefined && isRoomy && waited + gap < poolLifetime)
        context.fail(name, `${node.name} forgets transaction 0x${gone}, which ${told}`);
      if (kept !== undefined && now !== undefined) next.set(key, { ...now, waited });
    }
    return next;
  };
  return {
    name,
    on(fact) {
      if (fact.kind !== 'started') return;
      looked.delete(fact.node);
      known.delete(fact.node);
    },
    look(node) {
      const gap = world.now - (looked.get(node) ?? 0);
      const rpc = node.node?.rpc;
      if (!node.isCorrect || gap < LOOK_MICROS || rpc === undefined || node.state !== 'up') return;
      // Between a commit and the node's own step after it the pool is still that of before.
      if (node.node?.rs()?.height !== rpc.chain.head() + 1) return;
      looked.set(node, world.now);
      known.set(node, judge(node, rpc, gap));
    },
  };
}

function waitingOf(rpc: RpcContext, its: PooledSender): Waiting {
  const nonces = new Map(its.queued.map(({ hash, nonce }) => [toHex(hash), nonce]));
  return { sender: its.sender, position: positionOf(rpc, its.sender, its), waited: 0, nonces };
}

function positionOf({ chain }: RpcContext, sender: Bytes, its: PooledSender | undefined): string {
  const { nonce = 0n, balance = 0n } = chain.latest().account(sender) ?? {};
  return `${nonce}/${balance}/${its?.pending.length ?? 0}`;
}
