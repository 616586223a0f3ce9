/** One measured value; a bench prints as many as it likes. */
export interface Figure {
  /** Name of the bench: its file without `.ts`. */
  readonly bench: string;
  readonly metric: string;
  readonly value: number;
  /** `tx/s`, `ms`, `MiB`, `virtual s/s`, … */
  readonly unit: string;
  /** What it is compared with, e.g. `anvil 1.7.1` or `goal 1500`; empty for none. */
  readonly vs?: string;
  /** value over the yardstick's value; null without a yardstick. */
  readonly ratio?: number;
}

export type Print = (figure: Figure) => void;

/** What every bench/NAME.ts exports. */
export interface Bench {
  run(print: Print, args: readonly string[]): Promise<void>;
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** The one JSON line of a figure. */
export const figureLine = (figure: Figure): string =>
  JSON.stringify({
    bench: figure.bench,
    metric: figure.metric,
    value: rounded(figure.value),
    unit: figure.unit,
    vs: figure.vs ?? '',
    ratio: figure.ratio === undefined ? null : rounded(figure.ratio),
  });
