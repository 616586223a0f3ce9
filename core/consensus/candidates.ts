/** Candidate blocks: collecting their parts and judging the complete block (valid(v) of the paper). */
import { decodeBlock } from '../codec/block.ts';
import { headerHash } from '../codec/hashes.ts';
import { PartSet } from '../codec/partSet.ts';
import { assert, present } from '../lib/assert.ts';
import { equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { type Block, type BlockId, equalBlockId } from '../types/block.ts';
import { isSameVote } from '../types/vote.ts';
import { askApp } from './calls.ts';
import { type Engine, publish, roundEvent } from './engine.ts';
import type { Candidate, HeightState } from './heightState.ts';
import { blockBytesMax, blockPartsMax } from './params.ts';
import { validateBlock } from './validateBlock.ts';

export const isOf = (candidate: Candidate | undefined, blockId: BlockId): candidate is Candidate =>
  candidate !== undefined && equalBlockId(candidate.blockId, blockId);

/** Whether the params allow a block with this part set. Asked before memory for the parts is allocated. */
export const fitsParams = (s: HeightState, blockId: BlockId): boolean =>
  blockId.parts.total > 0 && blockId.parts.total <= blockPartsMax(s.state.params);

/** The candidate we hold already (current, locked or valid), else an empty one to be filled. */
export function candidateFor(s: HeightState, blockId: BlockId): Candidate {
  for (const held of [s.current, s.locked, s.valid]) if (isOf(held, blockId)) return held;
  assert(fitsParams(s, blockId), 'part total was checked');
  return { blockId, parts: PartSet.empty(blockId.parts), block: undefined, verdict: undefined };
}

/** Makes `blockId` the block being collected. */
export function collect(e: Engine, blockId: BlockId): void {
  e.s.current = candidateFor(e.s, blockId);
}

/** Called once, when the last part has arrived. A block that fails here is not shown to the application. */
export function completeCandidate(e: Engine, candidate: Candidate): void {
  const decoded = decodeCandidate(e, candidate);
  if (!decoded.ok) {
    candidate.verdict = decoded;
    return;
  }
  candidate.block = decoded.value;
  publish(e, { kind: 'completeProposal', at: roundEvent(e), blockId: candidate.blockId });
  const checked = checkBlock(e, decoded.value);
  if (!checked.ok) candidate.verdict = checked;
}

function decodeCandidate(e: Engine, { parts, blockId }: Candidate): Result<Block, string> {
  const bytes = parts.bytes();
  if (bytes.length > blockBytesMax(e.s.state.params))
    return err(`block of ${bytes.length} bytes is too large`);
  const decoded = decodeBlock(bytes);
  if (!decoded.ok) return err(`block does not decode: ${decoded.error.message}`);
  const hash = headerHash(decoded.value.header);
  return equalBytes(hash, blockId.hash) ? decoded : err('block does not have the hash it was proposed by');
}

/** valid(v) as far as the state alone can tell. */
export function checkBlock(e: Engine, block: Block): Result<void, string> {
  const { state, lastPrecommits } = e.s;
  const checked = validateBlock(state, block, {
    chainId: state.chainId,
    suite: e.suite,
    checkEvidence: (list, at) => e.deps.checkEvidence(list, at),
    // A proposer may have changed the commit's round. The votes we verified then do not cover it.
    isKnown(vote) {
      const ours = lastPrecommits?.vote(vote.validatorIndex);
      return ours !== undefined && isSameVote(ours, vote);
    },
  });
  return checked.ok ? ok(undefined) : err(`${checked.error.check}: ${checked.error.message}`);
}

/** Asks the application whether it would execute the block. */
export function askVerdict(e: Engine, candidate: Candidate): void {
  present(candidate.block, 'a whole block is judged');
  askApp(e, { kind: 'validate', call: e.deps.nextCall(), candidate });
}
