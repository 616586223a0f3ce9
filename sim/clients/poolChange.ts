import type { EthTx } from '../../core/app/chain.ts';
import { type Bytes, to0xHex, toHex } from '../../core/lib/bytes.ts';
import type { PooledSender, PoolReader } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';
import { baseFeeAfter, type FeeMarket } from './answers/feeMarket.ts';
import { settledPool } from './settledPool.ts';
import { compareWorth } from './worth.ts';

interface Held {
  readonly tx: EthTx;
  readonly sender: string;
  readonly nonce: bigint;
  /** The next of its sender, or after others that are. */
  readonly isPending: boolean;
}

export type PoolContent = readonly PooledSender[];

/** What a pool shows; undefined where others than Ethereum's transactions are in it, which are not shown. */
export function contentOf(pool: PoolReader): PoolContent | undefined {
  const content = pool.content();
  const shown = content.reduce((sum, { pending, queued }) => sum + pending.length + queued.length, 0);
  const { pending, queued } = pool.stats();
  return shown === pending + queued ? content : undefined;
}

/** By hash. */
function heldIn(content: PoolContent): ReadonlyMap<string, Held> {
  const held = new Map<string, Held>();
  for (const { sender, pending, queued } of content) {
    const add = (tx: EthTx, isPending: boolean): void => {
      held.set(to0xHex(tx.hash), { tx, sender: toHex(sender), nonce: tx.nonce, isPending });
    };
    for (const tx of pending) add(tx, true);
    for (const tx of queued) add(tx, false);
  }
  return held;
}

/** Of the senders who had, or have, something else than in the other one. */
function heldOtherwise(content: PoolContent, other: PoolContent): ReadonlyMap<string, Held> {
  const same = new Set(other);
  return heldIn(content.filter((one) => !same.has(one)));
}

/**
 * What a pool that took a transaction may not have done for it to those of others that could run. No block may have come in
 * between; nothing is said when more transactions have.
 */
export function changeProblem(
  was: PoolContent | undefined,
  is: PoolContent | undefined,
  hash: string,
): string | undefined {
  if (was === undefined || is === undefined) return undefined;
  const [before, after] = [heldOtherwise(was, is), heldOtherwise(is, was)];
  const fresh = after.get(hash);
  if (fresh === undefined || [...after.keys()].some((one) => one !== hash && !before.has(one)))
    return undefined;
  const gone = [...before].filter(([one]) => !after.has(one));
  const stranger = gone.find(([, { sender, isPending }]) => isPending && sender !== fresh.sender);
  if (stranger === undefined) return undefined;
  const [victim] = stranger;
  if (gone.some(([, { sender, nonce }]) => sender === fresh.sender && nonce === fresh.nonce))
    return `${hash} replaced one of its sender and drove out ${victim} as well`;
  return fresh.isPending
    ? undefined
    : `${hash} waits for an earlier nonce and drove out ${victim}, which could run`;
}

/** One that was given to a pool. */
export interface Given {
  readonly hash: string;
  readonly from: { readonly address: Bytes };
  readonly nonce: number;
  readonly feeCap: bigint;
  readonly tip: bigint;
  readonly gas: bigint;
  readonly value: bigint;
}

/** What a full pool should have given up for one that it refused as worth too little. Nothing may have changed meanwhile. */
export function refusalProblem(
  was: PoolContent | undefined,
  { node }: Process,
  { hash, from, nonce, feeCap, tip }: Given,
  market: FeeMarket,
): string | undefined {
  const rpc = node?.rpc;
  const head = rpc?.chain.ethBlock(rpc.chain.head());
  const is = rpc && contentOf(rpc.pool);
  if (head === undefined || was === undefined || is === undefined) return undefined;
  const [before, after] = [heldIn(was), heldIn(is)];
  if (before.size !== after.size) return undefined;
  if ([...before.keys()].some((one) => !after.has(one))) return undefined;
  const lasts = new Map<string, Held>();
  for (const one of before.values())
    if (one.nonce >= (lasts.get(one.sender)?.nonce ?? 0n)) lasts.set(one.sender, one);
  const fresh = { maxFeePerGas: feeCap, maxPriorityFeePerGas: tip };
  const baseFee = baseFeeAfter(head.header, market);
  const own = toHex(from.address);
  // What it would follow is not driven out for it.
  for (const last of lasts.values())
    if ((last.sender !== own || last.nonce > BigInt(nonce)) && compareWorth(last.tx, fresh, baseFee) < 0)
      return `${hash} was refused, though ${to0xHex(last.tx.hash)} is worth less`;
  return undefined;
}

/**
 * Whether a node between two states neither holds a transaction nor has used its nonce: then it may come, or come again. Where verdicts take
 * longer than blocks it may be looked at for long.
 */
export function isNowhere(node: Process, hash: Bytes, { from, nonce }: Given): boolean {
  if (node.pace.verdict !== undefined) return false;
  const rpc = settledPool(node, Number.POSITIVE_INFINITY);
  if (rpc === undefined || rpc.pool.byEthHash(hash) !== undefined) return false;
  return (rpc.chain.latest().account(from.address)?.nonce ?? 0n) <= BigInt(nonce);
}
