import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import { type Checker, type CheckerContext, mayForget } from './checker.ts';
import { signedValue } from './signedValue.ts';

/** Which lock and valid value a node was last seen with in this life. */
interface Held {
  readonly height: number;
  readonly lockedRound: number;
  readonly validRound: number;
}

/**
 * A correct node keeps what it holds: within a height lock and valid value only get newer (L36 to L43 are the only lines that
 * change them), and whoever precommits a block is locked on it since that very round (L38 to L40).
 */
export function holdings(context: CheckerContext): Checker {
  const name = 'conduct';
  const isLogWhole = !mayForget(context);
  const seen = new Map<Process, Held>();
  return {
    name,
    ...hearing(['started', 'signed'], (fact) => {
      if (fact.kind === 'started') {
        seen.delete(fact.node);
        return;
      }
      if (!fact.node.isCorrect || fact.ask.kind !== 'precommit' || !isLogWhole) return;
      const { height, round, bytes } = fact.ask;
      const rs = fact.node.node?.rs();
      if (rs?.height !== height || signedValue(bytes) === undefined || rs.lockedRound >= round) return;
      context.fail(
        name,
        `${fact.node.name} at ${height}/${round}: precommits a block, its lock is of round ${rs.lockedRound} (L39)`,
      );
    }),
    follow(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const before = seen.get(node);
      const { height, lockedRound, validRound } = rs;
      if (before?.height === height && before.lockedRound === lockedRound && before.validRound === validRound)
        return;
      seen.set(node, { height, lockedRound, validRound });
      if (before?.height !== height) return;
      if (lockedRound < before.lockedRound || validRound < before.validRound)
        context.fail(
          name,
          `${node.name} at ${height}/${rs.round}: lock and valid value went from rounds ${before.lockedRound} and ${before.validRound} back to ${lockedRound} and ${validRound}`,
        );
    },
  };
}
