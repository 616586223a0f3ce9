/** `keys export` (cosmos-sdk crypto/armor.go): OpenPGP armor around a secretbox whose key bcrypt derives from a password. */
import { createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { argon2id, bcrypt } from 'hash-wasm';

import { aminoPrefix, PRIV_KEY_NAMES } from '../../core/crypto/amino.ts';
import { present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';

const BLOCK = 'TENDERMINT PRIVATE KEY';
const BCRYPT_COST = 12;
const NONCE_BYTES = 24;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const KEY_TYPE = 'eth_secp256k1';

export interface ArmorError {
  readonly code: 'armor-format' | 'armor-password' | 'armor-type';
  readonly message: string;
}

const malformed = (message: string): Result<never, ArmorError> => err({ code: 'armor-format', message });

/** OpenPGP's CRC-24 (RFC 4880 §6.1). */
function crc24(data: Uint8Array): Buffer {
  let crc = 0xb704ce;
  for (const byte of data) {
    crc ^= byte << 16;
    for (let i = 0; i < 8; i++) {
      crc <<= 1;
      if ((crc & 0x1000000) !== 0) crc ^= 0x1864cfb;
    }
  }
  return Buffer.from([(crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255]);
}

const PREFIXES: readonly Buffer[] = PRIV_KEY_NAMES.map((name) => Buffer.from(aminoPrefix(name)));

const boxKey = async (password: string, salt: Uint8Array): Promise<Uint8Array> => {
  const hash = await bcrypt({ password, salt, costFactor: BCRYPT_COST, outputType: 'encoded' });
  return createHash('sha256').update(hash).digest();
};

/** Derives the box's key from a password with the KDF of the header; undefined for an unknown KDF. */
export type DrawKey = (kdf: string, password: string, salt: Uint8Array) => Promise<Uint8Array | undefined>;

/** `secret` must be 32 bytes. */
export async function armorKey(secret: Bytes, password: string, draw: DrawKey = drawKey): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const plain = Buffer.concat([PREFIXES[0] as Buffer, Buffer.from([secret.length]), secret]);
  const key = present(await draw('bcrypt', password, salt), 'bcrypt is a known KDF');
  const box = xsalsa20poly1305(key, nonce).encrypt(plain);
  const data = Buffer.concat([nonce, box]);
  const body = data.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  const headers = `kdf: bcrypt\nsalt: ${salt.toString('hex').toUpperCase()}\ntype: ${KEY_TYPE}`;
  const crc = crc24(data).toString('base64');
  return `-----BEGIN ${BLOCK}-----\n${headers}\n\n${body}\n=${crc}\n-----END ${BLOCK}-----\n`;
}

interface Armor {
  readonly headers: ReadonlyMap<string, string>;
  readonly data: Buffer;
}

function parseArmor(text: string): Result<Armor, ArmorError> {
  const rows = text.replaceAll('\r', '').trim().split('\n');
  if (rows.shift() !== `-----BEGIN ${BLOCK}-----`) return malformed(`does not begin with ${BLOCK}`);
  if (rows.pop() !== `-----END ${BLOCK}-----`) return malformed(`does not end with ${BLOCK}`);
  const headers = new Map<string, string>();
  for (let row = rows.shift(); row !== undefined && row.trim() !== ''; row = rows.shift()) {
    const mark = row.indexOf(': ');
    if (mark < 0) return malformed(`header without a colon: ${row}`);
    headers.set(row.slice(0, mark), row.slice(mark + 2));
  }
  const crc = rows.at(-1)?.startsWith('=') === true ? rows.pop() : undefined;
  const data = Buffer.from(rows.join(''), 'base64');
  if (crc !== undefined && crc.slice(1) !== crc24(data).toString('base64'))
    return malformed('checksum is wrong');
  return ok({ headers, data });
}

async function keyOf(
  { headers, data }: Armor,
  password: string,
  draw: DrawKey,
): Promise<Uint8Array | undefined> {
  const salt = Buffer.from(headers.get('salt') ?? '', 'hex');
  if (salt.length !== SALT_BYTES || data.length <= NONCE_BYTES) return undefined;
  return draw(headers.get('kdf') ?? '', password, salt);
}

/**
 * Throws if the key is wrong. With argon2 the SDK (0.50 and newer) uses another cipher and no nonce: each salt makes a
 * new key.
 */
function openBox({ headers, data }: Armor, key: Uint8Array): Uint8Array {
  if (headers.get('kdf') !== 'argon2')
    return xsalsa20poly1305(key, data.subarray(0, NONCE_BYTES)).decrypt(data.subarray(NONCE_BYTES));
  const open = createDecipheriv('chacha20-poly1305', key, new Uint8Array(12), { authTagLength: TAG_BYTES });
  open.setAuthTag(data.subarray(-TAG_BYTES));
  return Buffer.concat([open.update(data.subarray(0, -TAG_BYTES)), open.final()]);
}

async function drawKey(kdf: string, password: string, salt: Uint8Array): Promise<Uint8Array | undefined> {
  switch (kdf) {
    case 'bcrypt':
      return boxKey(password, salt);
    case 'scrypt':
      return scryptSync(password, salt, 32, { N: 32768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
    case 'argon2':
      return argon2id({
        password,
        salt,
        parallelism: 4,
        iterations: 1,
        memorySize: 65_536,
        hashLength: 32,
        outputType: 'binary',
      });
    default:
      return undefined;
  }
}

/** Returns the 32-byte secret. */
export async function unarmorKey(
  text: string,
  password: string,
  draw: DrawKey = drawKey,
): Promise<Result<Bytes, ArmorError>> {
  const armor = parseArmor(text);
  if (!armor.ok) return armor;
  const type = armor.value.headers.get('type') ?? KEY_TYPE;
  if (type !== KEY_TYPE)
    return err({ code: 'armor-type', message: `key of type ${type}, expected ${KEY_TYPE}` });
  const key = await keyOf(armor.value, password, draw);
  if (key === undefined) return malformed('unrecognized KDF, salt or body');
  let plain: Uint8Array;
  try {
    plain = openBox(armor.value, key);
  } catch {
    return err({ code: 'armor-password', message: 'invalid account password' });
  }
  const isKnown = PREFIXES.some((prefix) => prefix.equals(plain.subarray(0, 4)));
  if (!isKnown || plain[4] !== 32 || plain.length !== 37) return malformed('content is no eth_secp256k1 key');
  return ok(new Uint8Array(plain.subarray(5)));
}
