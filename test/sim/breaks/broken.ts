import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { runScenario } from '../../../sim/run.ts';
import type { shrinkScenario } from '../../../sim/shrink/shrink.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** One line of the project, changed for the worse. */
export interface Break {
  readonly id: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Checkers of which one must fire first. */
  readonly found: readonly string[];
  readonly scenario: string;
  /** First seed that shows it; default 1. */
  readonly seed?: number;
  /** Takes seconds to show, or is much like another: tried by `npm run campaign` and try.ts, not by every `npm test`. */
  readonly isSlow?: boolean;
}

interface BrokenSim {
  readonly runScenario: typeof runScenario;
  readonly shrinkScenario: typeof shrinkScenario;
}

/** The simulator and the core below it with one line changed while they are bundled, in a file; the sources stay as they are. */
export async function brokenBundle({ id, file, from, to }: Break): Promise<string> {
  const victim = path.join(root, file);
  const text = readFileSync(victim, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${id}: ${file} does not hold this once: ${from}`);
  // Inside the checkout, so that packages are found.
  const folder = path.join(root, '.cache', 'breaks');
  mkdirSync(folder, { recursive: true });
  const outfile = path.join(folder, `${id}-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: `export { runScenario } from './sim/run.ts'; export { shrinkScenario } from './sim/shrink/shrink.ts';`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    plugins: [
      {
        name: 'break',
        setup(builder) {
          // The victim alone: the bundler reads every other file by itself, which is faster.
          builder.onLoad({ filter: new RegExp(`${path.basename(victim).replace('.', '\\.')}$`) }, (args) =>
            args.path === victim ? { contents: text.replace(from, () => to), loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  return outfile;
}

/** The same, loaded here. What is loaded stays for as long as the process: many are better tried by a runner (runner.ts). */
export async function brokenSim(one: Break): Promise<BrokenSim> {
  const outfile = await brokenBundle(one);
  try {
    return (await import(pathToFileURL(outfile).href)) as BrokenSim;
  } finally {
    rmSync(outfile, { force: true });
  }
}
