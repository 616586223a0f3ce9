import { equalBlockId } from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Validator } from '../../../core/types/validator.ts';
import type { Process } from '../../machine/process.ts';
import { hearing, type Position } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { signedValue } from '../safety/signedValue.ts';
import { ProposalJudge } from './proposalJudge.ts';

/** Later rounds that are searched for votes of a third of the power. */
const ROUNDS_AHEAD = 8;

/**
 * A correct node moves and votes only as the algorithm (arXiv 1807.04938) allows, judged at that moment by what the
 * node itself holds. It holds only the proposal and parts that belong to its round. It prevotes a block only when the
 * block is whole, valid and, if the proposal claims a polka, has one (L22, L28). It enters another round exactly when
 * L47 or L55 says so.
 */
export function prevotesAndRoundChanges(context: CheckerContext): Checker {
  const name = 'conduct';
  const judge = new ProposalJudge(context);
  const places = new Map<Process, Position>();
  return {
    name,
    ...hearing(['started', 'moved', 'signed', ...ProposalJudge.TOPICS], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      const rs = node.node?.rs();
      judge.see(fact);
      if (fact.kind === 'started') places.delete(node);
      else if (fact.kind === 'moved' && rs !== undefined) {
        const problem = roundProblem(rs, places.get(node));
        places.set(node, fact.position);
        if (problem !== undefined)
          context.fail(name, `${node.name} at ${fact.position.height}/${fact.position.round}: ${problem}`);
      } else if (fact.kind === 'signed' && fact.ask.kind === 'prevote' && rs !== undefined) {
        const { height, round } = fact.ask;
        // The signer answers an earlier question; the node may have moved on since.
        if (rs.height !== height || rs.round !== round || isOvertaken(rs)) return;
        const problem = judge.holding(rs) ?? judge.prevote(node, rs, signedValue(fact.signed.bytes));
        if (problem !== undefined) context.fail(name, `${node.name} at ${height}/${round}: ${problem}`);
      }
    }),
  };
}

/**
 * Another block than the proposed one has a polka or is decided, so the node collects that and has put this one away.
 */
function isOvertaken(rs: RoundState): boolean {
  const polka = rs.votes(rs.round, 'prevote')?.majority();
  const isOther =
    polka !== undefined && rs.proposal !== undefined && !equalBlockId(polka, rs.proposal.blockId);
  return rs.step === STEP.commit || isOther;
}

/** L55: more than a third of the power in a later round takes a node there. Only L47 or L55 may advance its round. */
function roundProblem(rs: RoundState, before: Position | undefined): string | undefined {
  if (rs.step < STEP.commit) {
    for (let round = rs.round + 1; round <= rs.round + ROUNDS_AHEAD; round++) {
      if (isOneThirdIn(rs, round))
        return `stays, should go to round ${round}, where more than a third of the power is (L55)`;
    }
  }
  if (before === undefined || before.height !== rs.height || rs.round <= before.round) return undefined;
  const isNext = rs.round === before.round + 1;
  if (isNext && rs.votes(before.round, 'precommit')?.hasTwoThirdsAny() === true) return undefined;
  // The timeout of newHeight alone starts the first round of a height.
  if (before.step === STEP.newHeight && rs.round === 0) return undefined;
  return isOneThirdIn(rs, rs.round)
    ? undefined
    : `came from round ${before.round} without two thirds of precommits there (L47) or a third of the votes here (L55)`;
}

/** Validators with a prevote or precommit in the round have more than a third of the power. */
export function isOneThirdIn(rs: RoundState, round: number): boolean {
  const [prevotes, precommits] = [rs.votes(round, 'prevote'), rs.votes(round, 'precommit')];
  if (prevotes === undefined && precommits === undefined) return false;
  let power = 0n;
  const { validators } = rs.validators;
  for (let i = 0; i < validators.length; i++)
    if (prevotes?.bits.has(i) === true || precommits?.bits.has(i) === true)
      power += (validators[i] as Validator).power;
  return 3n * power > rs.validators.totalPower;
}
