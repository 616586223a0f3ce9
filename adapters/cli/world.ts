import { homeOf } from '../config/home.ts';

/** What a command may touch of the process it runs in; tests give another one. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to stdout as it is. */
  out(text: string): void;
  /** Writes to stderr as it is. */
  err(text: string): void;
  /** Whether stderr is a terminal, which may be rewritten. */
  readonly errIsTty?: boolean;
  /** The exit code when nothing is thrown; 0 unless set. */
  exitCode: number;
}

/** Options that every command has. */
export interface GlobalOptions {
  readonly home?: string;
}

/** The home that flag and environment name. */
export const homeFrom = (options: GlobalOptions, world: World): string => homeOf(options.home, world.env);

export const processWorld = (): World => ({
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  errIsTty: process.stderr.isTTY === true,
  exitCode: 0,
});
