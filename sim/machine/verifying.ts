import { type VoteVerifier, verifyVote } from '../../core/consensus/verifySignature.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { PublicKey } from '../../core/types/validator.ts';
import type { Vote } from '../../core/types/vote.ts';

interface Verified {
  readonly key: PublicKey;
  readonly chainId: string;
  readonly answer: boolean;
}

/**
 * Checks a vote's signature once for all who hold that very vote, which is all who have heard it (network/decoding.ts): not even
 * the bytes that it covers are made again.
 */
export function verifyingOnce(): VoteVerifier {
  const verified = new WeakMap<Vote, Verified>();
  return (suite, key, chainId, vote) => {
    const known = verified.get(vote);
    if (known !== undefined && known.chainId === chainId && isSameKey(known.key, key)) return known.answer;
    const answer = verifyVote(suite, key, chainId, vote);
    verified.set(vote, { key, chainId, answer });
    return answer;
  };
}

const isSameKey = (a: PublicKey, b: PublicKey): boolean => a.type === b.type && equalBytes(a.bytes, b.bytes);
