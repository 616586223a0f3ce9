import { STEP } from '../../../core/types/messages.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { hasOddClocks, isEmpty, SLACK_MICROS } from './earlyTimeouts.ts';
import { precommitMicros } from './roundTimeouts.ts';

interface Round {
  readonly height: number;
  readonly round: number;
  /** Since when two thirds of any precommits are there, in this life. */
  armedAt: number | undefined;
}

/**
 * A node enters the next round, if nobody is there yet, only when the precommit timeout after two thirds of any
 * precommits is over (L47, L65). Not judged with faulty clocks or drives.
 */
export function precommitWait(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  if (hasOddClocks(scenario)) return { name };
  const seen = new Map<Process, Round>();
  return {
    name,
    ...hearing(['started'], (fact) => {
      seen.delete(fact.node);
    }),
    follow(node) {
      const rs = node.isCorrect ? node.node?.rs() : undefined;
      if (rs === undefined) return;
      const { height, round, held } = rs;
      const before = seen.get(node);
      const isArmed = held.precommitTimer;
      if (before?.height === height && before.round === round) {
        if (isArmed) before.armedAt ??= world.now;
        return;
      }
      seen.set(node, { height, round, armedAt: isArmed ? world.now : undefined });
      if (before?.height !== height || round !== before.round + 1) return;
      if (rs.step >= STEP.commit || !isEmpty(rs, round)) return;
      const waited = before.armedAt === undefined ? 0 : world.now - before.armedAt;
      const least = precommitMicros(scenario.engine.consensus, before.round);
      if (waited + SLACK_MICROS >= least) return;
      context.fail(
        name,
        `${node.name} leaves round ${height}/${before.round} ${waited} µs after two thirds of precommits, should wait ${least} µs`,
      );
    },
  };
}
