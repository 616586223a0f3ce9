import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { stepName } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext, mayForget } from '../checker.ts';
import { proposeMicros } from '../timing/roundTimeouts.ts';
import { answerMicros, WaitingTime } from '../timing/waitingTime.ts';
import { OwnValidators } from './ownValidators.ts';

interface Place {
  readonly height: number;
  readonly round: number;
}

/** The valid value with which a node entered a round. */
interface Entered extends Place {
  readonly validRound: number;
  readonly validBlock: BlockId | undefined;
}

/** Maps the signature of a proposal to what its signer entered the round with, in the life in which it signed. */
type Proposed = Map<string, Entered>;

/**
 * What a correct validator owes the others: a proposal in each of its turns (L14); in that proposal its valid value, if
 * it has one, with the round of that value's polka (L15, L19); and a prevote and a precommit in every round in which it
 * has passed that step. Missing messages are not judged in scenarios with disk faults, wipes or hard rollbacks.
 */
export function requiredMessages(context: CheckerContext): Checker {
  const name = 'conduct';
  const mayRefuse = mayForget(context);
  const addresses = addressesOf(context);
  const entered = new Map<Process, Entered>();
  /** After its drive lost the valid value, a node may get its own earlier proposal back from peers. */
  const proposed = new Map<Process, Proposed>();
  const seats = new OwnValidators(context);
  const awake = new WaitingTime(context);
  /** Whether the propose timeout may end before the node's own application has made a block. */
  const maySkip = (node: Process, { round }: RoundState): boolean =>
    proposeMicros(context.scenario.engine.consensus, round) < answerMicros(node);
  /** The round in which each node restarted. Its prevote there may be lost although the guard remembers signing it. */
  const revived = new Map<Process, Place>();
  /** The round in which each node was paused. The propose timeout may have ended before the application answered. */
  const paused = new Map<Process, Place>();
  const notePauses = (): void => {
    for (const node of context.world.processes) {
      const rs = node.state === 'paused' ? node.node?.rs() : undefined;
      if (rs !== undefined) paused.set(node, { height: rs.height, round: rs.round });
    }
  };
  const enteredBy = (node: Process, rs: RoundState): Entered => {
    const before = entered.get(node);
    if (before !== undefined && isAt(rs, before)) return before;
    const { height, round, validRound, validBlock } = rs;
    const now = { height, round, validRound, validBlock };
    entered.set(node, now);
    return now;
  };
  const owes = (node: Process, rs: RoundState, own: Bytes): string | undefined =>
    owed(
      rs,
      own,
      seats.indexOf(node, rs),
      isAt(rs, revived.get(node)),
      maySkip(node, rs) || isAt(rs, paused.get(node)),
    );
  const failOn = (node: Process, rs: RoundState, problem: string): void =>
    context.fail(name, `${node.name} at ${rs.height}/${rs.round}, step ${stepName(rs.step)}: ${problem}`);
  return {
    name,
    ...hearing(['started', 'signed', 'fault'], (fact) => {
      if (fact.kind === 'fault') return notePauses();
      const { node } = fact;
      const rs = node.node?.rs();
      if (fact.kind === 'started') {
        awake.forget(node);
        if (rs !== undefined) revived.set(node, { height: rs.height, round: rs.round });
      } else if (fact.ask.kind === 'proposal' && rs !== undefined && isAt(rs, fact.ask)) {
        const kept = newest(proposed.get(node) ?? new Map(), rs.height);
        proposed.set(node, kept.set(toHex(fact.signed.signature), enteredBy(node, rs)));
      }
    }),
    follow(node) {
      const rs = node.node?.rs();
      const own = addresses.get(node);
      if (rs === undefined || own === undefined || !node.isCorrect) return;
      const problem = proposalProblem(rs, own, enteredBy(node, rs), proposed.get(node));
      if (problem !== undefined) failOn(node, rs, problem);
    },
    look(node) {
      if (mayRefuse || !node.isCorrect) return;
      const rs = node.node?.rs();
      const own = addresses.get(node);
      if (rs === undefined || own === undefined) return;
      const isDue = rs.step >= STEP.propose && rs.step < STEP.commit;
      const waited = awake.wait(node, rs, isDue ? owes(node, rs, own) : undefined);
      if (waited !== undefined && waited.micros > answerMicros(node))
        failOn(node, rs, `${waited.what} for ${waited.micros} µs, expected within ${answerMicros(node)} µs`);
    },
  };
}

const isAt = ({ height, round }: RoundState, place: Place | undefined): boolean =>
  place?.height === height && place.round === round;

/** Keeps proposals of this height and later. After a rollback, a node may come to these heights again. */
const newest = (all: Proposed, least: number): Proposed =>
  new Map([...all].filter(([, { height }]) => height >= least));

/** L15 to L19: the node's own proposal agrees with the valid value that it had when it made the proposal. */
function proposalProblem(
  { proposal, proposer, round }: RoundState,
  own: Bytes,
  entered: Entered,
  proposed: Proposed | undefined,
): string | undefined {
  if (proposal === undefined || !equalBytes(proposer.address, own)) return undefined;
  const { polRound, blockId, signature } = proposal;
  const { validRound, validBlock } = proposed?.get(toHex(signature)) ?? entered;
  // The valid value of this very round came after the proposal.
  if (validRound >= round) return undefined;
  if (polRound !== validRound)
    return `proposes with a polka of round ${polRound}, expected ${validRound}, the round of its valid value (L15, L19; -1 is none)`;
  return validBlock === undefined || equalBlockId(validBlock, blockId)
    ? undefined
    : 'proposes another block, should propose its valid one (L15)';
}

/** What the node still owes in the round it has begun; undefined when nothing is missing. */
function owed(
  rs: RoundState,
  own: Bytes,
  index: number,
  isRevived: boolean,
  maySkip: boolean,
): string | undefined {
  const { step, round, proposal, proposer } = rs;
  const isSilent = proposal === undefined && equalBytes(proposer.address, own);
  if (isSilent && !(maySkip && step > STEP.propose))
    return 'has not proposed, though it is the proposer (L14),';
  if (step < STEP.prevote) return undefined;
  if (index < 0) return undefined;
  const mayLack = isRevived && step >= STEP.precommit;
  if (!mayLack && rs.votes(round, 'prevote')?.bits.has(index) !== true)
    return 'has no prevote of its own, though it is past that step,';
  if (step >= STEP.precommit && rs.votes(round, 'precommit')?.bits.has(index) !== true)
    return 'has no precommit of its own, though it is past that step,';
  return undefined;
}
