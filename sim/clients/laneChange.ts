import type { EthTx } from '../../core/app/chain.ts';
import { to0xHex, toHex } from '../../core/lib/bytes.ts';
import type { PooledSender } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';
import { contentOf, type Given, type PoolContent } from './poolChange.ts';
import { settledPool } from './settledPool.ts';

/** The refusal of a price that is too low to replace a pooled transaction. */
export const NOT_OUTBID = 'replacement transaction underpriced';
/** How the refusal of a transaction begins that would wait too long for a block. */
export const WAITS_TOO_LONG = 'txpool is full: a transaction waits';
/** Per cent by which both prices have to be higher to replace it. */
const BUMP_PERCENT = 10n;
const OVERDRAFT = /: balance (\d+), queued cost (\d+), tx (cost|bumped) (\d+), overshot (\d+)$/;

/** A sender's pooled transactions before and after one more was submitted, and its balance. */
interface Lane {
  readonly before: PooledSender | undefined;
  readonly after: PooledSender | undefined;
  readonly balance: bigint;
}

/** undefined when the pool is not settled, and when it holds transactions that it does not show. */
function laneOf(was: PoolContent | undefined, node: Process, { from }: Given): Lane | undefined {
  const rpc = settledPool(node, Number.POSITIVE_INFINITY);
  const is = rpc && contentOf(rpc.pool);
  if (rpc === undefined || was === undefined || is === undefined) return undefined;
  const own = toHex(from.address);
  const [before, after] = [was, is].map((content) => content.find(({ sender }) => toHex(sender) === own));
  return { before, after, balance: rpc.chain.latest().account(from.address)?.balance ?? 0n };
}

/** Checks the numbers in a refusal of a transaction that its sender cannot pay for. */
export function overdraftProblem(
  was: PoolContent | undefined,
  node: Process,
  tx: Given,
  message: string,
): string | undefined {
  const told = OVERDRAFT.exec(message);
  const lane = told === null ? undefined : laneOf(was, node, tx);
  if (told === null || lane === undefined || !isSame(lane)) return undefined;
  const { bound, added, isReplacement } = reckoned(lane.after, tx);
  const { balance } = lane;
  const should = [balance, bound, isReplacement ? 'bumped' : 'cost', added, bound + added - balance];
  return should.join() === told.slice(1).join()
    ? undefined
    : `${tx.hash} was refused: ${message}; it should be ${should.join()}`;
}

/** Complains of a refusal for a low price if the transaction outbids the one it would replace. */
export function outbidProblem(was: PoolContent | undefined, node: Process, tx: Given): string | undefined {
  const lane = laneOf(was, node, tx);
  const old = lane !== undefined && isSame(lane) ? heldAt(lane.before, tx) : undefined;
  return old !== undefined && isOutbid(old, tx)
    ? `${tx.hash} was refused, and outbids what is there`
    : undefined;
}

/**
 * Complains of a transaction that was taken though its sender cannot pay for it beside the rest, or though it does not
 * outbid the one it replaced. Says nothing when the pool has changed otherwise.
 */
export function takenProblem(was: PoolContent | undefined, node: Process, tx: Given): string | undefined {
  const lane = laneOf(was, node, tx);
  if (lane === undefined) return undefined;
  const old = heldAt(lane.before, tx);
  const rest = hashesOf(lane.before).filter((hash) => old === undefined || hash !== to0xHex(old.hash));
  if ([...rest, tx.hash].sort().join() !== hashesOf(lane.after).sort().join()) return undefined;
  const { bound, added } = reckoned(lane.before, tx);
  if (bound + added > lane.balance) return `${tx.hash} was taken, and its sender cannot pay it`;
  return old === undefined || isOutbid(old, tx) ? undefined : `${tx.hash} was taken, and outbids nothing`;
}

/** In wei: what a sender's transactions cost at most, and what one more adds to that. */
interface Reckoned {
  readonly bound: bigint;
  readonly added: bigint;
  readonly isReplacement: boolean;
}

/** Only executable transactions count, and a replaced one no longer does. */
function reckoned(its: PooledSender | undefined, { nonce, feeCap, gas, value }: Given): Reckoned {
  const pending = its?.pending ?? [];
  const bound = pending.reduce((sum, tx) => sum + costOf(tx), 0n);
  const old = pending.find((tx) => tx.nonce === BigInt(nonce));
  const added = value + gas * feeCap - (old === undefined ? 0n : costOf(old));
  return { bound, added, isReplacement: old !== undefined };
}

const isOutbid = (old: EthTx, { feeCap, tip }: Given): boolean =>
  isMore(feeCap, old.maxFeePerGas) && isMore(tip, old.maxPriorityFeePerGas);

const isMore = (fresh: bigint, old: bigint): boolean =>
  fresh > old && fresh >= (old * (100n + BUMP_PERCENT)) / 100n;

const costOf = ({ value, gasLimit, maxFeePerGas }: EthTx): bigint => value + gasLimit * maxFeePerGas;

const allOf = (its: PooledSender | undefined): readonly EthTx[] => [
  ...(its?.pending ?? []),
  ...(its?.queued ?? []),
];
const hashesOf = (its: PooledSender | undefined): string[] => allOf(its).map(({ hash }) => to0xHex(hash));
const heldAt = (its: PooledSender | undefined, { nonce }: Given): EthTx | undefined =>
  allOf(its).find((tx) => tx.nonce === BigInt(nonce));
const isSame = ({ before, after }: Lane): boolean => hashesOf(before).join() === hashesOf(after).join();
