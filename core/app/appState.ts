/** `app_state` of genesis.json: auth, bank, evm and feemarket sections, read strictly. */

import { isHrpBase, parseAnyAddress } from '../address/kinds.ts';
import { fromBase64 } from '../lib/base64.ts';
import { type Bytes, compareBytes, EMPTY, equalBytes, parseHex, toHex } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import { FORKS } from '../types/fork.ts';
import type { Address } from '../types/ids.ts';
import { type AuthParams, DEFAULT_AUTH_PARAMS, readAuthParams } from './auth/params.ts';
import { checkDenomMetadata } from './bank/denomMetadata.ts';
import { checkSendEnabled } from './bank/sendEnabled.ts';
import { DEFAULT_FORK, type ForkRules, forkRules, isFork } from './evm/forks.ts';
import { MAX_UINT64, MAX_UINT256 } from './evm/numbers.ts';
import { DEFAULT_FEE_MARKET, type FeeMarketParams } from './feemarket/baseFee.ts';
import { type GenesisError, Json, readGenesis } from './genesisJson.ts';
import { TYPE_URL } from './typeUrls.ts';

export const DEFAULT_HRP = 'chain';
export const DEFAULT_DENOM = 'achain';
const ACCOUNTS_MAX = 1_000_000;
const SLOTS_MAX = 1_000_000;
/** The SDK's denom format, but short enough that the key of the supply record can hold it. */
const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,115}$/;

/** Whether a chain can use this text as its native denom. */
export const isNativeDenom = (denom: string): boolean => DENOM.test(denom);

export interface GenesisAccount {
  readonly address: Address;
  balance: bigint;
  nonce: bigint;
  code: Bytes;
  storage: readonly { readonly slot: Bytes; readonly value: Bytes }[];
  /**
   * Set when the auth section lists the account. All other accounts get the numbers after these, in order of address.
   */
  accountNumber: bigint | undefined;
  pubKey: Bytes | undefined;
  /** 32 bytes; the code hash that the auth section states. It must match the code. */
  codeHash: Bytes | undefined;
}

export interface AppState {
  readonly hrp: string;
  readonly denom: string;
  readonly evmChainId: bigint;
  readonly fork: ForkRules;
  readonly auth: AuthParams;
  readonly feeMarket: FeeMarketParams;
  /** In ascending order of address. */
  readonly accounts: readonly GenesisAccount[];
  readonly supply: bigint;
}

const SECTIONS = ['auth', 'bank', 'evm', 'feemarket'];

/** The number in a chain id of the form `name_number-revision`: `ethermint_9000-1` → 9000. */
export const evmChainIdOf = (chainId: string): bigint | undefined => {
  const match = /^[a-z]+_([1-9][0-9]{0,17})-[1-9][0-9]*$/.exec(chainId);
  return match === null ? undefined : BigInt(match[1] as string);
};

class Accounts {
  readonly #byAddress = new Map<string, GenesisAccount>();

  of(address: Address): GenesisAccount {
    const key = toHex(address);
    const known = this.#byAddress.get(key);
    if (known !== undefined) return known;
    const fresh: GenesisAccount = {
      address,
      balance: 0n,
      nonce: 0n,
      code: EMPTY,
      storage: [],
      accountNumber: undefined,
      pubKey: undefined,
      codeHash: undefined,
    };
    this.#byAddress.set(key, fresh);
    return fresh;
  }

  sorted(): readonly GenesisAccount[] {
    return [...this.#byAddress.values()].sort((a, b) => compareBytes(a.address, b.address));
  }
}

function readAddress(json: Json, hrp: string): Address {
  const parsed = parseAnyAddress(json.text(), hrp);
  if (!parsed.ok) return json.fail(parsed.error.message);
  if (parsed.value.kind !== 'acc' && parsed.value.kind !== 'hex') json.fail('expected an account address');
  return parsed.value.address;
}

function readHex(json: Json, bytesMax: number): Bytes {
  const parsed = parseHex(json.text(''));
  if (!parsed.ok) return json.fail(parsed.error.message);
  if (parsed.value.length > bytesMax) json.fail(`longer than ${bytesMax} bytes`);
  return parsed.value;
}

function readWord(json: Json): Bytes {
  const bytes = readHex(json, 32);
  if (bytes.length !== 32) json.fail('expected 32 bytes');
  return bytes;
}

function readPubKey(json: Json): Bytes | undefined {
  if (json.isMissing) return undefined;
  const fields = json.object(['@type', 'key']);
  const type = fields['@type'] as Json;
  if (type.text() !== TYPE_URL.ethPubKey) type.fail(`expected ${TYPE_URL.ethPubKey}`);
  const keyJson = fields.key as Json;
  const decoded = fromBase64(keyJson.text());
  const key = decoded.ok ? decoded.value : undefined;
  if (key === undefined || key.length !== 33) return keyJson.fail('expected base64 of 33 bytes');
  return key;
}

function readAuth(auth: Json, accounts: Accounts): { readonly hrp: string; readonly params: AuthParams } {
  if (auth.isMissing) return { hrp: DEFAULT_HRP, params: DEFAULT_AUTH_PARAMS };
  const fields = auth.object(['params', 'accounts', 'bech32_prefix']);
  const prefix = fields.bech32_prefix as Json;
  const hrp = prefix.text(DEFAULT_HRP);
  if (!isHrpBase(hrp)) prefix.fail('expected a Bech32 prefix');
  const numbers = new Set<bigint>();
  for (const json of (fields.accounts as Json).array(ACCOUNTS_MAX)) {
    const number = readAuthAccount(json, hrp, accounts);
    if (numbers.has(number)) json.fail(`account number ${number} is given twice`);
    numbers.add(number);
  }
  for (let i = 0n; i < BigInt(numbers.size); i++) {
    if (!numbers.has(i)) (fields.accounts as Json).fail(`account number ${i} is missing`);
  }
  return { hrp, params: readAuthParams(fields.params as Json) };
}

function readAuthAccount(json: Json, hrp: string, accounts: Accounts): bigint {
  const record = json.value as { readonly '@type'?: unknown } | null;
  const isEth = typeof record === 'object' && record !== null && record['@type'] === TYPE_URL.ethAccount;
  const baseFields = ['address', 'pub_key', 'account_number', 'sequence'];
  const outer = json.object(isEth ? ['@type', 'base_account', 'code_hash'] : ['@type', ...baseFields]);
  const type = outer['@type'] as Json;
  if (!isEth && type.text() !== TYPE_URL.baseAccount) {
    type.fail(`expected ${TYPE_URL.ethAccount} or ${TYPE_URL.baseAccount}`);
  }
  const base = isEth ? (outer.base_account as Json).object(baseFields) : outer;
  const account = accounts.of(readAddress(base.address as Json, hrp));
  if (account.accountNumber !== undefined) json.fail('account is given twice');
  const number = (base.account_number as Json).amount(MAX_UINT64);
  account.accountNumber = number;
  account.nonce = (base.sequence as Json).amount(MAX_UINT64, 0n);
  account.pubKey = readPubKey(base.pub_key as Json);
  const codeHash = outer.code_hash;
  if (codeHash !== undefined && !codeHash.isMissing) account.codeHash = readWord(codeHash);
  return number;
}

/** Sums coins of the native denom, the only denom of the chain. */
function readCoins(json: Json, denom: string): bigint {
  let total = 0n;
  for (const coin of json.array(64)) {
    const fields = coin.object(['denom', 'amount']);
    const name = fields.denom as Json;
    if (name.text() !== denom) name.fail(`expected "${denom}", the only denom of this chain`);
    total += (fields.amount as Json).amount(MAX_UINT256);
  }
  return total;
}

function readBank(bank: Json, hrp: string, denom: string, accounts: Accounts): bigint {
  if (bank.isMissing) return 0n;
  const fields = bank.object(['params', 'balances', 'supply', 'denom_metadata', 'send_enabled']);
  checkSendEnabled(fields.params as Json, fields.send_enabled as Json);
  checkDenomMetadata(fields.denom_metadata as Json);
  let total = 0n;
  const given = new Set<GenesisAccount>();
  for (const json of (fields.balances as Json).array(ACCOUNTS_MAX)) {
    const entry = json.object(['address', 'coins']);
    const account = accounts.of(readAddress(entry.address as Json, hrp));
    if (given.has(account)) json.fail('balance is given twice');
    given.add(account);
    account.balance = readCoins(entry.coins as Json, denom);
    total += account.balance;
  }
  const supply = fields.supply as Json;
  if (supply.array(64).length > 0 && readCoins(supply, denom) !== total) {
    supply.fail(`supply differs from the sum of the balances, ${total}`);
  }
  if (total > MAX_UINT256) bank.fail('the balances add up to more than 2^256 - 1');
  return total;
}

interface EvmSection {
  readonly denom: string;
  readonly fork: ForkRules;
  readonly chainId: bigint | undefined;
}

function readEvmParams(params: Json): EvmSection {
  if (params.isMissing) return { denom: DEFAULT_DENOM, fork: forkRules(DEFAULT_FORK), chainId: undefined };
  const fields = params.object(['evm_denom', 'evm_chain_id', 'fork']);
  const denom = fields.evm_denom as Json;
  if (!isNativeDenom(denom.text(DEFAULT_DENOM))) denom.fail('expected a denom of at most 116 characters');
  const fork = fields.fork as Json;
  const name = fork.text(DEFAULT_FORK);
  if (!isFork(name)) return fork.fail(`expected one of ${FORKS.join(', ')}`);
  const id = fields.evm_chain_id as Json;
  const chainId = id.isMissing ? undefined : id.amount(MAX_UINT64);
  return { denom: denom.text(DEFAULT_DENOM), fork: forkRules(name), chainId };
}

function readStorage(list: Json): GenesisAccount['storage'] {
  const given = new Set<string>();
  return list.array(SLOTS_MAX).map((entry) => {
    const fields = entry.object(['key', 'value']);
    const slot = readWord(fields.key as Json);
    const key = toHex(slot);
    if (given.has(key)) entry.fail('slot is given twice');
    given.add(key);
    return { slot, value: readWord(fields.value as Json) };
  });
}

function readContracts(lists: readonly (Json | undefined)[], hrp: string, accounts: Accounts): void {
  const given = new Set<GenesisAccount>();
  for (const json of lists.flatMap((list) => list?.array(ACCOUNTS_MAX) ?? [])) {
    const fields = json.object(['name', 'address', 'code', 'storage']);
    const account = accounts.of(readAddress(fields.address as Json, hrp));
    if (given.has(account)) json.fail('contract is given twice');
    given.add(account);
    account.code = readHex(fields.code as Json, 24_576);
    account.storage = readStorage(fields.storage as Json);
    // EIP-161: a contract starts with nonce 1.
    if (account.code.length > 0 && account.nonce === 0n) account.nonce = 1n;
  }
}

function readFeeMarket(json: Json): FeeMarketParams {
  if (json.isMissing) return DEFAULT_FEE_MARKET;
  const section = json.object(['params', 'block_gas']);
  const params = section.params as Json;
  if (params.isMissing) return DEFAULT_FEE_MARKET;
  const fields = params.object([
    'no_base_fee',
    'base_fee',
    'base_fee_change_denominator',
    'elasticity_multiplier',
    'min_gas_price',
    'collect_base_fee',
  ]);
  const fallback = DEFAULT_FEE_MARKET;
  return {
    noBaseFee: (fields.no_base_fee as Json).boolean(fallback.noBaseFee),
    baseFee: (fields.base_fee as Json).amount(MAX_UINT64, fallback.baseFee),
    baseFeeChangeDenominator: (fields.base_fee_change_denominator as Json).positive(
      MAX_UINT64,
      fallback.baseFeeChangeDenominator,
    ),
    elasticityMultiplier: (fields.elasticity_multiplier as Json).positive(
      MAX_UINT64,
      fallback.elasticityMultiplier,
    ),
    minGasPrice: (fields.min_gas_price as Json).amount(MAX_UINT64, fallback.minGasPrice),
    collectBaseFee: (fields.collect_base_fee as Json).boolean(fallback.collectBaseFee),
  };
}

function checkCode(
  accounts: readonly GenesisAccount[],
  root: Json,
  keccak256: (message: Bytes) => Bytes,
): void {
  for (const account of accounts) {
    if (account.codeHash !== undefined && !equalBytes(account.codeHash, keccak256(account.code))) {
      root.fail(`code hash of account 0x${toHex(account.address)} does not fit its code`);
    }
  }
}

/** Reads and checks `app_state` as a whole. `chainId` is the consensus chain id. */
export function parseAppState(
  appState: unknown,
  chainId: string,
  keccak256: (message: Bytes) => Bytes,
): Result<AppState, GenesisError> {
  return readGenesis(() => {
    const root = new Json(appState, 'app_state');
    const sections = root.object(SECTIONS);
    const accounts = new Accounts();
    const { hrp, params: auth } = readAuth(sections.auth as Json, accounts);
    const evm = sections.evm as Json;
    const evmFields = evm.isMissing ? {} : evm.object(['params', 'accounts', 'preinstalls']);
    const { params = new Json(undefined, 'app_state.evm.params'), accounts: kept, preinstalls } = evmFields;
    const section = readEvmParams(params);
    const supply = readBank(sections.bank as Json, hrp, section.denom, accounts);
    readContracts([kept, preinstalls], hrp, accounts);
    const evmChainId = section.chainId ?? evmChainIdOf(chainId);
    if (evmChainId === undefined || evmChainId === 0n) {
      return evm.fail(
        `chain id "${chainId}" has no number like name_9000-1, and params.evm_chain_id is not set`,
      );
    }
    const sorted = accounts.sorted();
    checkCode(sorted, root, keccak256);
    const market = readFeeMarket(sections.feemarket as Json);
    // EIP-1559 is part of London: without it there is no base fee.
    const feeMarket = section.fork.london ? market : { ...market, noBaseFee: true, baseFee: 0n };
    const { denom, fork } = section;
    return { hrp, denom, evmChainId, fork, auth, feeMarket, accounts: sorted, supply };
  });
}
