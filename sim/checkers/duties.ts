import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../core/types/block.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import { ANSWER_MICROS, Awake } from './awake.ts';
import { addressesOf, type Checker, type CheckerContext, mayForget } from './checker.ts';
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

/** By the signature of a proposal: what its signer came into the round with, in that very life. */
type Proposed = Map<string, Entered>;

/**
 * What a correct validator owes the others: a proposal in each of its turns (L14), of its valid value where it has one, with
 * the round of that value's polka (L15, L19), and a vote of either kind wherever it has gone past it.
 */
export function duties(context: CheckerContext): Checker {
  const name = 'conduct';
  const mayRefuse = mayForget(context);
  const addresses = addressesOf(context);
  const entered = new Map<Process, Entered>();
  /** Others may give a node back what it has proposed, when its drive has lost what that rested on. */
  const proposed = new Map<Process, Proposed>();
  const seats = new Seats(context);
  const awake = new Awake(context);
  /** Whether the wait for a proposal may end before the node's own application has made one. */
  const maySkip = ({ round }: RoundState): boolean =>
    proposeMicros(context.scenario.engine.consensus, round) < ANSWER_MICROS;
  /** Where each node came to life again: the prevote that it signed there may be lost, and its guard past it. */
  const revived = new Map<Process, Place>();
  /** Where each node was paused: the wait for a proposal may have ended before its application could say a word. */
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
      maySkip(rs) || isAt(rs, paused.get(node)),
    );
  const failOn = (node: Process, rs: RoundState, problem: string): void =>
    context.fail(name, `${node.name} at ${rs.height}/${rs.round}, step ${rs.step}: ${problem}`);
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
      if (waited !== undefined && waited.micros > ANSWER_MICROS)
        failOn(node, rs, `${waited.what} for ${waited.micros} µs`);
    },
  };
}

const isAt = ({ height, round }: RoundState, place: Place | undefined): boolean =>
  place?.height === height && place.round === round;

/** A node of which a height is taken away may come to it again: only what is older than this proposal is over. */
const newest = (all: Proposed, least: number): Proposed =>
  new Map([...all].filter(([, { height }]) => height >= least));

/** L15 to L19: the node's own proposal in this round is what its valid value asked for when it made that. */
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
