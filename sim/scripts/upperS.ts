import { SECP256K1_N } from '../../core/app/evm/ethTx.ts';

/** The other form of a signature. Anyone can derive it from the first, so no node may accept it (EIP-2). */
export const upperS = (yParity: number, s: bigint): { readonly yParity: number; readonly s: bigint } => ({
  yParity: 1 - yParity,
  s: SECP256K1_N - s,
});
