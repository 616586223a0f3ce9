import type { CryptoSuite } from '../../crypto/suite.ts';
import { concat } from '../../lib/bytes.ts';
import type { Hash } from '../../types/ids.ts';
import { bigintToFixed } from './numbers.ts';

/**
 * PREVRANDAO of a block: keccak256(parent's Ethereum hash ‖ height). It differs in each block and depends on the whole
 * history, but anyone who knows the parent can compute it: contracts must not treat it as secret.
 */
export const prevRandaoOf = (parentHash: Hash, height: number, suite: CryptoSuite): Hash =>
  suite.keccak256(concat(parentHash, bigintToFixed(BigInt(height), 8)));
