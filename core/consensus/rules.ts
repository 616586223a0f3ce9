/**
 * The algorithm: the upon-clauses of the Tendermint paper (arXiv 1807.04938, Algorithm 1) as one ordered table. After
 * every input the table is run until no clause applies. Line numbers such as L49 are the paper's.
 *
 * Three differences are of form, not substance. A vote names a block id, and v is known once its parts are (`current`).
 * `valid(v)` may still be undecided: a clause that needs it then waits, and a timeout may come first. A block with a
 * polka or a commit counts as proposed even if the proposal message was lost, because two thirds stand behind it.
 */
import { assert, present } from '../lib/assert.ts';
import { type BlockId, equalBlockId, isZeroBlockId } from '../types/block.ts';
import { STEP } from '../types/messages.ts';
import { askVerdict, candidateFor, fitsParams, isOf } from './candidates.ts';
import { decide, enterCommit, haltOnInvalidDecision } from './deciding.ts';
import {
  type Engine,
  enterStep,
  isBeforePrevote,
  isOpen,
  isPrevoting,
  publishRound,
  setTimer,
} from './engine.ts';
import type { HeightState } from './heightState.ts';
import { askForValue, proposeValid } from './proposing.ts';
import { castNil, castVote, enterPropose, isProposer, startRound } from './rounds.ts';
import { precommitTimeoutMs, prevoteTimeoutMs } from './timeouts.ts';

export interface Rule {
  readonly name: string;
  /** Lines of the paper, or `CometBFT` where the paper leaves the matter open. */
  readonly lines: string;
  when(e: Engine): boolean;
  run(e: Engine): void;
}

/** id(v) of the round's polka; the zero id for nil. */
const polka = (s: HeightState): BlockId | undefined => s.votes.peek(s.round, 'prevote')?.majority();

/** The block id of the round's polka; undefined without a polka or if it is for nil. */
function blockPolka(s: HeightState): BlockId | undefined {
  const id = polka(s);
  return id === undefined || isZeroBlockId(id) ? undefined : id;
}

/** We hold v of the round's polka, and valid(v). */
function hasValidPolka(s: HeightState): boolean {
  const id = blockPolka(s);
  return id !== undefined && isOf(s.current, id) && s.current.verdict?.ok === true;
}

/** L22 and L28: our prevote can be decided, because we are locked on another value or valid(v) is known. */
function isProposalReady({ s }: Engine, isPolRound: boolean): boolean {
  const { proposal } = s;
  if (proposal === undefined || !isBeforePrevote(s)) return false;
  if (proposal.polRound >= 0 !== isPolRound) return false;
  if (isPolRound) {
    const pol = s.votes.peek(proposal.polRound, 'prevote')?.majority();
    if (pol === undefined || !equalBlockId(pol, proposal.blockId)) return false;
  }
  return isLockedOut(s) || (isOf(s.current, proposal.blockId) && s.current.verdict !== undefined);
}

/** We are locked on another value, and the proposal has no polka as recent as our lock: we can only prevote nil. */
function isLockedOut(s: HeightState): boolean {
  const { blockId, polRound } = present(s.proposal, 'a proposal is judged');
  return s.lockedRound >= 0 && s.lockedRound > polRound && !isOf(s.locked, blockId);
}

/** L23 to L27 and L29 to L33. */
function prevoteProposal(e: Engine): void {
  const { s } = e;
  const { blockId } = present(s.proposal, 'a proposal is judged');
  const isAccepted = !isLockedOut(s) && isOf(s.current, blockId) && s.current.verdict?.ok === true;
  if (isAccepted) castVote(e, 'prevote', blockId);
  else castNil(e, 'prevote');
}

/** L38 to L43. */
function lockAndPrecommit(e: Engine): void {
  const { s } = e;
  const block = present(s.current, 'locks what it holds');
  const isRelock = isOf(s.locked, block.blockId);
  s.locked = block;
  s.lockedRound = s.round;
  publishRound(e, 'Polka');
  publishRound(e, isRelock ? 'Relock' : 'Lock');
  castVote(e, 'precommit', block.blockId);
  markValid(e);
}

/** L42, L43. */
function markValid(e: Engine): void {
  const { s } = e;
  s.valid = s.current;
  s.validRound = s.round;
  publishRound(e, 'ValidBlock');
  e.out.notice({ kind: 'validBlock' });
}

const RULES: readonly Rule[] = [
  {
    name: 'a block is committed',
    lines: 'L49',
    when: ({ s }) => s.commitRound < 0 && s.votes.commit !== undefined,
    run: enterCommit,
  },
  {
    name: 'the committed block is here and valid: decide',
    lines: 'L49-L51',
    when: ({ s }) =>
      s.commitRound >= 0 &&
      s.decision === undefined &&
      s.app === undefined &&
      s.current?.verdict?.ok === true,
    run: decide,
  },
  {
    name: 'the committed block is invalid: stop',
    lines: 'L50',
    when: ({ s }) => s.commitRound >= 0 && s.decision === undefined && s.current?.verdict?.ok === false,
    run(e) {
      const { verdict } = present(e.s.current, 'judged what it holds');
      haltOnInvalidDecision(e, verdict?.ok === false ? verdict.error : '');
    },
  },
  {
    name: 'every precommit of the last height is in: no need to wait longer',
    lines: 'CometBFT skip_timeout_commit',
    when: ({ s }) => s.step === STEP.newHeight && s.skipsWait && s.lastPrecommits?.isFull() === true,
    run: (e) => startRound(e, 0),
  },
  {
    name: 'a correct validator is in a later round: follow',
    lines: 'L55',
    when: ({ s }) => isOpen(s) && s.votes.skipRound > s.round,
    run: (e) => startRound(e, e.s.votes.skipRound),
  },
  {
    name: 'there is something to propose: stop waiting',
    lines: 'CometBFT create_empty_blocks',
    when: ({ s }) => s.step === STEP.newRound && s.txsAvailable,
    run: enterPropose,
  },
  {
    name: 'propose the valid value again',
    lines: 'L15-L16',
    when: (e) => isTurn(e) && e.s.valid !== undefined,
    run: proposeValid,
  },
  {
    name: 'propose a new value',
    lines: 'L18',
    when: (e) => isTurn(e) && e.s.valid === undefined && e.s.app === undefined,
    run: askForValue,
  },
  {
    name: 'a fresh proposal: prevote it unless it is invalid or we are locked on another',
    lines: 'L22',
    when: (e) => isProposalReady(e, false),
    run: prevoteProposal,
  },
  {
    name: 'a proposal with a polka of an earlier round: prevote it unless our lock is newer',
    lines: 'L28',
    when: (e) => isProposalReady(e, true),
    run: prevoteProposal,
  },
  {
    name: 'a polka for a block that we do not hold: collect it',
    lines: 'CometBFT NewValidBlock',
    when: ({ s }) => {
      const id = isOpen(s) ? blockPolka(s) : undefined;
      return id !== undefined && !isOf(s.current, id) && fitsParams(s, id);
    },
    run(e) {
      e.s.current = candidateFor(e.s, present(polka(e.s), 'a polka was seen'));
      publishRound(e, 'ValidBlock');
      e.out.notice({ kind: 'validBlock' });
    },
  },
  {
    name: 'a whole block: let the application judge it',
    lines: 'valid(v)',
    when: ({ s }) => s.app === undefined && s.current?.block !== undefined && s.current.verdict === undefined,
    run: (e) => askVerdict(e, present(e.s.current, 'has a block')),
  },
  {
    name: 'a polka for a valid block: lock it and precommit it',
    lines: 'L36-L43',
    when: ({ s }) => isPrevoting(s) && hasValidPolka(s),
    run: lockAndPrecommit,
  },
  {
    name: 'a polka for a valid block, too late to lock: remember it',
    lines: 'L36, L42-L43',
    when: ({ s }) =>
      (s.step === STEP.precommit || s.step === STEP.precommitWait) &&
      s.validRound < s.round &&
      hasValidPolka(s),
    run: markValid,
  },
  {
    name: 'a polka for nil: precommit nil, keep the lock',
    lines: 'L44',
    when: ({ s }) => {
      if (!isPrevoting(s)) return false;
      const id = polka(s);
      return id !== undefined && isZeroBlockId(id);
    },
    run(e) {
      publishRound(e, 'Polka');
      castNil(e, 'precommit');
    },
  },
  {
    name: 'two thirds have prevoted: wait no longer than the timeout',
    lines: 'L34',
    when: ({ s }) => s.step === STEP.prevote && s.votes.peek(s.round, 'prevote')?.hasTwoThirdsAny() === true,
    run(e) {
      enterStep(e, STEP.prevoteWait);
      setTimer(e, 'prevote', e.s.round, prevoteTimeoutMs(e.config, e.s.round));
    },
  },
  {
    name: 'two thirds have precommitted: wait no longer than the timeout',
    lines: 'L47',
    when: ({ s }) =>
      isOpen(s) && !s.precommitTimer && s.votes.peek(s.round, 'precommit')?.hasTwoThirdsAny() === true,
    run(e) {
      e.s.precommitTimer = true;
      if (e.s.step === STEP.precommit) enterStep(e, STEP.precommitWait);
      setTimer(e, 'precommit', e.s.round, precommitTimeoutMs(e.config, e.s.round));
    },
  },
];

/** L14: we are the proposer and have not proposed in this round yet. */
const isTurn = (e: Engine): boolean => e.s.step === STEP.propose && !e.s.hasProposed && isProposer(e);

/** More clauses than one input can trigger: each one moves step, round, verdict or height forward. */
const FIRINGS_MAX = 100;

function firstDue(e: Engine): Rule | undefined {
  for (const rule of RULES) if (rule.when(e)) return rule;
  return undefined;
}

/** Runs the table until no rule applies. Each run starts from the top, so earlier rules go first. */
export function settle(e: Engine): void {
  for (let firings = 0; ; firings++) {
    const rule = e.halted !== undefined ? undefined : firstDue(e);
    if (rule === undefined) return;
    assert(firings < FIRINGS_MAX, `rules do not settle: ${rule.name}`);
    rule.run(e);
  }
}
