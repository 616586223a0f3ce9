import { nobleSuite } from '../../core/crypto/noble.ts';
import type { Result } from '../../core/lib/result.ts';
import { CLIENT_TOML } from '../config/clientToml.ts';
import { hrpOfHome } from '../config/genesisFile.ts';
import { clientTomlPath } from '../config/home.ts';
import { readSettings } from '../config/nodeConfig.ts';
import { readTable } from '../config/table.ts';
import { type Keyring, unlockKeyring } from '../keyring/keyring.ts';
import { OperatingError } from '../operatingError.ts';
import { askHidden } from './prompt.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

export interface KeysOptions extends GlobalOptions {
  readonly keyringBackend?: string;
  readonly keyringDir?: string;
  readonly output?: string;
}

/** A keyring opened according to flags, environment and client.toml. */
export interface Open<O extends KeysOptions> {
  readonly options: O;
  readonly world: World;
  readonly keyring: Keyring;
  readonly hrp: string;
  readonly isJson: boolean;
}

/** Opens the keyring. The `file` backend asks for its password here. */
export async function openFor<O extends KeysOptions>(options: O, world: World): Promise<Open<O>> {
  const home = homeFrom(options, world);
  const flags = new Map<string, string>();
  if (options.output !== undefined) flags.set('output', options.output);
  const file = readSettings(clientTomlPath(home));
  const client = readTable(CLIENT_TOML, { flags, env: world.env, file })[''];
  const backend = options.keyringBackend ?? client['keyring-backend'];
  const person = { askHidden, tell: (text: string) => world.err(text) };
  return {
    options,
    world,
    keyring: await unlockKeyring(backend, options.keyringDir ?? home, nobleSuite, person),
    hrp: hrpOfHome(home),
    isJson: client.output === 'json',
  };
}

export function valueOrThrow<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new OperatingError(result.error.message);
  return result.value;
}
