import { homeOf } from '../config/home.ts';

/** The parts of the process that a command may use; tests replace it. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the text to stdout unchanged. */
  out(text: string): void;
  /** Writes the text to stderr unchanged. */
  err(text: string): void;
  /** Whether stderr is a terminal, whose lines can be rewritten. */
  readonly errIsTty?: boolean;
  /** Its width now, if it is a terminal that has one. */
  readonly errColumns?: number | undefined;
  /** Exit code if nothing is thrown; default 0. */
  exitCode: number;
}

/** Options that every command has. */
export interface GlobalOptions {
  readonly home?: string;
}

/** The home folder from flag or environment. */
export const homeFrom = (options: GlobalOptions, world: World): string => homeOf(options.home, world.env);

export const processWorld = (): World => ({
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  errIsTty: process.stderr.isTTY === true,
  get errColumns() {
    return process.stderr.columns || undefined;
  },
  exitCode: 0,
});
