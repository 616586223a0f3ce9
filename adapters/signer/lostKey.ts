import { existsSync, readFileSync } from 'node:fs';
import { parseLastSigned } from '../../core/node/signGuard.ts';
import { onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/**
 * Refuses a home whose validator has signed but whose key is missing: to run without it, or with a new key, would
 * silently end the validator. Throws OperatingError. An existing key, or a state without signatures, is fine.
 */
export function refuseLostKey(keyPath: string, statePath: string): void {
  if (existsSync(keyPath) || !existsSync(statePath)) return;
  const state = parseLastSigned(onFile('read', statePath, () => readFileSync(statePath, 'utf8')));
  if (state.ok && state.value.height === 0) return;
  const what = state.ok ? `signatures up to height ${state.value.height}` : 'signatures';
  throw new OperatingError(
    `validator key ${keyPath} is missing, but ${statePath} knows of ${what}: restore the key from its backup; a new ` +
      'one would not be the validator that the chain knows. To run this home without a validator, move ' +
      `${statePath} away`,
  );
}
