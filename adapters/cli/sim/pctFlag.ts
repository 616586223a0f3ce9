import { wholeOf } from './scenarioFile.ts';

export const PCT_DEPTH_MAX = 100;

export const PCT_OPTION = [
  '--pct <depth>',
  'with the order of messages that `sim pct` of this depth tries for the seed',
] as const;

export const pctOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : wholeOf('--pct', text, 1, PCT_DEPTH_MAX);

/** The flag as text, for a printed command that repeats the run. */
export const pctArgs = (depth: number | undefined): string => (depth === undefined ? '' : ` --pct ${depth}`);
