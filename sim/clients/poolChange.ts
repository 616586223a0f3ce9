import type { ChainReader, EthTx } from '../../core/app/chain.ts';
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
  /** Executable: its nonce follows the state's nonce without a gap. */
  readonly isPending: boolean;
}

export type PoolContent = readonly PooledSender[];

/** What a pool shows; undefined if it also holds other than Ethereum transactions, which it does not show. */
export function contentOf(pool: PoolReader): PoolContent | undefined {
  const content = pool.content();
  const shown = content.reduce((sum, { pending, queued }) => sum + pending.length + queued.length, 0);
  const { pending, queued } = pool.stats();
  return shown === pending + queued ? content : undefined;
}

/** Pooled transactions by hash. */
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

/** The transactions, by hash, of senders whose part differs from that in the other content. */
function heldOtherwise(content: PoolContent, other: PoolContent): ReadonlyMap<string, Held> {
  const same = new Set(other);
  return heldIn(content.filter((one) => !same.has(one)));
}

/**
 * Complains of what a pool did to executable transactions of other senders when it took a transaction. No block may
 * have come in between. Says nothing when more transactions have.
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

/** A transaction that was submitted to a pool. */
export interface Given {
  readonly hash: string;
  readonly from: { readonly address: Bytes };
  readonly nonce: number;
  readonly feeCap: bigint;
  readonly tip: bigint;
  readonly gas: bigint;
  readonly value: bigint;
}

/**
 * Complains if a full pool refused a transaction as worth too little and kept one that is worth less. Says nothing when
 * the pool has changed meanwhile.
 */
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
  // The pool does not evict the sender's own transactions with earlier nonces for it.
  for (const last of lasts.values())
    if ((last.sender !== own || last.nonce > BigInt(nonce)) && compareWorth(last.tx, fresh, baseFee) < 0)
      return `${hash} was refused, though ${to0xHex(last.tx.hash)} is worth less`;
  return undefined;
}

/**
 * Complains if a pool refused a transaction because it would wait too long, although the newest block took as many as
 * the pool now holds: as long as blocks take all, and come faster than a transaction may wait, nothing waits too long.
 *
 * @param words The refusal.
 */
export function waitProblem(node: Process, { hash }: Given, words: string): string | undefined {
  const rpc = settledPool(node, Number.POSITIVE_INFINITY);
  if (rpc === undefined) return undefined;
  const taken = rpc.chain.blockMeta(rpc.chain.head())?.numTxs ?? 0;
  const { pending } = rpc.pool.stats();
  const most = Number(/may wait (\d+) ms/.exec(words)?.[1]) / 1000;
  return pending <= taken && longestInterval(rpc.chain) <= most
    ? `${hash} was told to wait behind ${pending} others, where the newest block took ${taken}`
    : undefined;
}

/** Blocks whose pace a pool may take for that of the next ones. */
const RECENT_BLOCKS = 16;
/** With fewer blocks their pace is not known. The time of a block is that of the votes for the one before. */
const BLOCKS_MIN = 4;

/** The longest time between two recent blocks, in seconds and rounded up; infinite while it is not known. */
function longestInterval(chain: ChainReader): number {
  const head = chain.head();
  const times = Array.from(
    { length: RECENT_BLOCKS },
    (_, i) => chain.blockMeta(head - i)?.header.time.seconds,
  ).filter((time) => time !== undefined);
  if (times.length < BLOCKS_MIN) return Number.POSITIVE_INFINITY;
  return Math.max(0, ...times.slice(1).map((time, i) => (times[i] as number) - time + 1));
}

/**
 * Whether a node with a settled pool neither holds a transaction nor has used its nonce, so that the transaction can
 * still come in. Never when verdicts or syncs are delayed: the transaction may be under check for longer than a block.
 */
export function isNowhere(node: Process, hash: Bytes, { from, nonce }: Given): boolean {
  if ((node.pace.verdict ?? node.pace.sync) !== undefined) return false;
  const rpc = settledPool(node, Number.POSITIVE_INFINITY);
  if (rpc === undefined || rpc.pool.byEthHash(hash) !== undefined) return false;
  return (rpc.chain.latest().account(from.address)?.nonce ?? 0n) <= BigInt(nonce);
}
