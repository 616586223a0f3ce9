import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/**
 * A node in block sync does not announce where it stands, because that height may be decided long since, and its
 * consensus takes in neither votes nor blocks.
 */
export function silentWhileSyncing({ fail }: CheckerContext): Checker {
  const name = 'conduct';
  return {
    name,
    ...hearing(['roundStateSaid', 'claimSaid', 'vote', 'completeProposal'], (fact) => {
      if (fact.kind === 'roundStateSaid' || fact.kind === 'claimSaid') {
        const { node } = fact;
        if (node.isCorrect && node.node?.isSyncing() === true)
          fail(
            name,
            `${node.name} says its round and step (NewRoundStep) while it fetches blocks, expected only when it takes part in consensus`,
          );
      } else {
        const { node } = fact;
        if (node.isCorrect && node.node?.isSyncing() === true)
          fail(name, `${node.name} takes in a ${fact.event.kind} while it fetches blocks, should ignore it`);
      }
    }),
  };
}
