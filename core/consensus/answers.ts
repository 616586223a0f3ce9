/** Handles fired timers and the answers of the signer and the application. Each answer is matched to its question. */
import { proposalSignBytes, voteSignBytes } from '../codec/signBytes.ts';
import { assert, present, unreachable } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { err, ok } from '../lib/result.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Round } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { Proposal, Vote } from '../types/vote.ts';
import type { ConsensusTimerKey } from './contract.ts';
import { type Engine, isOpen, isPrevoting, persist, publish, publishRound } from './engine.ts';
import type { OpenSign } from './heightState.ts';
import { OWN, onProposal, onVote } from './intake.ts';
import type { LogEntry } from './log.ts';
import { proposeNew } from './proposing.ts';
import { castNil, enterPropose, startRound } from './rounds.ts';
import { signedTime } from './signedTime.ts';

/** Handles a fired timer, unless the round or step has moved on: L57, L61, L65 and CometBFT's own waits. */
export function onTimer(e: Engine, timer: ConsensusTimerKey['kind'], round: Round): void {
  const { s } = e;
  if (round !== s.round || !isTimerDue(e, timer)) return;
  persist(e, { kind: 'timer', timer, round });
  switch (timer) {
    case 'newHeight':
      return startRound(e, 0);
    case 'emptyBlock':
      return enterPropose(e);
    case 'propose':
      publishRound(e, 'TimeoutPropose');
      return castNil(e, 'prevote');
    case 'prevote':
      publishRound(e, 'TimeoutWait');
      return castNil(e, 'precommit');
    case 'precommit':
      publishRound(e, 'TimeoutWait');
      return startRound(e, round + 1);
    default:
      return unreachable(timer);
  }
}

function isTimerDue({ s }: Engine, timer: ConsensusTimerKey['kind']): boolean {
  switch (timer) {
    case 'newHeight':
      return s.step === STEP.newHeight;
    case 'emptyBlock':
      return s.step === STEP.newRound;
    case 'propose':
      return s.step === STEP.propose;
    case 'prevote':
      return isPrevoting(s);
    case 'precommit':
      return isOpen(s) && s.precommitTimer;
    default:
      return unreachable(timer);
  }
}

type SignedEntry = Extract<LogEntry, { kind: 'signed' }>;

export const findSign = (e: Engine, of: SignedEntry['of'], round: Round): OpenSign | undefined =>
  e.s.signs.find(({ ask }) => ask.kind === of && ask.round === round);

/**
 * Handles the signer's answer. If the signer refused (another process signed, or the last-signed guard objects), we
 * cast no message in this step and follow the others. If it signed, the message may carry an earlier time than we asked
 * for, so the time is taken from the signed bytes.
 */
export function onSigned(e: Engine, entry: SignedEntry): void {
  const { s } = e;
  const open = present(findSign(e, entry.of, entry.round), 'a signature was asked for');
  persist(e, entry);
  s.signs = s.signs.filter((other) => other !== open);
  if (entry.signature.length === 0) {
    const text = `${entry.of} of height ${s.height} round ${entry.round} was not signed: ${entry.reason}`;
    publish(e, { kind: 'note', level: 'warn', text });
    return;
  }
  const message = signedMessage(open, entry, s.state.chainId);
  if (message === undefined) {
    const text = `the signer signed something else than the ${entry.of} asked for`;
    publish(e, { kind: 'note', level: 'error', text });
    return;
  }
  if ('type' in message) return onVote(e, OWN, message);
  if (entry.round !== s.round || open.kind !== 'proposal') return;
  s.current ??= open.candidate;
  onProposal(e, OWN, message);
}

/** The requested message with its signature and signed time; undefined if the signed bytes are of another message. */
function signedMessage(open: OpenSign, entry: SignedEntry, chainId: string): Vote | Proposal | undefined {
  const { signature, bytes } = entry;
  const asked = open.kind === 'vote' ? open.vote : open.proposal;
  const timestamp = equalBytes(bytes, open.ask.bytes) ? asked.timestamp : signedTime(open.kind, bytes);
  if (timestamp === undefined) return undefined;
  if (open.kind === 'vote') {
    const vote = { ...open.vote, timestamp, signature };
    return equalBytes(voteSignBytes(chainId, vote), bytes) ? vote : undefined;
  }
  const proposal = { ...open.proposal, timestamp, signature };
  return equalBytes(proposalSignBytes(chainId, proposal), bytes) ? proposal : undefined;
}

/** The application answered getValue(). */
export function onProposed(e: Engine, txs: readonly Bytes[], evidence: readonly Evidence[]): void {
  const { s } = e;
  const open = present(s.app, 'a proposal was asked for');
  assert(open.kind === 'propose', 'the application answers in order');
  const isLate = open.round !== s.round || s.step !== STEP.propose;
  persist(e, { kind: 'proposed', txs: isLate ? [] : txs, evidence: isLate ? [] : evidence });
  s.app = undefined;
  if (!isLate) proposeNew(e, txs, evidence);
}

/** The application has judged a block, so valid(v) is known. */
export function onValidated(e: Engine, accept: boolean, reason: string): void {
  const { s } = e;
  const open = present(s.app, 'a verdict was asked for');
  assert(open.kind === 'validate', 'the application answers in order');
  persist(e, { kind: 'validated', blockId: open.candidate.blockId, accept, reason });
  s.app = undefined;
  open.candidate.verdict = accept ? ok(undefined) : err(`the application refuses it: ${reason}`);
}

/** The mempool has a transaction. This matters only while round 0 waits for one. */
export function onTxsAvailable(e: Engine): void {
  const { s } = e;
  if (!s.waitsForTxs || s.txsAvailable || s.round > 0 || s.step > STEP.newRound) return;
  persist(e, { kind: 'txsAvailable' });
  s.txsAvailable = true;
}
