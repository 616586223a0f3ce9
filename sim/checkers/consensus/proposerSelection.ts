import { type Bytes, equalBytes, to0xHex } from '../../../core/lib/bytes.ts';
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
  const nameOf = (address: Bytes): string =>
    context.cluster.members.find((one) => equalBytes(one.address, address))?.name ?? to0xHex(address);
  const problemOf = (rs: RoundState): string | undefined => {
    const { address, index } = rs.proposer;
    const due = proposerOf(rs.height, rs.round);
    if (!equalBytes(address, due)) return `has ${nameOf(address)} as proposer, should have ${nameOf(due)}`;
    const seat = rs.validators.validators[index];
    return seat !== undefined && equalBytes(seat.address, address)
      ? undefined
      : `has its proposer at index ${index} of the validators, where another stands`;
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
          context.fail(
            name,
            `${node.name} at ${height}/${round}: proposes, should leave it to ${nameOf(proposerOf(height, round))} (L14)`,
          );
      }
    }),
  };
}
