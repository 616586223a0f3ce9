import { decodeTx } from '../../../core/app/tx/decodeTx.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { blockRoom } from '../../clients/blockRoom.ts';
import { settledPool } from '../../clients/settledPool.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { lastHeightOf } from './poolContents.ts';
import { txHashOf } from './txHashes.ts';
import { sizeInBlock } from './txSelection.ts';

/** More than any pool of a run holds. */
const LIST_MAX = 10_000;
/**
 * A transaction this close to its timeout height can be lost for no other reason: it was neither outbid nor kept
 * waiting for long.
 */
const SOON_BLOCKS = 2;
/** A sender with so much can pay for whatever it sends. */
const RICH = 10n ** 20n;

interface Look {
  readonly at: number;
  readonly head: number;
  /** Transactions that are close to their timeout height. */
  readonly timed: readonly Bytes[];
}

/** POOL: a pool keeps a transaction as long as a block may still hold it, up to the very last such block. */
export function timeoutHeights(context: CheckerContext): Checker {
  const name = 'records';
  const { world, scenario, suite } = context;
  const { engine } = scenario;
  if ((scenario.bankers ?? []).length === 0) return { name };
  if ((engine.poolTxs ?? engine.poolBytes ?? engine.poolLifetime ?? engine.poolMaxWait) !== undefined)
    return { name };
  const known = new Map<Process, Look>();
  const isRich = ({ chain }: RpcContext, tx: Bytes): boolean => {
    const decoded = decodeTx(tx, suite, chain.denom);
    if (!decoded.ok || decoded.value.kind !== 'cosmos') return false;
    return (chain.latest().account(decoded.value.signer)?.balance ?? 0n) >= RICH;
  };
  return {
    name,
    ...hearing(['started', 'flushed'], ({ node }) => known.delete(node)),
    look(node) {
      const before = known.get(node);
      const rpc = node.isCorrect ? settledPool(node, world.now - (before?.at ?? 0)) : undefined;
      if (rpc === undefined) return;
      const head = rpc.chain.head();
      const list = rpc.pool.list?.(LIST_MAX) ?? [];
      known.set(node, {
        at: world.now,
        head,
        timed: list.filter((tx) => lastHeightOf(tx) <= head + SOON_BLOCKS),
      });
      if (before === undefined || before.timed.length === 0 || head > before.head + 1) return;
      const held = new Set(list.map((tx) => toHex(txHashOf(tx, suite))));
      for (const tx of before.timed) {
        const hash = txHashOf(tx, suite);
        const isDue = lastHeightOf(tx) > head && rpc.chain.txLocation(hash) === undefined;
        // Blocks may have become too small for it.
        const hasRoom = sizeInBlock(tx) <= blockRoom(rpc.chain);
        if (isDue && hasRoom && !held.has(toHex(hash)) && isRich(rpc, tx))
          context.fail(
            name,
            `the pool of ${node.name} has lost ${toHex(hash)}, which a block may hold up to ${lastHeightOf(tx)}`,
          );
      }
    },
  };
}
