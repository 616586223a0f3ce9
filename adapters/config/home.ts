import { homedir } from 'node:os';
import path from 'node:path';
import { OperatingError } from '../operatingError.ts';
import type { Sources } from './table.ts';

/** The folder from `--home`, else ORRERY_HOME, else ~/.orrery. Throws OperatingError if the flag is empty. */
export function homeOf(flag: string | undefined, env: Sources['env']): string {
  // An unset variable in a script (`--home "$DIR"`) must not turn the current folder into a home.
  if (flag === '') throw new OperatingError('--home: expected a folder, found ""');
  return path.resolve(flag ?? (env['ORRERY_HOME'] || path.join(homedir(), '.orrery')));
}

/** The three settings files of a home. */
export const configTomlPath = (home: string): string => path.join(home, 'config', 'config.toml');
export const appTomlPath = (home: string): string => path.join(home, 'config', 'app.toml');
export const clientTomlPath = (home: string): string => path.join(home, 'config', 'client.toml');
