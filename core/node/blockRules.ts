import { nextHeight, nextState } from '../consensus/chainState.ts';
import type { ConsensusDeps } from '../consensus/contract.ts';
import { blockContext } from '../consensus/makeBlock.ts';
import { validateBlock } from '../consensus/validateBlock.ts';
import { verifyCommit } from '../consensus/verifyCommit.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { equalBytes } from '../lib/bytes.ts';
import { err, ok } from '../lib/result.ts';
import type { BlockRules } from '../sync/contract.ts';
import { type Commit, type CommitSig, equalBlockId } from '../types/block.ts';
import { compareTime } from '../types/ids.ts';

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
    const isSameVote =
      known !== undefined &&
      known.round === block.lastCommit.round &&
      equalBlockId(known.blockId, block.lastCommit.blockId);
    const checked = validateBlock(state, block, {
      chainId: state.chainId,
      suite,
      checkEvidence,
      isKnown: (index, signature) => isSameVote && isEqual(known, index, signature),
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

function isEqual(known: Commit, index: number, signature: CommitSig): boolean {
  const other = known.signatures[index];
  return (
    other !== undefined &&
    other.flag === signature.flag &&
    equalBytes(other.validatorAddress, signature.validatorAddress) &&
    compareTime(other.timestamp, signature.timestamp) === 0 &&
    equalBytes(other.signature, signature.signature)
  );
}
