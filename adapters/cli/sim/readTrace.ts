import type { ScenarioReport } from '../../../sim/report.ts';
import { isSeed } from '../../../sim/scenario/seed.ts';
import { OperatingError } from '../../operatingError.ts';

export interface Trace {
  readonly head: { readonly scenario: string; readonly seed?: string; readonly pct?: number };
  /** The events, each as JSON text. */
  readonly lines: readonly string[];
  /** undefined if the run was killed before its end. */
  readonly report: ScenarioReport | undefined;
}

/** Line number in the file of the event with this index. Line 1 is the head. */
export const lineOfFile = (index: number): number => index + 2;

/** Parses the output of TraceFile. */
export function readTrace(file: string, text: string): Trace {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const head = parsed(lines[0]);
  if (head?.['kind'] !== 'scenario' || typeof head['scenario'] !== 'string' || !isChoice(head))
    throw new OperatingError(`${file} is not a trace; npx orrery sim run FILE --trace TRACE writes one`);
  const last = lines.length > 1 ? parsed(lines.at(-1)) : head;
  const isWhole = last?.['kind'] === 'report';
  // If the run was killed, the last line may be incomplete and is ignored.
  const happenings = lines.slice(1, isWhole || last === undefined ? -1 : undefined);
  for (const [i, line] of happenings.entries()) {
    const { t, n, kind } = parsed(line) ?? {};
    if (typeof t !== 'number' || typeof n !== 'number' || typeof kind !== 'string')
      throw new OperatingError(`${file}:${lineOfFile(i)}: not a line of a trace`);
  }
  return {
    head: head as unknown as Trace['head'],
    lines: happenings,
    report: isWhole ? reportOf(last, `${file}:${lines.length}`) : undefined,
  };
}

/** The first line may name a seed and a depth of the search for an order of messages. */
const isChoice = ({ seed, pct }: Record<string, unknown>): boolean =>
  (seed === undefined || isSeed(String(seed))) && (pct === undefined || Number.isSafeInteger(pct));

/** Checks what the page goes through, so that an edited line is refused by its number. */
function reportOf({ report }: Record<string, unknown>, place: string): ScenarioReport {
  const lists = ['nodes', 'failures', 'forks', 'neverHappened', 'notJudged'] as const;
  const members = Object(report) as Record<string, unknown>;
  if (lists.every((key) => Array.isArray(members[key]))) return report as ScenarioReport;
  throw new OperatingError(`${place}: not the report of a run`);
}

function parsed(line: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = line === undefined ? undefined : JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
