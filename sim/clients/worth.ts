import type { EthTx } from '../../core/app/chain.ts';

/** What a transaction offers, in wei per gas. */
type Offer = Pick<EthTx, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/**
 * Negative when `a` is worth less to a pool. Compares the tip paid in the next block, then the fee cap, then the tip
 * cap.
 */
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
