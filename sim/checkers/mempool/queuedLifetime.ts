import type { EthTx } from '../../../core/app/chain.ts';
import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { DEFAULT_MEMPOOL } from '../../../core/mempool/config.ts';
import type { PooledSender, RpcContext } from '../../../core/rpc/context.ts';
import { blockRoom } from '../../clients/blockRoom.ts';
import { settledPool } from '../../clients/settledPool.ts';
import type { Process } from '../../machine/process.ts';
import { longestDelay } from '../../network/delay.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';
import { isSluggish } from '../timing/waitingTime.ts';

/** How often a pool looks for transactions that have waited too long. */
const TICK_MICROS = 60_000_000;
/** More than the time between the pool's look and the checker's. */
const SLACK_MICROS = 1_000_000;
/** With fewer free places than this, a new transaction may have pushed another one out. */
const FREE_MIN = 1_000;

/** Transactions of one sender that wait for an earlier nonce. */
interface Waiting {
  readonly sender: Bytes;
  /** The nonce that they wait for. */
  readonly awaited: bigint;
  readonly balance: bigint;
  /** Height of the newest block. */
  readonly head: number;
  /** Bytes that a block has for transactions. */
  readonly room: number;
  /** Times of the last look before they waited and of the first look at them. */
  readonly before: number;
  readonly since: number;
  /** By transaction hash. */
  readonly txs: ReadonlyMap<string, EthTx>;
  /** Hashes of transactions that the pool has dropped since. One that is sent again waits anew. */
  readonly left: Set<string>;
}

/**
 * POOL: a transaction that waits for an earlier nonce of its sender stays as long as the pool's settings say, no
 * longer.
 */
export function queuedLifetime(context: CheckerContext): Checker {
  const name = 'records';
  const { world, scenario } = context;
  const { poolLifetime, poolTxs = DEFAULT_MEMPOOL.txsMax } = scenario.engine;
  // The default lifetime is hours, longer than any run. Cosmos transactions use nonces, too, and `content()` does not
  // show them.
  if (poolLifetime === undefined || hasOddClocks(scenario) || (scenario.bankers ?? []).length > 0)
    return { name };
  // The pool first notices within a minute that something waits, which starts the time; a later look ends it. Before
  // each look, the drive may hold up the timer and then its handling.
  const ticks = 1 + Math.ceil(poolLifetime / TICK_MICROS);
  const longestAt = ({ pace: { sync } }: Process): number => {
    const syncMicros = sync === undefined ? world.latencies.sync.high : longestDelay(sync);
    return ticks * (TICK_MICROS + 2 * syncMicros) + SLACK_MICROS;
  };
  const looked = new Map<Process, number>();
  /** By sender. */
  const known = new Map<Process, ReadonlyMap<string, Waiting>>();
  /** Time of the last fault or action on a node or the network. A paused node drops nothing in time. */
  let disturbed = 0;

  const judge = (node: Process, rpc: RpcContext): ReadonlyMap<string, Waiting> => {
    const content = rpc.pool.content();
    const { pending, queued } = rpc.pool.stats();
    const isRoomy = pending + queued + FREE_MIN <= poolTxs;
    const next = new Map<string, Waiting>();
    const fresh = { before: looked.get(node) ?? 0, since: world.now };
    for (const its of content)
      if (its.queued.length > 0) next.set(toHex(its.sender), { ...fresh, ...queueOf(rpc, its) });
    for (const [key, one] of known.get(node) ?? []) {
      const now = next.get(key);
      const its = content.find(({ sender }) => equalBytes(sender, one.sender));
      const { awaited, balance, head, room } = standingOf(rpc, one.sender, its);
      if (awaited !== one.awaited) continue;
      const since = Math.max(one.since, disturbed);
      const hashes = [...one.txs.keys()];
      const kept = hashes.find((hash) => now?.txs.has(hash) && !one.left.has(hash));
      const held = world.now - since;
      if (kept !== undefined && held > longestAt(node) && !isSluggish(node, scenario))
        context.fail(
          name,
          `${node.name} keeps transaction 0x${kept} for ${held} µs, though an earlier nonce is missing, expected for at most ${Math.ceil(longestAt(node))} µs`,
        );
      const nonces = new Set([...(now?.txs.values() ?? [])].map(({ nonce }) => nonce));
      const gone = hashes.find((hash) => !nonces.has((one.txs.get(hash) as EthTx).nonce));
      const waited = world.now - one.before;
      // A sender that became poorer may have been unable to pay for it, even if it is rich again some blocks later.
      const isPayable = balance >= one.balance && head <= one.head + 1;
      if (gone !== undefined && isRoomy && isPayable && room >= one.room && waited < poolLifetime)
        context.fail(
          name,
          `${node.name} forgets transaction 0x${gone}, which waited for an earlier nonce for at most ${waited} µs, should keep it for ${poolLifetime} µs`,
        );
      // If none of the earlier transactions is left, others replaced them and the time went on, or it ended and began
      // again.
      if (now !== undefined)
        next.set(key, { ...now, before: one.before, since: kept === undefined ? world.now : since });
    }
    return next;
  };
  return {
    name,
    ...hearing(['fault', 'started', 'flushed'], (fact) => {
      if (fact.kind === 'fault') disturbed = world.now;
      else {
        looked.delete(fact.node);
        known.delete(fact.node);
      }
    }),
    look(node) {
      for (const one of known.get(node)?.values() ?? []) noteLeft(one, node.node?.rpc);
      const rpc = node.isCorrect ? settledPool(node, world.now - (looked.get(node) ?? 0)) : undefined;
      if (rpc === undefined) return;
      known.set(node, judge(node, rpc));
      looked.set(node, world.now);
    },
  };
}

/** One that waited for another nonce meanwhile waits anew, as if it had left and come back. */
function noteLeft({ sender, awaited, txs, left }: Waiting, rpc: RpcContext | undefined): void {
  const isAnew = rpc?.pool.pendingNonce(sender) !== awaited;
  for (const [key, { hash }] of txs) if (isAnew || rpc?.pool.byEthHash(hash) === undefined) left.add(key);
}

type Standing = Pick<Waiting, 'awaited' | 'balance' | 'head' | 'room'>;

function queueOf(rpc: RpcContext, its: PooledSender): Omit<Waiting, 'before' | 'since'> {
  const txs = new Map(its.queued.map((tx) => [toHex(tx.hash), tx]));
  return { sender: its.sender, ...standingOf(rpc, its.sender, its), txs, left: new Set() };
}

function standingOf({ chain }: RpcContext, sender: Bytes, its: PooledSender | undefined): Standing {
  const { nonce = 0n, balance = 0n } = chain.latest().account(sender) ?? {};
  return {
    awaited: nonce + BigInt(its?.pending.length ?? 0),
    balance,
    head: chain.head(),
    room: blockRoom(chain),
  };
}
