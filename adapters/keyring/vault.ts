import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ethAddress } from '../../core/crypto/addresses.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { type Bytes, equalBytes, hex, toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { KeyVault } from '../../core/rpc/context.ts';
import type { Address } from '../../core/types/ids.ts';
import { makeDir, onFile, replaceFile } from '../disk/files.ts';
import { decryptKeystore, encryptKeystore } from './keystore.ts';

/** Maximum keys that requests may add: more would only fill the disk. */
const KEYS_MAX = 1000;
/** geth's --lightkdf: a request must not delay the node's blocks by a second. */
const SCRYPT_N = 4096;
const PASSWORD_CHARS_MAX = 1024;
const FILE = /^UTC--.+--([0-9a-f]{40})$/;

interface Opened {
  readonly secret: Bytes;
  /** Time of the steady clock, in ms. */
  readonly until: number;
}

/** Both clocks count milliseconds. */
export interface VaultClocks {
  /** Wall clock, for file names. */
  wall(): number;
  /** Monotonic clock: no key stays unlocked longer than requested. */
  steady(): number;
}

/** Keys of a development node that requests added: files in geth's keystore format, one per key. */
export class Vault implements KeyVault {
  readonly #dir: string;
  readonly #clocks: VaultClocks;
  /** File names by address in hex. */
  readonly #files = new Map<string, string>();
  readonly #opened = new Map<string, Opened>();

  /** Throws OperatingError if the folder cannot be read. */
  constructor(dir: string, clocks: VaultClocks) {
    this.#dir = dir;
    this.#clocks = clocks;
    const names = existsSync(dir) ? onFile('read', dir, () => readdirSync(dir)) : [];
    for (const name of names.sort()) {
      const address = FILE.exec(name)?.[1];
      if (address !== undefined) this.#files.set(address, name);
    }
  }

  /** In order of creation. */
  get addresses(): readonly Address[] {
    return [...this.#files.keys()].map((address) => hex(address));
  }

  has(address: Address): boolean {
    return this.#files.has(toHex(address));
  }

  /** The secret of a key that is currently unlocked. */
  secret(address: Address): Bytes | undefined {
    const name = toHex(address);
    const opened = this.#opened.get(name);
    if (opened === undefined || this.#clocks.steady() < opened.until) return opened?.secret;
    this.#opened.delete(name);
    return undefined;
  }

  create(password: string): Result<Address, string> {
    for (;;) {
      const secret = new Uint8Array(randomBytes(32));
      if (addressOf(secret) !== undefined) return this.add(secret, password);
    }
  }

  add(secret: Bytes, password: string): Result<Address, string> {
    if (password === '') return err('a key needs a password');
    if (password.length > PASSWORD_CHARS_MAX)
      return err(`a password has at most ${PASSWORD_CHARS_MAX} characters`);
    const address = addressOf(secret);
    if (address === undefined) return err('invalid private key');
    const name = toHex(address);
    if (this.#files.has(name)) return err('account already exists');
    if (this.#files.size >= KEYS_MAX) return err(`the keystore holds ${KEYS_MAX} keys already`);
    const time = new Date(this.#clocks.wall()).toISOString().replaceAll(':', '-').replace('Z', '000000Z');
    const file = `UTC--${time}--${name}`;
    const path = join(this.#dir, file);
    onFile('write', path, () => {
      makeDir(this.#dir);
      replaceFile(path, Buffer.from(encryptKeystore(secret, password, SCRYPT_N)));
    });
    this.#files.set(name, file);
    return ok(address);
  }

  open(address: Address, password: string): Result<Bytes, string> {
    const file = this.#files.get(toHex(address));
    if (file === undefined) return err('no key for given address or file');
    const path = join(this.#dir, file);
    const text = onFile('read', path, () => readFileSync(path, 'utf8'));
    const opened = decryptKeystore(text, password);
    if (!opened.ok) return err('could not decrypt key with given password');
    // A file under another address's name must not sign for that account.
    const holds = addressOf(opened.value);
    if (holds !== undefined && equalBytes(holds, address)) return opened;
    return err(
      `key content mismatch: have address ${holds === undefined ? 'none' : toHex(holds)}, want ${toHex(address)}`,
    );
  }

  unlock(address: Address, password: string, ms: number | undefined): Result<void, string> {
    const opened = this.open(address, password);
    if (!opened.ok) return opened;
    const until = ms === undefined ? Number.POSITIVE_INFINITY : this.#clocks.steady() + ms;
    this.#opened.set(toHex(address), { secret: opened.value, until });
    return ok(undefined);
  }

  lock(address: Address): void {
    this.#opened.delete(toHex(address));
  }
}

/** undefined if the bytes are not a valid secret. */
function addressOf(secret: Bytes): Address | undefined {
  try {
    return ethAddress(nobleSuite.secp256k1PublicKey(secret, true));
  } catch {
    return undefined;
  }
}
