import { equalBytes } from '../../../core/lib/bytes.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { newest } from '../../newest.ts';
import { hearing } from '../../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext } from '../checker.ts';
import { rotationOf } from './rotation.ts';

interface Place {
  readonly height: number;
  readonly round: number;
}

/**
 * The chain alone determines the proposer of a round (L14). A correct node has the proposer of the rotation, however
 * many rounds it skipped, and asks its signer for proposals only in its own turns.
 */
export function proposerSelection(context: CheckerContext): Checker {
  const name = 'conduct';
  const rotation = rotationOf(context.cluster);
  const addresses = addressesOf(context);
  const proposerOf = newest((height: number, round: number) => rotation.proposer(height, round));
  const places = new Map<Process, Place>();
  const problemOf = (rs: RoundState): string | undefined => {
    const { address, index } = rs.proposer;
    if (!equalBytes(address, proposerOf(rs.height, rs.round)))
      return 'has another proposer than the rotation';
    const seat = rs.validators.validators[index];
    return seat !== undefined && equalBytes(seat.address, address)
      ? undefined
      : `has its proposer in place ${index}`;
  };
  return {
    name,
    ...hearing(['started', 'moved', 'signed'], (fact) => {
      const { node } = fact;
      if (!node.isCorrect) return;
      if (fact.kind === 'started') places.delete(node);
      else if (fact.kind === 'moved') {
        const [rs, before] = [node.node?.rs(), places.get(node)];
        if (rs === undefined || (before?.height === rs.height && before.round === rs.round)) return;
        places.set(node, { height: rs.height, round: rs.round });
        const problem = problemOf(rs);
        if (problem !== undefined)
          context.fail(name, `${node.name} at ${rs.height}/${rs.round}: ${problem} (L14)`);
      } else if (fact.ask.kind === 'proposal') {
        const { height, round } = fact.ask;
        const own = addresses.get(node);
        if (own === undefined || !equalBytes(own, proposerOf(height, round)))
          context.fail(name, `${node.name} at ${height}/${round}: proposes, though it is not its turn (L14)`);
      }
    }),
  };
}
