import type { ScenarioReport } from '../../../sim/report.ts';
import { OperatingError } from '../../operatingError.ts';

export interface Trace {
  readonly head: { readonly scenario: string; readonly seed?: string };
  /** The happenings, still as JSON. */
  readonly lines: readonly string[];
  /** undefined when the run was killed before its end. */
  readonly report: ScenarioReport | undefined;
}

/** Reads what TraceFile wrote. */
export function readTrace(file: string, text: string): Trace {
  const lines = text.split('\n').filter((line) => line !== '');
  const head = parsed(lines[0]);
  if (head?.['kind'] !== 'scenario' || typeof head['scenario'] !== 'string')
    throw new OperatingError(`${file} is not a trace; npx orrery sim run FILE --trace TRACE writes one`);
  const last = parsed(lines[lines.length - 1]);
  const isWhole = last?.['kind'] === 'report';
  return {
    head: head as unknown as Trace['head'],
    // Half a line, where the run was killed, tells nothing.
    lines: lines.slice(1, isWhole || last === undefined ? -1 : undefined),
    report: isWhole ? (last['report'] as ScenarioReport) : undefined,
  };
}

function parsed(line: string | undefined): Record<string, unknown> | undefined {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}
