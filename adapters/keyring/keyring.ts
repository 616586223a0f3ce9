import { join } from 'node:path';
import { ethAddress } from '../../core/crypto/addresses.ts';
import { DEFAULT_HD_PATH, deriveSecret, isMnemonic, mnemonicToSeed } from '../../core/crypto/hd.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { decodeUtf8, encodeUtf8 } from '../../core/lib/utf8.ts';
import type { Address } from '../../core/types/ids.ts';
import { OperatingError } from '../operatingError.ts';
import { fileItems, type Items, memoryItems } from './items.ts';
import { decodeLegacyRecord } from './legacyRecord.ts';
import { type AskHidden, unlock } from './passphrase.ts';
import { decodeRecord, encodeRecord, type RecordKind, type StoredKey } from './record.ts';

/** The public data of a key. */
export interface KeyInfo {
  readonly name: string;
  readonly kind: RecordKind;
  readonly address: Address;
  /** 33 bytes, eth_secp256k1. */
  readonly publicKey: Bytes;
}

export type KeyringError =
  | { readonly code: 'key-name'; readonly message: string }
  | { readonly code: 'key-exists'; readonly message: string }
  | { readonly code: 'key-duplicate'; readonly message: string }
  | { readonly code: 'key-unknown'; readonly message: string }
  | { readonly code: 'key-unreadable'; readonly message: string }
  | { readonly code: 'key-secret'; readonly message: string }
  | { readonly code: 'mnemonic'; readonly message: string }
  | { readonly code: 'hd-path'; readonly message: string };

type KeyResult<T> = Result<T, KeyringError>;

const NAME_CHARS_MAX = 200;
const INFO = '.info';
const ADDRESS = '.address';

const fail = (
  code: KeyringError['code'],
  message: string,
): { readonly ok: false; readonly error: KeyringError } => err({ code, message });

/**
 * Account keys by name and by address. The `test` backend keeps SDK-compatible files with a publicly known password. A
 * damaged or unreadable file throws OperatingError.
 */
export class Keyring {
  readonly #items: Items;
  readonly #suite: CryptoSuite;

  constructor(items: Items, suite: CryptoSuite) {
    this.#items = items;
    this.#suite = suite;
  }

  /** Stores a 32-byte eth_secp256k1 secret under a new name. */
  add(name: string, secret: Bytes): KeyResult<KeyInfo> {
    const publicKey = this.#publicKeyOf(secret);
    if (publicKey === undefined) return fail('key-secret', 'not a secp256k1 secret of 32 bytes');
    return this.#store({ name, kind: 'local', publicKey, secret });
  }

  /** Adds the key of a BIP-39 mnemonic at an HD path; default m/44'/60'/0'/0/0. */
  addMnemonic(
    name: string,
    mnemonic: string,
    path: string = DEFAULT_HD_PATH,
    passphrase = '',
  ): KeyResult<KeyInfo> {
    const words = mnemonic.trim().split(/\s+/).join(' ');
    if (!isMnemonic(words)) return fail('mnemonic', 'invalid mnemonic');
    const secret = deriveSecret(mnemonicToSeed(words, passphrase), path);
    return secret.ok ? this.add(name, secret.value) : fail('hd-path', secret.error.message);
  }

  /** Adds a 33-byte public key whose secret is elsewhere. */
  addOffline(name: string, publicKey: Bytes): KeyResult<KeyInfo> {
    return this.#store({ name, kind: 'offline', publicKey, secret: undefined });
  }

  /** Finds a key by name or by 20-byte address. */
  show(key: string | Address): KeyResult<KeyInfo> {
    const stored = this.#load(key);
    return stored.ok ? ok(infoOf(stored.value)) : stored;
  }

  has(name: string): boolean {
    return this.#items.get(name + INFO) !== undefined;
  }

  /** All readable keys, sorted by name. For each other one, calls `unreadable` with its name and the problem. */
  list(unreadable?: (name: string, problem: string) => void): readonly KeyInfo[] {
    const items = this.#items.names().filter((item) => item.endsWith(INFO));
    return items.flatMap((item) => {
      const name = item.slice(0, -INFO.length);
      const stored = this.#read(name);
      if (stored.ok) return [infoOf(stored.value)];
      unreadable?.(name, stored.error.message);
      return [];
    });
  }

  delete(name: string): KeyResult<KeyInfo> {
    const stored = this.#load(name);
    if (!stored.ok) return stored;
    const info = infoOf(stored.value);
    this.#items.remove(name + INFO);
    const index = toHex(info.address) + ADDRESS;
    if (this.#items.get(index) !== undefined) this.#items.remove(index);
    return ok(info);
  }

  /** The 32-byte secret of a local key. */
  secret(key: string | Address): KeyResult<Bytes> {
    const stored = this.#load(key);
    if (!stored.ok) return stored;
    const { name, kind, secret } = stored.value;
    return secret === undefined
      ? fail('key-secret', `${name} is ${kind}: its secret is not here`)
      : ok(secret);
  }

  rename(from: string, to: string): KeyResult<KeyInfo> {
    const stored = this.#load(from);
    if (!stored.ok) return stored;
    const problem = nameProblem(to);
    if (problem !== undefined) return fail('key-name', problem);
    if (this.has(to)) return fail('key-exists', `rename failed: ${to} already exists in the keyring`);
    const renamed = { ...stored.value, name: to };
    // Writes the new name before removing the old one: a stop in between leaves two names, never none.
    this.#items.set(to + INFO, encodeRecord(renamed));
    this.#items.set(toHex(infoOf(renamed).address) + ADDRESS, encodeUtf8(to + INFO));
    this.#items.remove(from + INFO);
    return ok(infoOf(renamed));
  }

  /** Rewrites records of SDK 0.45 and older. Returns the outcome for each record that was not in the current format. */
  migrate(): readonly { readonly item: string; readonly problem: string | undefined }[] {
    const items = this.#items.names().filter((item) => item.endsWith(INFO));
    return items.flatMap((item) => {
      const data = this.#items.get(item);
      const today = data === undefined ? undefined : decodeRecord(data);
      if (data === undefined || today === undefined || today.ok) return [];
      const legacy = decodeLegacyRecord(data) ?? today;
      return [{ item, problem: this.#rewrite(item, legacy) }];
    });
  }

  /** Returns the problem, if any. The old record stays until the new one replaces it. */
  #rewrite(item: string, legacy: Result<StoredKey, { readonly message: string }>): string | undefined {
    if (!legacy.ok) return legacy.error.message;
    const { name, secret, publicKey } = legacy.value;
    if (name + INFO !== item) return `the record is of "${name}"`;
    const derived = secret === undefined ? publicKey : this.#publicKeyOf(secret);
    if (derived === undefined || !equalBytes(derived, publicKey))
      return 'public and private key do not belong together';
    this.#items.set(item, encodeRecord(legacy.value));
    this.#items.set(toHex(infoOf(legacy.value).address) + ADDRESS, encodeUtf8(item));
    return undefined;
  }

  #publicKeyOf(secret: Bytes): Bytes | undefined {
    try {
      return secret.length === 32 ? this.#suite.secp256k1PublicKey(secret, true) : undefined;
    } catch {
      // The secret is zero or not below the group's order.
      return undefined;
    }
  }

  #store(key: StoredKey): KeyResult<KeyInfo> {
    const problem = nameProblem(key.name);
    if (problem !== undefined) return fail('key-name', problem);
    if (this.has(key.name)) return fail('key-exists', `key ${key.name} exists already`);
    const info = infoOf(key);
    const index = toHex(info.address) + ADDRESS;
    // An index entry without a key is what an interrupted `delete` leaves; it is no duplicate.
    if (this.#loadByAddress(info.address).ok) return fail('key-duplicate', 'duplicated address created');
    this.#items.set(key.name + INFO, encodeRecord(key));
    this.#items.set(index, encodeUtf8(key.name + INFO));
    return ok(info);
  }

  #load(key: string | Address): KeyResult<StoredKey> {
    if (typeof key !== 'string') return this.#loadByAddress(key);
    const data = this.#items.get(key + INFO);
    if (data === undefined) return fail('key-unknown', `${key}: key not found`);
    const record = decodeRecord(data);
    return record.ok ? record : fail('key-unreadable', record.error.message);
  }

  /** A damaged file only affects its own key. */
  #read(name: string): Result<StoredKey, { readonly message: string }> {
    try {
      return this.#load(name);
    } catch (error) {
      if (error instanceof OperatingError) return err(error);
      throw error;
    }
  }

  #loadByAddress(address: Address): KeyResult<StoredKey> {
    const index = this.#items.get(toHex(address) + ADDRESS);
    const item = index === undefined ? undefined : decodeUtf8(index);
    const stored = item?.endsWith(INFO) === true ? this.#load(item.slice(0, -INFO.length)) : undefined;
    // The name in the index may belong to another key by now.
    if (stored === undefined || (stored.ok && !equalBytes(infoOf(stored.value).address, address)))
      return fail('key-unknown', `key with address ${toHex(address).toUpperCase()} not found`);
    return stored;
  }
}

const infoOf = ({ name, kind, publicKey }: StoredKey): KeyInfo => ({
  name,
  kind,
  publicKey,
  address: ethAddress(publicKey),
});

function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'the provided name is invalid or empty after trimming whitespace';
  if (name.length > NAME_CHARS_MAX) return `a key name has at most ${NAME_CHARS_MAX} characters`;
  return /\p{Cc}/u.test(name) ? 'a key name has no control characters' : undefined;
}

/** `dir` is the home or the value of `--keyring-dir`. Throws OperatingError for a backend that is not available. */
export function openKeyring(backend: string, dir: string, suite: CryptoSuite): Keyring {
  switch (backend) {
    case 'test':
      return new Keyring(fileItems(join(dir, 'keyring-test'), 'test'), suite);
    case 'memory':
      return new Keyring(memoryItems(), suite);
    case 'file':
      throw new OperatingError('keyring backend "file" needs its password');
    default:
      throw new OperatingError(
        `keyring backend "${backend}" is not available here: use file, test or memory`,
      );
  }
}

/** Like `openKeyring`, for every backend. Asks for the password of `file`; on first use the user chooses it. */
export async function unlockKeyring(
  backend: string,
  dir: string,
  suite: CryptoSuite,
  person: { readonly askHidden: AskHidden; readonly tell: (text: string) => void },
): Promise<Keyring> {
  if (backend !== 'file') return openKeyring(backend, dir, suite);
  const folder = join(dir, 'keyring-file');
  const password = await unlock(folder, person.askHidden, person.tell);
  return new Keyring(fileItems(folder, password), suite);
}
