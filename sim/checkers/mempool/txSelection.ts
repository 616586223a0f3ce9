import type { EthTx } from '../../../core/app/chain.ts';
import { wrapEthTx } from '../../../core/app/tx/wrapEthTx.ts';
import { type Bytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { PooledSender, RpcContext } from '../../../core/rpc/context.ts';
import { remembered } from '../../remembered.ts';

/** Far more bytes than any pool of a run holds. */
const OFFER_BYTES = 8_000_000;
/** The least gas that a transaction uses. It limits how many are offered. */
const GAS_MIN = 21_000n;

interface Candidate {
  /** Its bytes in a block, as hex. */
  readonly key: string;
  readonly hash: string;
  /** What the proposer earns for each unit of gas, wei. Negative if the transaction cannot pay the next base fee. */
  readonly tip: bigint;
  /** Its place in the order of arrival. */
  readonly place: number;
  /** Its size in a block. */
  readonly bytes: number;
  /** Its gas limit. */
  readonly gas: bigint;
}

export const hexOf = remembered((tx: Bytes) => toHex(tx));
/** The same for a transaction in its Cosmos wrapping. */
export const keyOf = remembered((tx: EthTx, denom: string) => toHex(wrapEthTx(tx, denom)));

const isBetter = (a: Candidate, b: Candidate): boolean =>
  a.tip > b.tip || (a.tip === b.tip && a.place < b.place);

/** Room in a block. */
interface Room {
  readonly bytes: number;
  readonly gas: bigint;
}

/**
 * What a node must propose, checked with room for all waiting transactions and for a third of their bytes. Each
 * sender's transactions come by nonce; the next one is always the best tip, of equal tips the older. A transaction that
 * does not fit or cannot pay ends its sender's part of the block and nobody else's. `list` is the pool in the order of
 * arrival, `price` the next base fee in wei, `gas` the block's gas.
 */
export function txSelectionProblem(
  { chain, pool }: RpcContext,
  content: readonly PooledSender[],
  list: readonly Bytes[],
  { price, gas }: { readonly price: bigint; readonly gas: bigint },
): string | undefined {
  const known = new Map(list.map((tx, place) => [hexOf(tx), { place, bytes: sizeInBlock(tx) }]));
  const lanes = content.map(({ pending }) =>
    pending.map((tx): Candidate => {
      const key = keyOf(tx, chain.denom);
      const left = tx.maxFeePerGas - price;
      const tip = tx.maxPriorityFeePerGas < left ? tx.maxPriorityFeePerGas : left;
      const { place = 0, bytes = 0 } = known.get(key) ?? {};
      return { key, hash: to0xHex(tx.hash), tip, place, bytes, gas: tx.gasLimit };
    }),
  );
  const all = list.reduce((sum, tx) => sum + sizeInBlock(tx), 0);
  for (const bytes of [OFFER_BYTES, Math.floor(all / 3)]) {
    const wanted = choose(lanes, { bytes, gas });
    const offered = pool.best(bytes).map(hexOf);
    const at = wanted.findIndex(({ key }, i) => offered[i] !== key);
    const due = wanted[at];
    if (due !== undefined)
      return `offers for a block with ${bytes} bytes ${offered[at]?.slice(0, 16) ?? 'nothing more'} as transaction ${at}, should offer ${due.hash} with tip ${due.tip}`;
    if (offered.length > wanted.length)
      return `offers ${offered.length} transactions for a block with ${bytes} bytes, of which ${wanted.length} fit`;
  }
  return undefined;
}

function choose(senders: readonly (readonly Candidate[])[], room: Room): readonly Candidate[] {
  const lanes = senders.map((lane) => [...lane]);
  const chosen: Candidate[] = [];
  let bytes = 0;
  for (;;) {
    let best: Candidate[] | undefined;
    for (const lane of lanes) {
      const [head] = lane;
      if (head === undefined || head.tip < 0n) continue;
      const [other] = best ?? [];
      if (other === undefined || isBetter(head, other)) best = lane;
    }
    const head = best?.shift();
    if (best === undefined || head === undefined) return chosen;
    const isRoomy =
      bytes + head.bytes <= room.bytes &&
      head.gas <= room.gas &&
      BigInt(chosen.length + 1) * GAS_MIN <= room.gas;
    if (isRoomy) {
      chosen.push(head);
      bytes += head.bytes;
    } else best.length = 0;
  }
}

/** Bytes that a transaction adds to a block: tag, length and content. */
export function sizeInBlock({ length }: Bytes): number {
  let size = 2 + length;
  for (let left = length >>> 7; left > 0; left >>>= 7) size++;
  return size;
}
