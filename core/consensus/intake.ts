/**
 * Checks messages of peers before they may change anything. Each handler ignores what is stale, punishes the sender of
 * what no honest node sends, persists what it accepts, and leaves the consequences to the rules.
 */
import { proposalSignBytes } from '../codec/signBytes.ts';
import { verifySignature } from '../codec/verifySignature.ts';
import { leafHash } from '../crypto/merkle.ts';
import { equalBytes } from '../lib/bytes.ts';
import { type BlockId, isCompleteBlockId, type Part } from '../types/block.ts';
import type { Round } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { Proposal, Vote, VoteType } from '../types/vote.ts';
import { collect, completeCandidate, fitsParams } from './candidates.ts';
import { type Engine, persist, publish, roundEvent } from './engine.ts';
import { CONFLICTS_MAX } from './heightState.ts';
import { VoteSet } from './voteSet.ts';

/** Stands for a peer where this machine itself signed or verified the message. Never a real peer's name. */
export const OWN = '';
/** Stands for a peer where none is known. The message is checked like any other, but nobody is punished. */
export const NO_PEER = '-';

function punish(e: Engine, peer: string, reason: string): void {
  if (senderOf(peer) !== undefined) e.out.notice({ kind: 'punish', peer, reason });
}

const senderOf = (peer: string): string | undefined => (peer === OWN || peer === NO_PEER ? undefined : peer);

/** We do not verify again what we signed, or what we verified before logging it. */
const isTrusted = (e: Engine, peer: string): boolean => peer === OWN || e.replaying;

/** Takes a proposal by the proposer of the current round. The first one stands. */
export function onProposal(e: Engine, peer: string, proposal: Proposal): void {
  const { s } = e;
  if (proposal.height !== s.height || proposal.round !== s.round) return;
  if (s.proposal !== undefined || s.step >= STEP.commit) return;
  const { polRound, blockId } = proposal;
  if (polRound < -1 || polRound >= proposal.round) return punish(e, peer, 'proposal: POL round out of range');
  if (!isCompleteBlockId(blockId)) return punish(e, peer, 'proposal: incomplete block id');
  if (!fitsParams(s, blockId)) return punish(e, peer, 'proposal: too many parts');
  if (!isTrusted(e, peer)) {
    const { pubKey } = s.roundSet.proposer;
    const bytes = proposalSignBytes(s.state.chainId, proposal);
    if (!verifySignature(e.suite, pubKey, bytes, proposal.signature)) {
      return punish(e, peer, 'proposal: not signed by the proposer of the round');
    }
  }
  if (peer !== OWN) persist(e, { kind: 'proposal', peer, proposal });
  s.proposal = proposal;
  // A polka may already have named the block to collect. It outweighs the proposal.
  if (s.current === undefined) collect(e, blockId);
  if (s.current?.block !== undefined) publish(e, { kind: 'completeProposal', at: roundEvent(e), blockId });
  e.out.notice({ kind: 'proposalSet', proposal, peer: senderOf(peer) });
}

/** Takes a part of the block being collected. Parts of another block are ignored: they may be honest leftovers. */
export function onPart(e: Engine, peer: string, round: Round, part: Part): void {
  const { current } = e.s;
  if (current === undefined || current.parts.isComplete()) return;
  if (current.parts.bits.has(part.index)) return;
  const added = current.parts.add(part);
  if (!added.ok) {
    if (!equalBytes(leafHash(part.bytes), part.proof.leafHash)) {
      punish(e, peer, 'part: bytes do not match their own proof');
    } else if (part.proof.index !== part.index) punish(e, peer, 'part: proof of another index');
    return;
  }
  if (!added.value) return;
  persist(e, { kind: 'part', peer, round, part });
  if (current.parts.isComplete()) completeCandidate(e, current);
}

/** Takes a vote of this height, or a late precommit of the last one. `peer` is OWN for our own votes. */
export function onVote(e: Engine, peer: string, vote: Vote): void {
  const { s } = e;
  if (vote.height === s.height - 1) return onLatePrecommit(e, peer, vote);
  if (vote.height !== s.height) return;
  if (hasExtension(vote)) return punish(e, peer, 'vote: extensions are not enabled');
  const isOpenRound = s.votes.isOpen(vote.round, s.round);
  // A logged vote was let in before the restart, possibly by a claim, and claims are not logged.
  if (!isOpenRound && !e.replaying && !s.votes.mayOpen(peer, vote.round, s.round)) return;
  const set = isOpenRound
    ? s.votes.setOf(vote.round, vote.type)
    : new VoteSet(vote.height, vote.round, vote.type, s.state.validators);
  const verdict = set.judge(vote);
  if (verdict.kind === 'duplicate') return;
  if (verdict.kind === 'refused') return punish(e, peer, `vote: ${verdict.reason}`);
  if (verdict.kind === 'conflict' && verdict.reported && !verdict.counts) return;
  if (!isVoteSigned(e, peer, vote, set)) return punish(e, peer, 'vote: bad signature');
  // Our own vote is already in the log, as the signer's answer.
  if (peer !== OWN) persist(e, { kind: 'vote', peer, vote });
  if (!isOpenRound) s.votes.openFor(peer, vote.round, s.round);
  if (verdict.kind === 'conflict') {
    if (!verdict.reported) reportConflict(e, set, verdict.with, vote);
    if (!verdict.counts) return;
  }
  s.votes.add(vote);
  announce(e, peer, vote);
}

/** Late precommits count only while we wait for round 0: after that the last commit must not change. */
function onLatePrecommit(e: Engine, peer: string, vote: Vote): void {
  const { step, lastPrecommits } = e.s;
  if (step !== STEP.newHeight || lastPrecommits === undefined) return;
  if (vote.type !== 'precommit' || vote.round !== lastPrecommits.round || hasExtension(vote)) return;
  const verdict = lastPrecommits.judge(vote);
  if (verdict.kind === 'refused') return punish(e, peer, `vote: ${verdict.reason}`);
  if (verdict.kind === 'duplicate' || (verdict.kind === 'conflict' && verdict.reported)) return;
  if (!isVoteSigned(e, peer, vote, lastPrecommits)) return punish(e, peer, 'vote: bad signature');
  persist(e, { kind: 'vote', peer, vote });
  if (verdict.kind === 'conflict') return reportConflict(e, lastPrecommits, verdict.with, vote);
  lastPrecommits.add(vote);
  announce(e, peer, vote);
}

function announce(e: Engine, peer: string, vote: Vote): void {
  e.out.notice({ kind: 'voteAdded', vote, peer: senderOf(peer) });
  publish(e, { kind: 'vote', vote });
}

const hasExtension = (vote: Vote): boolean => vote.extension.length > 0 || vote.extensionSignature.length > 0;

function isVoteSigned(e: Engine, peer: string, vote: Vote, set: VoteSet): boolean {
  if (isTrusted(e, peer)) return true;
  const validator = set.validators.validators[vote.validatorIndex];
  if (validator === undefined) return false;
  return e.verifyVote(e.suite, validator.pubKey, e.s.state.chainId, vote);
}

/**
 * Reports two votes that no honest validator signs. Our own are not reported: another process has our key, and evidence
 * would not help.
 */
function reportConflict(e: Engine, set: VoteSet, voteA: Vote, voteB: Vote): void {
  set.markEquivocator(voteB.validatorIndex);
  if (e.validator !== undefined && equalBytes(e.validator.address, voteB.validatorAddress)) return;
  const conflict = { voteA, voteB };
  if (e.s.conflicts.length < CONFLICTS_MAX) e.s.conflicts.push(conflict);
  e.out.notice({ kind: 'conflict', conflict });
}

/** A peer claims that a value has two thirds. From now on conflicting votes for that value count too. */
export function onMaj23(e: Engine, peer: string, round: Round, type: VoteType, blockId: BlockId): void {
  const { s } = e;
  if (!s.votes.isOpen(round, s.round)) {
    if (type === 'precommit' && isCompleteBlockId(blockId)) s.votes.claimDecision(peer, round);
    return;
  }
  const claimed = s.votes.setOf(round, type).claim(peer, blockId);
  if (claimed === 'contradiction') punish(e, peer, 'maj23: contradicts an earlier claim');
  if (claimed === 'added') persist(e, { kind: 'maj23', peer, round, type, blockId });
}
