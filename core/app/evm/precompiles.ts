import type { Common } from '@ethereumjs/common';
import { getActivePrecompiles } from '@ethereumjs/evm';
import { blake2f } from './blake2f.ts';
import { BLS_G1_MSM, BLS_G2_MSM, BLS_PAIRING } from './bls.ts';
import { BN254_PAIRING } from './bn254.ts';
import { modexp } from './modexp.ts';
import type { Look, Precompile } from './precompile.ts';
import { faultsAsGeth } from './precompileFaults.ts';
import { inSlices } from './slices.ts';

/** By address, 40 lower-case hex digits. */
export type Precompiles = Map<string, Precompile>;

const hexOf = (address: number): string => address.toString(16).padStart(40, '0');

/** Precompiles that one call could keep busy for seconds. They do their work in slices if they are asked to. */
const LONG: ReadonlyMap<string, (library: Precompile) => Precompile> = new Map(
  (
    [
      [0x05, () => modexp],
      [0x08, (library) => inSlices(library, BN254_PAIRING)],
      [0x09, () => blake2f],
      [0x0c, (library) => inSlices(library, BLS_G1_MSM)],
      [0x0e, (library) => inSlices(library, BLS_G2_MSM)],
      [0x0f, (library) => inSlices(library, BLS_PAIRING)],
    ] as const satisfies readonly (readonly [number, (library: Precompile) => Precompile])[]
  ).map(([address, make]) => [hexOf(address), make]),
);

/** The precompiles of the fork, which fail with geth's texts. */
export function precompilesOf(common: Common): Precompiles {
  const active: Precompiles = new Map();
  for (const [hex, run] of getActivePrecompiles(common)) active.set(hex, LONG.get(hex)?.(run) ?? run);
  return faultsAsGeth(active);
}

/** The same for an execution with a time limit: others run after each call, and between slices of long ones. */
export function looking(precompiles: Precompiles, look: Look): Precompiles {
  const lookAfter =
    (run: Precompile): Precompile =>
    async (input) => {
      const result = await run(input, look);
      const due = look();
      if (due !== undefined) await due;
      return result;
    };
  return new Map([...precompiles].map(([hex, run]) => [hex, lookAfter(run)]));
}
