import type { EthTx } from '../../core/app/chain.ts';

/** What a transaction offers, wei a gas. */
type Offer = Pick<EthTx, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Negative when `a` is worth less to a pool: by what it pays in the next block, then by what it could pay, then by what it wishes to. */
export function compareWorth(a: Offer, b: Offer, baseFee: bigint): number {
  const worth = ({ maxFeePerGas: cap, maxPriorityFeePerGas: wish }: Offer): readonly bigint[] => [
    wish < cap - baseFee ? wish : cap - baseFee,
    cap,
    wish,
  ];
  const other = worth(b);
  for (const [i, one] of worth(a).entries()) {
    const most = other[i] ?? 0n;
    if (one !== most) return one < most ? -1 : 1;
  }
  return 0;
}
