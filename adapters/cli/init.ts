import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { isHrpBase } from '../../core/address/kinds.ts';
import { isNativeDenom } from '../../core/app/appState.ts';
import { isMnemonic } from '../../core/crypto/hd.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { DEVNET_CHAIN_ID } from '../config/devnetHome.ts';
import { checkChainId, newGenesis } from '../config/genesisFile.ts';
import { initHome } from '../config/initHome.ts';
import { makeDir, onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { loadValidatorKey, saveValidatorKey, validatorKey } from '../signer/keyFile.ts';
import { systemNow } from '../system.ts';
import { ask } from './prompt.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

const VALIDATOR_POWER = 10n;

interface InitFlags extends GlobalOptions {
  readonly chainId: string;
  readonly overwrite?: boolean;
  readonly recover?: boolean;
  readonly defaultDenom?: string;
  readonly bech32Prefix?: string;
}

export function initCommand(command: Command, world: World): void {
  command
    .argument('<moniker>', 'name of this node')
    .option('--chain-id <id>', 'name_EVMID-EPOCH', DEVNET_CHAIN_ID)
    .option('-o, --overwrite', 'replace genesis.json and settings; keys stay')
    .option('--recover', "read a mnemonic from standard input and make the validator's key from it")
    .option('--default-denom <denom>', 'smallest unit of the native coin (default achain)')
    .option('--bech32-prefix <prefix>', 'of account addresses (default chain)')
    .action((moniker: string) => init(moniker, command.optsWithGlobals(), world));
}

/** The new chain has this node as its only validator and no coins; the operator edits genesis.json as needed. */
async function init(moniker: string, flags: InitFlags, world: World): Promise<void> {
  const chainId = checkChainId(flags.chainId);
  const { bech32Prefix: hrp, defaultDenom: denom } = flags;
  if (hrp !== undefined && !isHrpBase(hrp))
    throw new OperatingError(`--bech32-prefix: '${hrp}' is not a Bech32 prefix`);
  if (denom !== undefined && !isNativeDenom(denom)) throw new OperatingError(`invalid denom: ${denom}`);
  const home = homeFrom(flags, world);
  if (flags.recover === true) await recoverValidator(home, flags.overwrite === true);
  const { genesis, nodeId } = initHome({
    home,
    chainId,
    suite: nobleSuite,
    settings: new Map([['moniker', moniker]]),
    overwrite: flags.overwrite === true,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    genesis: ({ address, publicKey }) =>
      newGenesis({
        chainId,
        hrp,
        denom,
        now: systemNow(),
        validators: [
          { address, pubKey: { type: 'ed25519', bytes: publicKey }, power: VALIDATOR_POWER, name: moniker },
        ],
        accounts: [],
      }),
  });
  const told = { moniker, chain_id: chainId, node_id: nodeId, gentxs_dir: '', app_message: genesis.appState };
  world.err(`${JSON.stringify(told)}\n`);
}

/**
 * Writes the validator key of a mnemonic where `initHome` reads it. Like in the SDK, the key's seed is the hash of the
 * words.
 */
async function recoverValidator(home: string, isOverwrite: boolean): Promise<void> {
  const genesis = path.join(home, 'config', 'genesis.json');
  if (existsSync(genesis) && !isOverwrite)
    throw new OperatingError(`genesis.json file already exists: ${genesis}`);
  const words = (await ask('Enter your bip39 mnemonic\n')).trim();
  if (!isMnemonic(words)) throw new OperatingError('invalid mnemonic');
  const key = validatorKey(nobleSuite.sha256(encodeUtf8(words)), nobleSuite);
  const file = path.join(home, 'config', 'priv_validator_key.json');
  if (existsSync(file)) {
    // The file may be the only copy of another validator's key, so a flag must not overwrite it.
    if (equalBytes(loadValidatorKey(file, nobleSuite).publicKey, key.publicKey)) return;
    throw new OperatingError(`another validator key already exists: ${file}`);
  }
  onFile('create folder', path.dirname(file), () => makeDir(path.dirname(file)));
  saveValidatorKey(file, key);
}
