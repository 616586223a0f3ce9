import { equalBytes } from '../../../core/lib/bytes.ts';
import {
  type BlockId,
  equalBlockId,
  equalPartSetHeader,
  isZeroBlockId,
  type PartSetHeader,
} from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import type { Schedule } from '../../schedule.ts';
import { stepName } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, mayForget } from '../checker.ts';
import { answerMicros, WaitingTime } from '../timing/waitingTime.ts';
import { OwnValidators } from './ownValidators.ts';
import { isOneThirdIn } from './prevotesAndRoundChanges.ts';

/** Later rounds that are searched for votes of a third of the power. */
const ROUNDS_AHEAD = 3;
/** Later rounds that one peer may open with its votes: CometBFT's catch-up rounds, and one that it says decided. */
const ROUNDS_OF_A_PEER = 3;

/**
 * A correct node rests only when no clause of the algorithm (arXiv 1807.04938) is left to follow. It does what a clause
 * asks for in the very step that makes the condition true, or soon after where signer or application must answer first.
 * Everything it holds belongs to its round. Written from the paper, apart from core/consensus/rules.ts.
 */
export function uponRules(context: CheckerContext): Checker {
  const name = 'conduct';
  const awake = new WaitingTime(context);
  const seats = new OwnValidators(context);
  /** The height and round in which the node, at the last look, had precommitted and was not yet in precommit-wait. */
  const precommitted = new Map<Process, string | undefined>();
  const isLogWhole = !mayForget(context);
  const peers = context.world.processes.length - 1;
  const { schedule } = context.cluster;
  const failOn = (node: Process, rs: RoundState, problem: string): void =>
    context.fail(name, `${node.name} at ${rs.height}/${rs.round}, step ${stepName(rs.step)}: ${problem}`);
  return {
    name,
    ...hearing(['started', 'vote'], (fact) => {
      if (fact.kind === 'started') awake.forget(fact.node);
      else if (fact.node.isCorrect) {
        const { vote } = fact.event;
        const problem = voteProblem(vote, fact.node.node?.rs(), schedule);
        if (problem !== undefined)
          context.fail(name, `${fact.node.name} at ${vote.height}/${vote.round}: counts ${problem}`);
      }
    }),
    follow(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      // A node that lost its log may learn its own prevote from others without having judged the block in this life.
      const own = isLogWhole || node.lives === 1 ? seats.indexOf(node, rs) : -1;
      const broken =
        heldProblem(rs, peers) ??
        restProblem(rs) ??
        judgedProblem(rs, own) ??
        waitProblem(rs, precommitted.get(node));
      precommitted.set(node, isPrecommitted(rs) ? placeOf(rs) : undefined);
      if (broken !== undefined) failOn(node, rs, broken);
    },
    look(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const waited = awake.wait(node, rs, waitingFor(rs));
      if (waited !== undefined && waited.micros > answerMicros(node))
        failOn(node, rs, `${waited.what} for ${waited.micros} µs, expected within ${answerMicros(node)} µs`);
    },
  };
}

/** Problems that no counted vote may have. Another checker verifies signatures. */
function voteProblem(vote: Vote, rs: RoundState | undefined, schedule: Schedule): string | undefined {
  if (vote.extension.length > 0 || vote.extensionSignature.length > 0)
    return 'a vote with an extension, which this chain does not have';
  const voter = schedule.voters(vote.height)[vote.validatorIndex];
  if (voter === undefined || !equalBytes(voter.address, vote.validatorAddress))
    return `a vote with the index ${vote.validatorIndex} of another validator`;
  // The event reports when the vote was taken. By now the node may be past the height, and then nothing can be said.
  const last = rs?.step === STEP.newHeight ? rs.lastPrecommits : undefined;
  const isLate = vote.type === 'precommit' && vote.height === last?.height && vote.round === last.round;
  return isLate && last.vote(vote.validatorIndex) === undefined
    ? 'a late precommit of the last height that it does not keep'
    : undefined;
}

/** The value with a polka in that round; the zero id stands for nil. */
const polkaOf = (rs: RoundState, round: number): BlockId | undefined =>
  rs.votes(round, 'prevote')?.majority();

/** The block with a polka in the node's round. */
function blockPolka(rs: RoundState): BlockId | undefined {
  const id = polkaOf(rs, rs.round);
  return id === undefined || isZeroBlockId(id) ? undefined : id;
}

/** The block with more than two thirds of the precommits of that round. */
function commitIn(rs: RoundState, round: number): BlockId | undefined {
  const id = rs.votes(round, 'precommit')?.majority();
  return id === undefined || isZeroBlockId(id) ? undefined : id;
}

/** Whether the node is collecting exactly this part set. */
const isCollecting = (rs: RoundState, parts: PartSetHeader): boolean =>
  rs.proposalParts !== undefined && equalPartSetHeader(rs.proposalParts.header, parts);

/** States that a correct node with so many peers can never be in. */
function heldProblem(rs: RoundState, peers: number): string | undefined {
  const { lockedRound, validRound, lockedBlock, validBlock, round } = rs;
  const rounds = rs.held.rounds;
  if (rounds > round + 2 + ROUNDS_OF_A_PEER * peers)
    return `holds votes of ${rounds} rounds, expected at most ${round + 2 + ROUNDS_OF_A_PEER * peers}`;
  if (lockedRound > round || validRound > round)
    return `has a lock of round ${lockedRound} and a valid value of round ${validRound}, should have none of a later round`;
  if (lockedRound >= 0 !== (lockedBlock !== undefined))
    return 'has a locked round without a locked block, or a locked block without a round';
  if (validRound >= 0 !== (validBlock !== undefined))
    return 'has a valid round without a valid block, or a valid block without a round';
  // L38 to L43: locking a block also sets the valid value, and later only the valid value may become newer.
  if (lockedRound > validRound)
    return `is locked in round ${lockedRound}, should have a valid value at least as new, and has one of round ${validRound} (L38 to L43)`;
  if (lockedRound >= 0 && lockedRound === validRound && !isSame(lockedBlock, validBlock))
    return 'is locked on another block than its valid one of the same round';
  if (validRound >= 0 && !isSame(polkaOf(rs, validRound), validBlock))
    return `has a valid value of round ${validRound} without a polka for it there`;
  return undefined;
}

const isSame = (a: BlockId | undefined, b: BlockId | undefined): boolean =>
  a !== undefined && b !== undefined && equalBlockId(a, b);

/** A clause that applies although the node is at rest. None of these needs an answer from signer or application. */
function restProblem(rs: RoundState): string | undefined {
  const { step, round, commitRound } = rs;
  if (step === STEP.commit) {
    const decided = commitRound < 0 ? undefined : commitIn(rs, commitRound);
    if (decided === undefined) return 'commits a block without two thirds of precommits';
    return isCollecting(rs, decided.parts)
      ? againProblem(rs, decided)
      : 'does not collect the parts of the block that was decided';
  }
  for (let at = 0; at <= round + 1; at++)
    if (commitIn(rs, at) !== undefined)
      return `goes on, should commit: two thirds of the precommits of round ${at} are for a block (L49)`;
  for (let at = round + 1; at <= round + ROUNDS_AHEAD; at++)
    if (isOneThirdIn(rs, at))
      return `stays, should go to round ${at}, where more than a third of the power is (L55)`;
  const polka = polkaOf(rs, round);
  if (polka !== undefined && isZeroBlockId(polka) && isPrevoting(rs))
    return 'does not precommit nil, should: there is a polka for nil (L44)';
  if (step === STEP.newRound && round > 0)
    return 'waits for transactions to propose, should propose at once in every round but 0 (L11)';
  if (step === STEP.propose && isLockedOut(rs))
    return 'does not prevote nil, should: it is locked on another block than the proposed one (L26, L32)';
  if (step === STEP.prevote && rs.votes(round, 'prevote')?.hasTwoThirdsAny() === true)
    return 'does not start the timeout for the last prevotes, should: it has two thirds of any (L34)';
  if (!rs.held.precommitTimer && rs.votes(round, 'precommit')?.hasTwoThirdsAny() === true)
    return 'does not start the timeout for the last precommits, should: it has two thirds of any (L47)';
  return collectingProblem(rs);
}

const placeOf = ({ height, round }: RoundState): string => `${height}/${round}`;

/** The node has precommitted and does not yet see two thirds of any precommits. */
const isPrecommitted = ({ step, held }: RoundState): boolean =>
  step === STEP.precommit && !held.precommitTimer;

/** A node that only waits for the remaining precommits enters the precommit-wait step, and tells its peers so. */
const waitProblem = (rs: RoundState, before: string | undefined): string | undefined =>
  before === placeOf(rs) && rs.step === STEP.precommit && rs.held.precommitTimer
    ? 'waits for the last precommits, should then go to step precommit-wait'
    : undefined;

const isPrevoting = ({ step }: RoundState): boolean => step === STEP.prevote || step === STEP.prevoteWait;

/**
 * Whether the lock rules the proposed block out, whatever it is: the lock is on another block and newer than the
 * proposal's POL. The node need not see the block to know this.
 */
function isLockedOut(rs: RoundState): boolean {
  const { proposal, lockedRound, lockedBlock } = rs;
  if (proposal === undefined || lockedRound < 0 || isSame(lockedBlock, proposal.blockId)) return false;
  const { polRound, blockId } = proposal;
  return lockedRound > polRound && (polRound < 0 || isSame(polkaOf(rs, polRound), blockId));
}

/** The node collects the block with a polka in its round, else the proposed block, else none. */
function collectingProblem(rs: RoundState): string | undefined {
  const wanted = blockPolka(rs) ?? rs.proposal?.blockId;
  if (wanted === undefined)
    return rs.proposalParts === undefined
      ? undefined
      : 'collects a block that was neither proposed nor has a polka in this round';
  return isCollecting(rs, wanted.parts)
    ? againProblem(rs, wanted)
    : 'does not collect the block of this round, the one with a polka or else the proposed one';
}

/** A wanted block that is the locked or valid one is at hand at once. */
function againProblem(rs: RoundState, wanted: BlockId): string | undefined {
  const isHeld = isSame(wanted, rs.lockedBlock) || isSame(wanted, rs.validBlock);
  return isHeld && rs.proposalBlock === undefined
    ? 'collects anew a block that it holds as its locked or valid one'
    : undefined;
}

/** A block that the node has prevoted and still holds is known to be valid, so L36 and L42 need no further question. */
function judgedProblem(rs: RoundState, own: number): string | undefined {
  const id = blockPolka(rs);
  if (
    id === undefined ||
    own < 0 ||
    rs.validRound === rs.round ||
    rs.step < STEP.prevote ||
    rs.step === STEP.commit
  )
    return undefined;
  // A block of an earlier round makes room for the next one, unless it had a polka.
  const isKept = isSame(id, rs.lockedBlock) || isSame(id, rs.validBlock);
  for (let at = isKept ? 0 : rs.round; at <= rs.round; at++)
    if (isSame(rs.votes(at, 'prevote')?.vote(own)?.blockId, id))
      return 'does not have a block as valid that it has prevoted and that has a polka (L36, L42)';
  return undefined;
}

/** What the node must do by itself soon; undefined when nothing is due. */
function waitingFor(rs: RoundState): string | undefined {
  const { step, round, proposalBlock: block } = rs;
  if (step === STEP.commit)
    return block === undefined ? undefined : 'has not executed the decided block, which it holds (L51),';
  if (step === STEP.propose && block !== undefined && isProposable(rs))
    return 'has not prevoted, though it has the whole proposal (L22, L28),';
  const isHeld = blockPolka(rs) !== undefined && block !== undefined;
  if (isHeld && isPrevoting(rs))
    return 'has not precommitted the block, which it holds and which has a polka (L36),';
  if (isHeld && step > STEP.prevoteWait && rs.validRound !== round)
    return 'does not have the block as valid, which it holds and which has a polka (L42),';
  return undefined;
}

/** L22 and L28: the node has the whole proposal, with its POL. */
function isProposable(rs: RoundState): boolean {
  const { proposal } = rs;
  if (proposal === undefined || !isCollecting(rs, proposal.blockId.parts)) return false;
  // A Byzantine proposer sends several proposals. The node then collects the one with a polka, perhaps of the same
  // parts.
  const polka = blockPolka(rs);
  if (polka !== undefined && !isSame(polka, proposal.blockId)) return false;
  return proposal.polRound < 0 || isSame(polkaOf(rs, proposal.polRound), proposal.blockId);
}
