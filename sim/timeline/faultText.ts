import type { TimelineEntry } from '../scenario/scenario.ts';

/** What readers of a trace are told about one action. */
export interface Told {
  /** The nodes that it was meant for. */
  readonly hit: readonly string[];
  /** Those of them on which it changed nothing. */
  readonly missed: readonly string[];
  readonly hasEffect: boolean;
}

/** The action as the file says it, whom it hit if that was drawn, and what it did not change. */
export function faultText(entry: TimelineEntry, { hit, missed, hasEffect }: Told): string {
  const { action } = entry;
  const isDrawn = 'target' in action && ['random', 'proposer'].includes(action.target.kind);
  const whom = isDrawn ? `: ${hit.length === 0 ? 'nobody' : hit.join(', ')}` : '';
  return `${nameOf(entry)}${whom}${lackOf(missed, hasEffect)}`;
}

function lackOf(missed: readonly string[], hasEffect: boolean): string {
  if (!hasEffect) return ', no effect';
  return missed.length === 0 ? '' : `, no effect on ${missed.join(', ')}`;
}

/** The action as the file says it, and where. */
export const nameOf = ({ text, line }: TimelineEntry): string => `${text} (${line})`;
