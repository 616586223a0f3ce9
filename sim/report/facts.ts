import type { ScenarioReport } from '../report.ts';

/** What readers must know beside the verdict, a line each. */
export const factsOf = (report: ScenarioReport): readonly string[] => [
  ...report.nodes.flatMap(({ name, haltReason }) =>
    haltReason === undefined ? [] : [`halted: ${name}: ${haltReason}`],
  ),
  ...report.forks.map((fork) => `forked at ${fork}`),
  ...report.neverHappened.map((entry) => `never happened: ${entry}`),
  ...unjudgedLines(report),
];

/** Expectations of the scenario itself are listed apart from standing promises. One line for each reason. */
function unjudgedLines({ notJudged }: ScenarioReport): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const { promise, why, isNamed } of notJudged) {
    const head = `${isNamed ? 'expected and ' : ''}not judged, as ${why}`;
    lines.set(head, [...(lines.get(head) ?? []), promise]);
  }
  return [...lines].map(([head, promises]) => `${head}: ${promises.join(', ')}`);
}
