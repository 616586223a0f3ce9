/** `genesis`: edits genesis.json before the chain begins. */
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { parseAnyAddress } from '../../core/address/kinds.ts';
import { addGenesisAccounts, type NewAccount } from '../../core/app/auth/genesisAccounts.ts';
import { wrongGenesisKey } from '../../core/app/auth/genesisKeys.ts';
import { coinsProblem, parseCoins } from '../../core/app/cosmos/coins.ts';
import type { Coin } from '../../core/app/tx/tables.ts';
import { genesisState, stateProblem } from '../../core/consensus/chainState.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import type { Address } from '../../core/types/ids.ts';
import { loadGenesis } from '../config/genesisFile.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { checkedState, type GenesisDoc, openGenesis, saveGenesis } from './genesisDoc.ts';
import { genTxCommands } from './gentx.ts';
import { type KeysOptions, openFor } from './keysOpen.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

const ACCOUNTS_MAX = 1_000_000;

const VESTING = ['vesting-amount', 'vesting-start-time', 'vesting-end-time', 'module-name'] as const;
const NO_VESTING =
  'accounts of genesis hold plain coins: an Ethereum balance cannot be locked. A contract in genesis can lock them';

interface AddOptions extends KeysOptions {
  readonly append?: boolean;
}

export function genesisCommand(command: Command, world: World): void {
  const add = command
    .command('add-genesis-account')
    .argument('<address|key>', 'Bech32, hex, or the name of a key in the keyring')
    .argument('<coins>', 'like 1000achain')
    .option('--append', 'add the coins to an account that is there already')
    .option('--keyring-backend <backend>', 'where keys are kept: file, test or memory')
    .option('--keyring-dir <dir>', 'folder of the keyring (default: the home)')
    .description('add an account to genesis.json');
  for (const flag of VESTING) {
    add.addOption(new Option(`--${flag} [value]`).hideHelp());
    add.on(`option:${flag}`, () => {
      throw new OperatingError(`--${flag}: ${NO_VESTING}`);
    });
  }
  add.action(async (who: string, coins: string) => {
    const options: AddOptions = add.optsWithGlobals();
    const doc = openGenesis(options, world);
    const address = await addressOf(who, doc, options, world);
    write(doc, [{ address, coins: coinsOf(coins) }], options);
  });
  const bulk = command
    .command('bulk-add-genesis-account')
    .argument('<file>', 'JSON: [{"address":"chain1…","coins":[{"denom":"achain","amount":"1000"}]}, …]')
    .option('--append', 'add the coins to accounts that are there already')
    .description('add many accounts to genesis.json');
  bulk.action((file: string) => {
    const options: AddOptions = bulk.optsWithGlobals();
    const doc = openGenesis(options, world);
    write(doc, readAccounts(file, doc), options);
  });
  const validate = command
    .command('validate')
    .alias('validate-genesis')
    .argument('[file]', "default: the home's genesis.json")
    .description('check a genesis file');
  validate.action((file: string | undefined) => {
    const home = homeFrom(validate.optsWithGlobals<GlobalOptions>(), world);
    check(file ?? loadNodeConfig(home, new Map(), world.env).files.genesis, world);
  });
  genTxCommands(command, world);
}

function write(doc: GenesisDoc, accounts: readonly NewAccount[], { append }: AddOptions): void {
  const { genesis, state } = doc;
  const appState = addGenesisAccounts(genesis.appState, state.hrp, accounts, append === true);
  if (!appState.ok) throw new OperatingError(appState.error.message);
  saveGenesis(doc, { ...genesis, appState: appState.value });
}

async function addressOf(
  who: string,
  { state }: GenesisDoc,
  options: AddOptions,
  world: World,
): Promise<Address> {
  const parsed = parseAnyAddress(who, state.hrp);
  if (parsed.ok) return accountOf(who, parsed.value);
  const { keyring } = await openFor(options, world);
  const key = keyring.show(who);
  if (!key.ok)
    throw new OperatingError(
      `${who} is neither an address (${parsed.error.message}) nor a key: failed to get address from Keyring: ${key.error.message}`,
    );
  return key.value.address;
}

function accountOf(text: string, { kind, address }: { kind: string; address: Address }): Address {
  if (kind !== 'acc' && kind !== 'hex') throw new OperatingError(`${text} is not an account address`);
  return address;
}

function coinsOf(text: string): readonly Coin[] {
  const coins = parseCoins(text);
  if (coins === undefined)
    throw new OperatingError(`failed to parse coins: invalid decimal coin expression: ${text}`);
  return checkedCoins(coins);
}

function checkedCoins(coins: readonly Coin[]): readonly Coin[] {
  const problem = coinsProblem(coins.filter(({ amount }) => amount !== '0'));
  if (problem !== undefined) throw new OperatingError(`failed to parse coins: ${problem}`);
  return coins;
}

function readAccounts(file: string, { state }: GenesisDoc): readonly NewAccount[] {
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  const bad = (at: string, problem: string): never => {
    throw new OperatingError(`failed to parse ${file}: ${at}: ${problem}`);
  };
  const list = jsonOf(text, file);
  if (!Array.isArray(list) || list.length > ACCOUNTS_MAX)
    return bad('document', `expected a list of at most ${ACCOUNTS_MAX} accounts`);
  return list.map((entry: unknown, i) => {
    const { address, coins } = (entry ?? {}) as { address?: unknown; coins?: unknown };
    const parsed = parseAnyAddress(String(address), state.hrp);
    if (!parsed.ok) return bad(`[${i}].address`, parsed.error.message);
    const isCoin = (coin: unknown): coin is Coin => {
      const { denom, amount } = (coin ?? {}) as { denom?: unknown; amount?: unknown };
      return typeof denom === 'string' && typeof amount === 'string';
    };
    if (!Array.isArray(coins) || !coins.every(isCoin))
      return bad(`[${i}].coins`, 'expected a list of {"denom","amount"}');
    return { address: accountOf(String(address), parsed.value), coins: checkedCoins(coins) };
  });
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatingError(`failed to parse ${file}: not JSON`);
  }
}

/** Refuses every genesis that `start` would refuse. */
function check(file: string, world: World): void {
  const genesis = loadGenesis(file);
  const { accounts } = checkedState(genesis, file);
  const wrong = wrongGenesisKey(accounts, nobleSuite);
  if (wrong !== undefined)
    throw new OperatingError(`error validating genesis file ${file}: ${wrong.path}: ${wrong.message}`);
  const state = genesisState(genesis, { appHash: new Uint8Array(32), validators: [], params: undefined });
  if (!state.ok)
    throw new OperatingError(`error validating genesis file ${file}: ${stateProblem(state.error)}`);
  world.out(`File at ${file} is a valid genesis file\n`);
}
