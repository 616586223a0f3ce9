import type { ChoiceStream, Choices } from '../world/choices.ts';

/** Picks one of a list. The first is the harmless one. */
export const pick = <T>(stream: ChoiceStream, values: readonly T[]): T =>
  values[stream.choose(values.length)] as T;

/** Whether something holds that holds in one world of `oneIn`. */
export type Rarely = (stream: ChoiceStream, oneIn: number) => boolean;

/** Half of the worlds are calm. In the others rare things are two or three times as frequent, so that they meet. */
export function drawTemper(choices: Choices): Rarely {
  const often = pick(choices.stream('temper'), [1, 1, 2, 3]);
  return (stream, oneIn) => stream.choose(oneIn) >= oneIn - often;
}

export const seconds = (stream: ChoiceStream, low: number, high: number): string =>
  `${stream.between(low, high)}s`;
