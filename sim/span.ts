/** The whole numbers from one to another, both included. */
export const span = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
