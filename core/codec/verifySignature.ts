import type { CryptoSuite } from '../crypto/suite.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { PublicKey } from '../types/validator.ts';
import type { Vote } from '../types/vote.ts';
import { voteSignBytes } from './signBytes.ts';

/** A consensus signature: ed25519 over the bytes, or secp256k1 (r ‖ s, low-s) over their sha256. */
export function verifySignature(
  suite: CryptoSuite,
  key: PublicKey,
  message: Bytes,
  signature: Bytes,
): boolean {
  if (signature.length !== 64) return false;
  return key.type === 'ed25519'
    ? suite.ed25519Verify(key.bytes, message, signature)
    : suite.secp256k1Verify(key.bytes, suite.sha256(message), signature);
}

/** Whether `key` signed this vote for this chain. The same arguments must always give the same answer. */
export type VoteVerifier = (suite: CryptoSuite, key: PublicKey, chainId: string, vote: Vote) => boolean;

export const verifyVote: VoteVerifier = (suite, key, chainId, vote) =>
  verifySignature(suite, key, voteSignBytes(chainId, vote), vote.signature);
