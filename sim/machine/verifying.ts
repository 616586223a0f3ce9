import { type VoteVerifier, verifyVote } from '../../core/codec/verifySignature.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { PublicKey } from '../../core/types/validator.ts';
import type { Vote } from '../../core/types/vote.ts';

interface Verified {
  readonly key: PublicKey;
  readonly chainId: string;
  readonly answer: boolean;
}

/**
 * Verifies the signature of a vote object once for all nodes that hold it. All nodes that have heard a vote hold the
 * same object (network/decoding.ts), so even its sign bytes are not made again.
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
