import { duplicateVoteEvidence } from '../../../../core/evidence/pool.ts';
import type { DuplicateVoteEvidence } from '../../../../core/types/evidence.ts';
import type { Vote } from '../../../../core/types/vote.ts';
import { type TestChain, VALIDATOR } from './chain.ts';

/** What the validator is accused of; the application believes what consensus tells it, so nothing is signed. */
export function doubleVote(chain: TestChain, height: number, round = 0): DuplicateVoteEvidence {
  const vote = (fill: number): Vote => ({
    type: 'precommit',
    height,
    round,
    blockId: {
      hash: new Uint8Array(32).fill(fill),
      parts: { total: 1, hash: new Uint8Array(32).fill(fill) },
    },
    timestamp: chain.state.lastBlockTime,
    validatorAddress: VALIDATOR,
    validatorIndex: 0,
    signature: new Uint8Array(64).fill(fill),
    extension: new Uint8Array(0),
    extensionSignature: new Uint8Array(0),
  });
  const votes = { voteA: vote(1), voteB: vote(2) };
  return duplicateVoteEvidence(votes, chain.state.validators, chain.state.lastBlockTime);
}
