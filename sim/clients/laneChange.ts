import type { EthTx } from '../../core/app/chain.ts';
import { to0xHex, toHex } from '../../core/lib/bytes.ts';
import type { PooledSender } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';
import { contentOf, type Given, type PoolContent } from './poolChange.ts';
import { settledPool } from './settledPool.ts';

/** What a refusal says of a price that is too low to replace what is there. */
export const NOT_OUTBID = 'replacement transaction underpriced';
/** By which both prices have to be higher for that. */
const BUMP_PERCENT = 10n;
const OVERDRAFT = /: balance (\d+), queued cost (\d+), tx (cost|bumped) (\d+), overshot (\d+)$/;

/** What a sender has in a pool before and after one more was given to it, and what it can pay. */
interface Lane {
  readonly before: PooledSender | undefined;
  readonly after: PooledSender | undefined;
  readonly balance: bigint;
}

/** Undefined between two states, and where a pool shows not all that it holds. */
function laneOf(was: PoolContent | undefined, node: Process, { from }: Given): Lane | undefined {
  const rpc = settledPool(node, Number.POSITIVE_INFINITY);
  const is = rpc && contentOf(rpc.pool);
  if (rpc === undefined || was === undefined || is === undefined) return undefined;
  const own = toHex(from.address);
  const [before, after] = [was, is].map((content) => content.find(({ sender }) => toHex(sender) === own));
  return { before, after, balance: rpc.chain.latest().account(from.address)?.balance ?? 0n };
}

/** Whether the words are true in which one was refused that its sender cannot pay. */
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

/** Whether one was refused for its price that outbids what it would have replaced. */
export function outbidProblem(was: PoolContent | undefined, node: Process, tx: Given): string | undefined {
  const lane = laneOf(was, node, tx);
  const old = lane !== undefined && isSame(lane) ? heldAt(lane.before, tx) : undefined;
  return old !== undefined && isOutbid(old, tx)
    ? `${tx.hash} was refused, and outbids what is there`
    : undefined;
}

/** What no pool takes, if nothing else has come meanwhile: what its sender cannot pay beside the rest, or does not outbid what it replaced. */
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

/** In wei: what a sender's transactions bind, and what one more adds to that. */
interface Reckoned {
  readonly bound: bigint;
  readonly added: bigint;
  readonly isReplacement: boolean;
}

/** Only what may be executed at once binds coins; what is replaced binds none any more. */
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
