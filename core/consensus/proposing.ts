/** L14 to L19: what the round's proposer does. */
import { encodeBlock } from '../codec/block.ts';
import { headerHash } from '../codec/hashes.ts';
import { PartSet } from '../codec/partSet.ts';
import { proposalSignBytes } from '../codec/signBytes.ts';
import { assert, present } from '../lib/assert.ts';
import { type Bytes, EMPTY } from '../lib/bytes.ts';
import type { Evidence } from '../types/evidence.ts';
import { type Round, timestampOf } from '../types/ids.ts';
import type { Proposal } from '../types/vote.ts';
import { askApp, askSignature } from './calls.ts';
import { checkBlock } from './candidates.ts';
import type { Engine } from './engine.ts';
import { type Candidate, lastCommitOf } from './heightState.ts';
import { makeBlock } from './makeBlock.ts';

/** L16: proposes a block again that had a polka in an earlier round, with the number of that round. */
export function proposeValid(e: Engine): void {
  signProposal(e, present(e.s.valid, 'has a valid value'), e.s.validRound);
}

/** L18 getValue(): asks the application. `proposeNew` continues with its answer. */
export function askForValue(e: Engine): void {
  e.s.hasProposed = true;
  askApp(e, { kind: 'propose', call: e.deps.nextCall(), round: e.s.round, evidence: [] });
}

/**
 * Continues with the application's answer to getValue(). The application made this block, so it is not asked to judge
 * it, but the block has to pass our own checks: false times in precommits can lead to a block time that no node may
 * prevote.
 */
export function proposeNew(e: Engine, txs: readonly Bytes[], evidence: readonly Evidence[]): void {
  const { state } = e.s;
  const proposerAddress = present(e.validator, 'only a validator proposes').address;
  const made = makeBlock(state, { txs, evidence, lastCommit: lastCommitOf(e.s), proposerAddress });
  assert(made.ok, 'our own commit has a median time');
  const block = made.value;
  const parts = PartSet.of(encodeBlock(block));
  const blockId = { hash: headerHash(block.header), parts: parts.header };
  signProposal(e, { blockId, parts, block, verdict: checkBlock(e, block) }, -1);
}

function signProposal(e: Engine, candidate: Candidate, polRound: Round): void {
  const { s } = e;
  s.hasProposed = true;
  const proposal: Proposal = {
    height: s.height,
    round: s.round,
    polRound,
    blockId: candidate.blockId,
    timestamp: timestampOf(e.now),
    signature: EMPTY,
  };
  const bytes = proposalSignBytes(s.state.chainId, proposal);
  const ask = { kind: 'proposal', height: s.height, round: s.round, bytes } as const;
  askSignature(e, { kind: 'proposal', call: e.deps.nextCall(), ask, proposal, candidate });
}
