import { run } from '../../adapters/cli/main.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process; what it would print is in the answer. */
export async function runCli(...args: readonly string[]): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await run(args, {
    env: {},
    exitCode: 0,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}
