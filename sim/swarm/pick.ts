import type { ChoiceStream, Choices } from '../world/choices.ts';

/** Picks one of a list; the first is the harmless one. */
export const pick = <T>(stream: ChoiceStream, values: readonly T[]): T =>
  values[stream.choose(values.length)] as T;

/** Whether something is there that is so in one world of so many. */
export type Rarely = (stream: ChoiceStream, oneIn: number) => boolean;

/** Half of the worlds are calm; in the others what is rare is two or three times as often there, and meets what is as rare. */
export function drawTemper(choices: Choices): Rarely {
  const often = pick(choices.stream('temper'), [1, 1, 2, 3]);
  return (stream, oneIn) => stream.choose(oneIn) >= oneIn - often;
}

export const seconds = (stream: ChoiceStream, low: number, high: number): string =>
  `${stream.between(low, high)}s`;
