/** L14 to L19: the round's proposer speaks. */
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

/** L16: a block that had a polka before is proposed again, with the round of that polka. */
export function proposeValid(e: Engine): void {
  signProposal(e, present(e.s.valid, 'has a valid value'), e.s.validRound);
}

/** L18 getValue(): ask the application; `proposeNew` goes on when it answers. */
export function askForValue(e: Engine): void {
  e.s.hasProposed = true;
  askApp(e, { kind: 'propose', call: e.deps.nextCall(), round: e.s.round, evidence: [] });
}

/**
 * The application's answer to getValue(). Our own block needs no second opinion of the application that made it, but it
 * keeps the rules like any other: the times that liars sign can make one that nobody may prevote.
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
