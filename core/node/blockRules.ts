import { nextHeight, nextState } from '../consensus/chainState.ts';
import type { ConsensusDeps } from '../consensus/contract.ts';
import { blockContext } from '../consensus/makeBlock.ts';
import { validateBlock } from '../consensus/validateBlock.ts';
import { verifyCommit } from '../consensus/verifyCommit.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { err, ok } from '../lib/result.ts';
import type { BlockRules } from '../sync/contract.ts';
import { commitVote, isSameVote } from '../types/vote.ts';

/** The consensus rules for a block that others have decided, for block sync. */
export const blockRules = (
  suite: CryptoSuite,
  checkEvidence: ConsensusDeps['checkEvidence'],
): BlockRules => ({
  nextHeight,
  // Verifies the whole commit, not only two thirds: it becomes our last commit, and a bad signature in it would make
  // the next block we propose invalid.
  checkCommit(state, blockId, commit) {
    const check = { chainId: state.chainId, suite };
    const verified = verifyCommit(check, state.validators, blockId, nextHeight(state), commit);
    return verified.ok ? verified : err(verified.error.code);
  },
  checkBlock(state, block, known) {
    const checked = validateBlock(state, block, {
      chainId: state.chainId,
      suite,
      checkEvidence,
      isKnown(vote) {
        const ours = known && commitVote(known, vote.validatorIndex);
        return ours !== undefined && isSameVote(ours, vote);
      },
    });
    return checked.ok ? ok(undefined) : err(`${checked.error.check}: ${checked.error.message}`);
  },
  context: (state, block) =>
    blockContext(state, block.header.time, {
      evidence: block.evidence,
      lastCommit: block.lastCommit,
      proposerAddress: block.header.proposerAddress,
    }),
  next: nextState,
});
