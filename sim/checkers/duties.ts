import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../core/types/block.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import { ANSWER_MICROS, Awake } from './awake.ts';
import { addressesOf, type Checker, type CheckerContext, isTolerable, mayForget } from './checker.ts';
import { Seats } from './seats.ts';
import { proposeMicros } from './waits.ts';

interface Place {
  readonly height: number;
  readonly round: number;
}

/** The valid value with which a node came into a round. */
interface Entered extends Place {
  readonly validRound: number;
  readonly validBlock: BlockId | undefined;
}

/**
 * What a correct validator owes the others: a proposal in each of its turns (L14), of its valid value where it has one, with
 * the round of that value's polka (L15, L19), and a vote of either kind wherever it has gone past it.
 */
export function duties(context: CheckerContext): Checker {
  const name = 'conduct';
  if (!isTolerable(context)) return { name };
  const mayRefuse = mayForget(context);
  const addresses = addressesOf(context);
  const entered = new Map<Process, Entered>();
  const seats = new Seats(context);
  const awake = new Awake(context);
  /** Whether the wait for a proposal may end before the node's own application has made one. */
  const maySkip = ({ round }: RoundState): boolean =>
    proposeMicros(context.scenario.engine.consensus, round) < ANSWER_MICROS;
  /** Where each node came to life again: the prevote that it signed there may be lost, and its guard past it. */
  const revived = new Map<Process, Place>();
  const owes = (node: Process, rs: RoundState, own: Bytes): string | undefined =>
    owed(rs, own, seats.indexOf(node, rs), isAt(rs, revived.get(node)), maySkip(rs));
  const failOn = (node: Process, rs: RoundState, problem: string): void =>
    context.fail(name, `${node.name} at ${rs.height}/${rs.round}, step ${rs.step}: ${problem}`);
  return {
    name,
    ...hearing(['started'], (fact) => {
      awake.forget(fact.node);
      const rs = fact.node.node?.rs();
      if (rs !== undefined) revived.set(fact.node, { height: rs.height, round: rs.round });
    }),
    follow(node) {
      const rs = node.node?.rs();
      const own = addresses.get(node);
      if (rs === undefined || own === undefined || !node.isCorrect) return;
      let before = entered.get(node);
      if (before === undefined || !isAt(rs, before)) {
        const { height, round, validRound, validBlock } = rs;
        before = { height, round, validRound, validBlock };
        entered.set(node, before);
      }
      const problem = proposalProblem(rs, own, before);
      if (problem !== undefined) failOn(node, rs, problem);
    },
    look(node) {
      if (mayRefuse || !node.isCorrect) return;
      const rs = node.node?.rs();
      const own = addresses.get(node);
      if (rs === undefined || own === undefined) return;
      const isDue = rs.step >= STEP.propose && rs.step < STEP.commit;
      const waited = awake.wait(node, rs, isDue ? owes(node, rs, own) : undefined);
      if (waited !== undefined && waited.micros > ANSWER_MICROS)
        failOn(node, rs, `${waited.what} for ${waited.micros} µs`);
    },
  };
}

const isAt = ({ height, round }: RoundState, place: Place | undefined): boolean =>
  place?.height === height && place.round === round;

/** L15 to L19: the node's own proposal in this round is what its valid value asks for. */
function proposalProblem(
  { proposal, proposer, round }: RoundState,
  own: Bytes,
  { validRound, validBlock }: Entered,
): string | undefined {
  if (proposal === undefined || !equalBytes(proposer.address, own)) return undefined;
  const { polRound, blockId } = proposal;
  // The valid value of this very round came after the proposal.
  if (validRound >= round) return undefined;
  if (polRound !== validRound)
    return `proposes with a polka of round ${polRound}, valid value of round ${validRound}`;
  return validBlock === undefined || equalBlockId(validBlock, blockId)
    ? undefined
    : 'proposes another block than its valid one';
}

/** What the node still has to say in a round that it has begun; undefined when it has said all. */
function owed(
  rs: RoundState,
  own: Bytes,
  index: number,
  isRevived: boolean,
  maySkip: boolean,
): string | undefined {
  const { step, round, proposal, proposer } = rs;
  const isSilent = proposal === undefined && equalBytes(proposer.address, own);
  if (isSilent && !(maySkip && step > STEP.propose)) return 'has not proposed in its turn';
  if (step < STEP.prevote) return undefined;
  if (index < 0) return undefined;
  const mayLack = isRevived && step >= STEP.precommit;
  if (!mayLack && rs.votes(round, 'prevote')?.bits.has(index) !== true)
    return 'has not prevoted where it is past that';
  if (step >= STEP.precommit && rs.votes(round, 'precommit')?.bits.has(index) !== true)
    return 'has not precommitted where it is past that';
  return undefined;
}
