import { existsSync } from 'node:fs';
import path from 'node:path';
import { renderGenesis } from '../../core/codec/genesis.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import { makeDir, onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { createSignState } from '../signer/fileSigner.ts';
import { loadValidatorKey, saveValidatorKey, type ValidatorKey, validatorKey } from '../signer/keyFile.ts';
import { refuseLostKey } from '../signer/lostKey.ts';
import { APP_TOML } from './appToml.ts';
import { CLIENT_TOML } from './clientToml.ts';
import { CONFIG_TOML } from './configToml.ts';
import { appTomlPath, clientTomlPath, configTomlPath } from './home.ts';
import { nodeConfigOf } from './nodeConfig.ts';
import { loadNodeKey, nodeIdOf, saveNodeKey } from './nodeKey.ts';
import { readTable, renderTable } from './table.ts';

export interface InitOptions {
  readonly home: string;
  readonly chainId: string;
  readonly suite: CryptoSuite;
  /** Settings that differ from the defaults, by path (`consensus.timeout_commit` → `0s`). */
  readonly settings: ReadonlyMap<string, string>;
  /** Replaces an existing genesis.json and settings. */
  readonly overwrite: boolean;
  /** Returns 32 unpredictable bytes. */
  readonly randomSeed: () => Bytes;
  /** Makes the genesis from the validator's key. */
  readonly genesis: (validator: ValidatorKey) => Genesis;
}

export interface InitResult {
  readonly genesis: Genesis;
  readonly nodeId: string;
}

/**
 * Writes a new home: settings, genesis, keys and the empty last-signed state. genesis.json is written last, so a home
 * that has one is complete. Throws OperatingError if a genesis exists already.
 */
export function initHome(options: InitOptions): InitResult {
  const { home, suite, settings } = options;
  const given = { flags: settings, env: {}, file: undefined };
  const config = readTable(CONFIG_TOML, given);
  const app = readTable(APP_TOML, given);
  const client = readTable(CLIENT_TOML, {
    ...given,
    flags: new Map([...settings, ['chain-id', options.chainId]]),
  });
  const { files } = nodeConfigOf(home, config, app);
  if (existsSync(files.genesis) && !options.overwrite)
    throw new OperatingError(`genesis.json file already exists: ${files.genesis}`);
  for (const dir of [home, path.join(home, 'config'), files.data])
    onFile('create folder', dir, () => makeDir(dir));
  const write = (file: string, text: string): void =>
    onFile('write', file, () => replaceFile(file, Buffer.from(text), 0o644));
  write(configTomlPath(home), renderTable(CONFIG_TOML, config, CONFIG_TITLE));
  write(appTomlPath(home), renderTable(APP_TOML, app, APP_TITLE));
  write(clientTomlPath(home), renderTable(CLIENT_TOML, client, CLIENT_TITLE));
  refuseLostKey(files.validatorKey, files.validatorState);
  const validator = validatorKeyAt(files.validatorKey, options);
  createSignState(files.validatorState);
  const nodeSeed = nodeSeedAt(files.nodeKey, options);
  const genesis = options.genesis(validator);
  write(files.genesis, renderGenesis(genesis));
  return { genesis, nodeId: nodeIdOf(nodeSeed, suite) };
}

/**
 * Keeps existing keys: an earlier start may have been interrupted, or the chain is created again with the same keys.
 */
function validatorKeyAt(file: string, { suite, randomSeed }: InitOptions): ValidatorKey {
  if (existsSync(file)) return loadValidatorKey(file, suite);
  const key = validatorKey(randomSeed(), suite);
  saveValidatorKey(file, key);
  return key;
}

function nodeSeedAt(file: string, { suite, randomSeed }: InitOptions): Bytes {
  if (existsSync(file)) return loadNodeKey(file, suite);
  const seed = randomSeed();
  saveNodeKey(file, seed, suite);
  return seed;
}

const PRECEDENCE =
  'A flag (--section.key) beats the environment (ORRERY_SECTION_KEY), which beats this file. An unknown key is an error.';
export const CONFIG_TITLE = `The node as a member of its network.\n${PRECEDENCE}`;
const APP_TITLE = `The node as a server for wallets and tools.\n${PRECEDENCE}`;
const CLIENT_TITLE = `What the query and key commands assume.\n${PRECEDENCE}`;
