/** How texts for people name steps and times. */
import { formatSecond } from '../core/codec/timeText.ts';
import { timestampOf } from '../core/types/ids.ts';

/** The steps of a round by their numbers in CometBFT. */
export const STEP_NAMES = [
  'new-height',
  'new-round',
  'propose',
  'prevote',
  'prevote-wait',
  'precommit',
  'precommit-wait',
  'commit',
] as const;

export const stepName = (step: number): string => STEP_NAMES[step - 1] ?? String(step);

const SECOND = 1_000_000;

/** A node's clock in µs since the Unix epoch, as UTC with µs. */
export function timeText(micros: number): string {
  const time = timestampOf(micros);
  return formatSecond(time).replace('Z', `.${String(Math.floor(time.nanos / 1000)).padStart(6, '0')}Z`);
}

/** A time of the run, counted from its start. */
export const secondsText = (micros: number): string => `${(micros / SECOND).toFixed(6)} s`;
