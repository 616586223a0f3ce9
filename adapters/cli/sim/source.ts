import { basename } from 'node:path';
import { withCrypto } from '../../../sim/scenario/withCrypto.ts';
import { OperatingError } from '../../operatingError.ts';
import { cryptoArgs, cryptoOf } from './cryptoFlag.ts';
import { quoted, readScenarioFile, seedOf } from './scenarioFile.ts';

/** The world that a command works on: a scenario file, or what a swarm draws for a seed. */
export interface Source {
  /** For messages. */
  readonly name: string;
  readonly text: string;
  readonly seed: string | undefined;
  /** The arguments that name it again. */
  args(seed: string): string;
  /** Where a smaller scenario for a seed may go. */
  smaller(seed: string): string;
}

export async function sourceOf(
  file: string | undefined,
  flags: { readonly seed?: string; readonly swarm?: boolean; readonly crypto?: string },
): Promise<Source> {
  const crypto = cryptoOf(flags.crypto);
  const settled = (text: string): string => (crypto === undefined ? text : withCrypto(text, crypto));
  const more = cryptoArgs(crypto);
  const seed = flags.seed === undefined ? undefined : seedOf(flags.seed);
  if (flags.swarm !== true) {
    if (file === undefined) throw new OperatingError('expected a scenario file, or --swarm with --seed');
    return {
      name: file,
      text: settled(readScenarioFile(file)),
      seed,
      args: (used) => `${quoted(file)} --seed ${used}${more}`,
      smaller: () => `${basename(file).replace(/\.ya?ml$/, '')}.min.yaml`,
    };
  }
  if (file !== undefined || seed === undefined)
    throw new OperatingError('--swarm draws the world from --seed and takes no file');
  const { drawSwarm } = await import('../../../sim/swarm/draw.ts');
  return {
    name: 'swarm',
    text: settled(drawSwarm(seed)),
    seed,
    args: (used) => `--swarm --seed ${used}${more}`,
    smaller: (used) => `swarm-${used}.min.yaml`,
  };
}
