import type { ChoiceStream } from '../choices.ts';

/** Picks one of a list; the first is the harmless one. */
export const pick = <T>(stream: ChoiceStream, values: readonly T[]): T =>
  values[stream.choose(values.length)] as T;

export const seconds = (stream: ChoiceStream, low: number, high: number): string =>
  `${stream.between(low, high)}s`;
