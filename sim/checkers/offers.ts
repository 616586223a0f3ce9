import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import { type Bytes, to0xHex, toHex } from '../../core/lib/bytes.ts';
import type { PooledSender, RpcContext } from '../../core/rpc/context.ts';

/** Far more than any one transaction. */
const OFFER_BYTES = 8_000_000;

interface Candidate {
  /** Its bytes in a block, as hex. */
  readonly key: string;
  readonly hash: string;
  /** What a proposer earns by a unit of its gas, wei; negative where it cannot pay for the next block. */
  readonly tip: bigint;
  /** Its place in the order of arrival. */
  readonly place: number;
}

const isBetter = (a: Candidate, b: Candidate): boolean =>
  a.tip > b.tip || (a.tip === b.tip && a.place < b.place);

/**
 * What a node would propose: something whenever somebody can pay, of each sender by nonce, and always the best tip that may come
 * next, of equal ones the one that came first. `list` is what the pool holds in the order of arrival,
 * `price` the base fee of the next block, wei.
 */
export function offerProblem(
  { chain, pool }: RpcContext,
  content: readonly PooledSender[],
  list: readonly Bytes[],
  price: bigint,
): string | undefined {
  const places = new Map(list.map((tx, place) => [toHex(tx), place]));
  const lanes = content.map(({ pending }) =>
    pending.map((tx): Candidate => {
      const key = toHex(wrapEthTx(tx, chain.denom));
      const room = tx.maxFeePerGas - price;
      const tip = tx.maxPriorityFeePerGas < room ? tx.maxPriorityFeePerGas : room;
      return { key, hash: to0xHex(tx.hash), tip, place: places.get(key) ?? 0 };
    }),
  );
  const next = (): readonly Candidate[] => lanes.flatMap(([head]) => (head && head.tip >= 0n ? [head] : []));
  const offered = pool.best(OFFER_BYTES).map(toHex);
  const payable = next().length;
  if (offered.length > 0 !== payable > 0)
    return `offers ${offered.length} for the next block, ${payable} senders can pay for it`;
  for (const key of offered) {
    const taken = next().find((one) => one.key === key);
    if (taken === undefined) return `offers ${key.slice(0, 16)} before its turn`;
    const better = next().find((one) => isBetter(one, taken));
    if (better !== undefined)
      return `offers ${taken.hash} of tip ${taken.tip} before ${better.hash} of tip ${better.tip}`;
    lanes.find(([head]) => head === taken)?.shift();
  }
  return undefined;
}
