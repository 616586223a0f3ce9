import { SECP256K1_N } from '../../core/app/evm/ethTx.ts';
import { bigintToFixed, bytesToBigint } from '../../core/app/evm/numbers.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { concat } from '../../core/lib/bytes.ts';
import { boundTo } from '../memo.ts';

/** The other half of what a signature can look like: anyone can make it of the first, so no node may take it (EIP-2). */
export const upperS = (yParity: number, s: bigint): { readonly yParity: number; readonly s: bigint } => ({
  yParity: 1 - yParity,
  s: SECP256K1_N - s,
});

/** A suite that signs so. */
export const upperSuite = (suite: CryptoSuite): CryptoSuite => ({
  ...boundTo(suite),
  secp256k1Sign(secret, digest) {
    const { rs, recovery } = suite.secp256k1Sign(secret, digest);
    const { yParity, s } = upperS(recovery, bytesToBigint(rs.subarray(32)));
    return { rs: concat(rs.subarray(0, 32), bigintToFixed(s, 32)), recovery: yParity };
  },
});
