import { basename } from 'node:path';
import { withCrypto } from '../../../sim/scenario/withCrypto.ts';
import { OperatingError } from '../../operatingError.ts';
import { cryptoArgs, cryptoOf } from './cryptoFlag.ts';
import { pctArgs, pctOf } from './pctFlag.ts';
import { quoted, readScenarioFile, seedOf } from './scenarioFile.ts';

/** The scenario that a command works on: from a file, or generated for a seed by --swarm. */
export interface Source {
  /** The name used in messages. */
  readonly name: string;
  readonly text: string;
  /** The file as it is, for line numbers; undefined for a world that was drawn. */
  readonly written: string | undefined;
  readonly seed: string | undefined;
  /** Depth for `sim pct`; undefined means random delays. */
  readonly pct: number | undefined;
  /** Command-line arguments that name this source again. */
  args(seed: string): string;
  /** File name for a smaller scenario. */
  smaller(seed: string): string;
}

export async function sourceOf(
  file: string | undefined,
  flags: {
    readonly seed?: string;
    readonly swarm?: boolean;
    readonly crypto?: string;
    readonly pct?: string;
  },
): Promise<Source> {
  const crypto = cryptoOf(flags.crypto);
  const settled = (text: string): string => (crypto === undefined ? text : withCrypto(text, crypto));
  const pct = pctOf(flags.pct);
  const more = `${cryptoArgs(crypto)}${pctArgs(pct)}`;
  const seed = flags.seed === undefined ? undefined : seedOf(flags.seed);
  if (flags.swarm !== true) {
    if (file === undefined) throw new OperatingError('expected a scenario file, or --swarm with --seed');
    const written = readScenarioFile(file);
    return {
      name: file,
      text: settled(written),
      written,
      seed,
      pct,
      args: (used) => `${quoted(file)} --seed ${used}${more}`,
      smaller: () => `${basename(file).replace(/\.ya?ml$/, '')}.min.yaml`,
    };
  }
  if (file !== undefined) throw new OperatingError(`--swarm takes no file, found ${file}`);
  if (seed === undefined) throw new OperatingError('--swarm: expected --seed, from which the world is drawn');
  const { drawSwarm } = await import('../../../sim/swarm/draw.ts');
  return {
    name: 'swarm',
    text: settled(drawSwarm(seed)),
    written: undefined,
    seed,
    pct,
    args: (used) => `--swarm --seed ${used}${more}`,
    smaller: (used) => `swarm-${used}.min.yaml`,
  };
}
