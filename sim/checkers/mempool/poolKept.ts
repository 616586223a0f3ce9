import type { EthTx } from '../../../core/app/chain.ts';
import { equalBytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { DEFAULT_MEMPOOL } from '../../../core/mempool/config.ts';
import type { PooledSender, RpcContext } from '../../../core/rpc/context.ts';
import { blockRoom } from '../../clients/blockRoom.ts';
import { settledPool } from '../../clients/settledPool.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** With fewer free places than this, a new transaction may have pushed another one out. */
const FREE_MIN = 1_000;
/** A queued transaction that waits for an earlier nonce is dropped after this at the soonest. */
const LIFETIME_MIN_MICROS = 60_000_000;

/** What a pool showed at one look. */
interface Look {
  readonly at: number;
  readonly head: number;
  readonly isRoomy: boolean;
  /** Bytes that a block has for transactions. */
  readonly room: number;
  readonly content: readonly PooledSender[];
}

/**
 * POOL: a pool with room keeps a transaction that may run next until its nonce is used or replaced, its sender can no
 * longer pay, blocks become smaller or the operator empties the pool. A transaction that has left the pool is not found
 * by its hash.
 */
export function poolKept(context: CheckerContext): Checker {
  const name = 'records';
  const { world, scenario } = context;
  const txsMax = scenario.engine.poolTxs ?? DEFAULT_MEMPOOL.txsMax;
  // A Cosmos transaction may use up a nonce, and `content()` does not show it.
  if ((scenario.bankers ?? []).length > 0) return { name };
  const known = new Map<Process, Look>();
  /** Nodes whose pool was emptied since the last look. */
  const flushed = new Set<Process>();

  const lookAt = ({ chain, pool }: RpcContext): Look => {
    const { pending, queued } = pool.stats();
    const isRoomy = pending + queued + FREE_MIN <= txsMax;
    return { at: world.now, head: chain.head(), isRoomy, room: blockRoom(chain), content: pool.content() };
  };

  return {
    name,
    ...hearing(['started', 'flushed'], (fact) => {
      if (fact.kind === 'flushed') flushed.add(fact.node);
      else {
        known.delete(fact.node);
        flushed.delete(fact.node);
      }
    }),
    look(node) {
      const before = known.get(node);
      const rpc = node.isCorrect ? settledPool(node, world.now - (before?.at ?? 0)) : undefined;
      if (rpc === undefined) return;
      const now = lookAt(rpc);
      known.set(node, now);
      const isFlushed = flushed.delete(node);
      if (before === undefined) return;
      const shown = shownOf(rpc, before, now);
      if (shown !== undefined)
        context.fail(
          name,
          `the pool of ${node.name} no longer holds ${shown}, and still shows it by its hash`,
        );
      if (isFlushed || !before.isRoomy || !now.isRoomy || now.room < before.room) return;
      // After several blocks at once, a sender that could not pay in between may be able to pay again.
      if (now.head > before.head + 1 || now.at - before.at >= LIFETIME_MIN_MICROS) return;
      const lost = lostBetween(rpc, before, now);
      if (lost !== undefined) context.fail(name, `the pool of ${node.name} has lost ${lost}`);
    },
  };
}

const all = ({ pending, queued }: PooledSender): readonly EthTx[] => [...pending, ...queued];

/** A transaction that left the pool and is still found by its hash. */
function shownOf({ pool }: RpcContext, before: Look, now: Look): string | undefined {
  const same = new Set(now.content);
  const held = new Set(now.content.flatMap(all).map(({ hash }) => toHex(hash)));
  const left = before.content.filter((was) => !same.has(was)).flatMap(all);
  const shown = left.find(({ hash }) => !held.has(toHex(hash)) && pool.byEthHash(hash) !== undefined);
  return shown === undefined ? undefined : to0xHex(shown.hash);
}

function lostBetween({ chain }: RpcContext, before: Look, now: Look): string | undefined {
  const same = new Set(now.content);
  for (const was of before.content) {
    if (same.has(was)) continue;
    const { nonce = 0n, balance = 0n } = chain.latest().account(was.sender) ?? {};
    const its = now.content.find(({ sender }) => equalBytes(sender, was.sender));
    const nonces = new Set((its === undefined ? [] : all(its)).map((tx) => tx.nonce));
    const lost = was.pending.find(
      (tx) =>
        tx.nonce >= nonce && !nonces.has(tx.nonce) && tx.value + tx.gasLimit * tx.maxFeePerGas <= balance,
    );
    if (lost !== undefined)
      return `${to0xHex(lost.hash)}, which its sender can still pay for and no block holds`;
  }
  return undefined;
}
