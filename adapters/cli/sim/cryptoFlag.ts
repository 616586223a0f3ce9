import type { EngineSpec } from '../../../sim/scenario/chainSpecs.ts';
import { OperatingError } from '../../operatingError.ts';

export type CryptoScheme = EngineSpec['crypto'];

export const CRYPTO_OPTION = [
  '--crypto <scheme>',
  'ed25519 or keyed-hash, instead of what the scenario says',
] as const;

/** The scheme named by `--crypto`; undefined means that of the scenario. */
export function cryptoOf(text: string | undefined): CryptoScheme | undefined {
  if (text === undefined || text === 'ed25519' || text === 'keyed-hash') return text;
  throw new OperatingError(`--crypto: expected ed25519 or keyed-hash, found ${text}`);
}

/** The flag as text, for a printed command that repeats the run. */
export const cryptoArgs = (crypto: CryptoScheme | undefined): string =>
  crypto === undefined ? '' : ` --crypto ${crypto}`;
