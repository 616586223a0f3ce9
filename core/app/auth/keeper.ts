import { bytes, uint64Big } from '../../codec/fields.ts';
import { decode, encode, table } from '../../codec/proto.ts';
import { sha256 } from '../../crypto/hash.ts';
import { assert } from '../../lib/assert.ts';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { Address } from '../../types/ids.ts';
import type { AuthRecord } from '../chain.ts';
import { bigintToFixed, MAX_UINT64 } from '../evm/numbers.ts';
import { type ModuleReader, type ModuleStore, moduleKey, modulePrefix } from '../moduleStore.ts';

/**
 * The auth module stores what Ethereum's state has no field for: an account's number and its public key. Nonce, balance
 * and code hash stay in the state trie; an EthAccount joins both.
 *
 * Numbers: an account gets the next number at the end of the transaction after which it first exists in Ethereum's
 * state (EIP-161 non-empty). If several accounts are new, they are numbered in order of address. This holds for
 * senders, receivers, created contracts and the proposer that earned a tip. An emptied account keeps its number.
 */
const ACCOUNT_PREFIX = modulePrefix('auth/account');
const NUMBER_PREFIX = modulePrefix('auth/number');
const NEXT_NUMBER_KEY = encodeUtf8('auth/next');

interface StoredAccount {
  readonly accountNumber: bigint;
  readonly pubKey: Bytes;
}

const STORED_ACCOUNT = table<StoredAccount>('orrery.auth.StoredAccount', [
  uint64Big(1, 'accountNumber'),
  bytes(2, 'pubKey', 33),
]);

const STORED_NUMBER = table<{ readonly next: bigint }>('orrery.auth.StoredNumber', [uint64Big(1, 'next')]);

export const authKey = (address: Address): Bytes => moduleKey(ACCOUNT_PREFIX, address);

const encodeAuthRecord = (record: AuthRecord): Bytes =>
  // Numbers are stored plus one: account 0 without a key would encode to no bytes, and a trie cannot hold an empty
  // value.
  encode(STORED_ACCOUNT, { accountNumber: record.accountNumber + 1n, pubKey: record.pubKey ?? EMPTY });

function decodeAuthRecord(value: Bytes): AuthRecord {
  const decoded = decode(STORED_ACCOUNT, value);
  assert(decoded.ok, 'the auth store holds accounts');
  const { accountNumber, pubKey } = decoded.value;
  return { accountNumber: accountNumber - 1n, pubKey: pubKey.length === 0 ? undefined : pubKey };
}

export function readAuth(store: ModuleReader, address: Address): AuthRecord | undefined {
  const value = store.module(authKey(address));
  return value === undefined ? undefined : decodeAuthRecord(value);
}

/** How many accounts have a number; also the next number. */
export function accountCount(store: ModuleReader): bigint {
  const value = store.module(NEXT_NUMBER_KEY);
  if (value === undefined) return 0n;
  const decoded = decode(STORED_NUMBER, value);
  assert(decoded.ok, 'the auth store holds the next number');
  return decoded.value.next;
}

export const setAccountCount = (store: ModuleStore, next: bigint): void =>
  store.putModule(NEXT_NUMBER_KEY, encode(STORED_NUMBER, { next }));

const numberKey = (number: bigint): Bytes => moduleKey(NUMBER_PREFIX, bigintToFixed(number, 8));

/** The account that has this number. */
export const addressOfNumber = (store: ModuleReader, number: bigint): Address | undefined =>
  number > MAX_UINT64 ? undefined : store.module(numberKey(number));

/** Writes the record. The first time, also writes the entry from the number to the address. */
export function putAuth(store: ModuleStore, address: Address, record: AuthRecord): void {
  store.putModule(authKey(address), encodeAuthRecord(record));
  const key = numberKey(record.accountNumber);
  if (store.module(key) === undefined) store.putModule(key, address);
}

/** Numbers those accounts that have no number. `addresses` exist in Ethereum's state and are in ascending order. */
export function numberAccounts(store: ModuleStore, addresses: readonly Address[]): void {
  const unnumbered = addresses.filter((address) => store.module(authKey(address)) === undefined);
  if (unnumbered.length === 0) return;
  let next = accountCount(store);
  for (const address of unnumbered) putAuth(store, address, { accountNumber: next++, pubKey: undefined });
  setAccountCount(store, next);
}

/** Stores the key that a signature revealed. The account must have its number already. */
export function rememberPubKey(store: ModuleStore, address: Address, pubKey: Bytes): void {
  const record = readAuth(store, address);
  assert(record !== undefined, 'a sender has an account number');
  if (record.pubKey === undefined) putAuth(store, address, { ...record, pubKey });
}

/** Address of a module's own account: the first 20 bytes of sha256 of its name (ADR-028's older form). */
export const moduleAddress = (name: string): Address => sha256(encodeUtf8(name)).slice(0, 20);

/** Receives base fees if genesis sets `collect_base_fee`. */
export const FEE_COLLECTOR = 'fee_collector';
export const FEE_COLLECTOR_ADDRESS = moduleAddress(FEE_COLLECTOR);
