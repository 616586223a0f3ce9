import { FAILURES_MAX, type ScenarioReport } from '../../../sim/report.ts';
import { causeOf } from '../../../sim/sweep/cause.ts';
import { secondsText } from './scenarioFile.ts';

/**
 * The broken promises for people, the earliest first. One bug often breaks a promise again and again, so only the first of
 * each cause is written out, and the others are counted.
 */
export function brokenLines({ failures, nodes }: ScenarioReport): readonly string[] {
  const names = nodes.map(({ name }) => name);
  const firsts = new Map<string, { line: string; more: number }>();
  for (const failure of failures) {
    const { checker, message, at } = failure;
    const key = `${checker}\n${causeOf(failure, names)}`;
    const first = firsts.get(key);
    if (first !== undefined) first.more++;
    else
      firsts.set(key, {
        line: `broken: ${checker} at ${secondsText(at)} s: ${message}`,
        more: 0,
      });
  }
  const lines = [...firsts.values()].map(({ line, more }) =>
    more === 0 ? line : `${line}\n    and ${more} more like it`,
  );
  return failures.length < FAILURES_MAX
    ? lines
    : [...lines, `(only the first ${FAILURES_MAX} broken promises are counted)`];
}
