import type { CryptoSuite } from '../../crypto/suite.ts';
import { concat } from '../../lib/bytes.ts';
import type { Hash } from '../../types/ids.ts';
import { bigintToFixed } from './numbers.ts';

/**
 * PREVRANDAO of a block: keccak256(parent's Ethereum hash ‖ height). It is a different number in each block and covers
 * all history, but whoever knows the parent knows it: contracts must not take it for secret.
 */
export const prevRandaoOf = (parentHash: Hash, height: number, suite: CryptoSuite): Hash =>
  suite.keccak256(concat(parentHash, bigintToFixed(BigInt(height), 8)));
