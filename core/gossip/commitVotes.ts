import { EMPTY } from '../lib/bytes.ts';
import { type Commit, ZERO_BLOCK_ID } from '../types/block.ts';
import type { Vote } from '../types/vote.ts';

/** The precommit in entry `index` of a commit; undefined if that validator was absent. */
export function commitVote(commit: Commit, index: number): Vote | undefined {
  const sig = commit.signatures[index];
  if (sig === undefined || sig.flag === 'absent') return undefined;
  return {
    type: 'precommit',
    height: commit.height,
    round: commit.round,
    blockId: sig.flag === 'commit' ? commit.blockId : ZERO_BLOCK_ID,
    timestamp: sig.timestamp,
    validatorAddress: sig.validatorAddress,
    validatorIndex: index,
    signature: sig.signature,
    extension: EMPTY,
    extensionSignature: EMPTY,
  };
}
