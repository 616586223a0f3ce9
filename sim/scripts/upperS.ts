import { SECP256K1_N } from '../../core/app/evm/ethTx.ts';

/** The other half of what a signature can look like: anyone can make it of the first, so no node may take it (EIP-2). */
export const upperS = (yParity: number, s: bigint): { readonly yParity: number; readonly s: bigint } => ({
  yParity: 1 - yParity,
  s: SECP256K1_N - s,
});
