/** Ethereum's Web3 Secret Storage, version 3: the format in which wallets export a key. */
import {
  createCipheriv,
  createDecipheriv,
  pbkdf2Sync,
  randomBytes,
  randomUUID,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto';
import { ethAddress } from '../../core/crypto/addresses.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { type Bytes, parseHex, toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';

export interface KeystoreError {
  readonly code: 'keystore-format' | 'keystore-password';
  readonly message: string;
}

const SCRYPT_N = 262_144;
/** A file that asks for more would only waste time and memory. */
const SCRYPT_N_MAX = 1_048_576;
const ROUNDS_MAX = 10_000_000;
const MEMORY_MAX = 2_147_483_648;

const bad = (message: string): Result<never, KeystoreError> => err({ code: 'keystore-format', message });

export function encryptKeystore(secret: Bytes, password: string, n = SCRYPT_N): string {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const derived = scryptSync(password, salt, 32, { N: n, r: 8, p: 1, maxmem: MEMORY_MAX });
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  const mac = nobleSuite.keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]));
  return JSON.stringify({
    version: 3,
    id: randomUUID(),
    address: toHex(ethAddress(nobleSuite.secp256k1PublicKey(secret, true))),
    crypto: {
      ciphertext: ciphertext.toString('hex'),
      cipherparams: { iv: iv.toString('hex') },
      cipher: 'aes-128-ctr',
      kdf: 'scrypt',
      kdfparams: { dklen: 32, salt: salt.toString('hex'), n, r: 8, p: 1 },
      mac: toHex(mac),
    },
  });
}

type Params = Readonly<Record<string, unknown>>;

const count = (value: unknown, max: number): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= max ? value : undefined;

/** Hex with or without 0x: wallets write both. */
function bytesOf(value: unknown): Bytes | undefined {
  const parsed = parseHex(typeof value === 'string' ? value : '?');
  return parsed.ok ? parsed.value : undefined;
}

function derive(kdf: unknown, params: Params, password: string): Buffer | undefined {
  const salt = bytesOf(params.salt);
  if (salt === undefined || params.dklen !== 32) return undefined;
  if (kdf === 'pbkdf2') {
    const rounds = count(params.c, ROUNDS_MAX);
    return rounds === undefined || params.prf !== 'hmac-sha256'
      ? undefined
      : pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  }
  const [N, r, p] = [count(params.n, SCRYPT_N_MAX), count(params.r, 32), count(params.p, 16)];
  if (kdf !== 'scrypt' || N === undefined || r === undefined || p === undefined) return undefined;
  try {
    // Throws before it allocates, if it would need more memory than that.
    return scryptSync(password, salt, 32, { N, r, p, maxmem: MEMORY_MAX });
  } catch {
    return undefined;
  }
}

/** Returns the 32-byte secret. */
export function decryptKeystore(text: string, password: string): Result<Bytes, KeystoreError> {
  let json: { version?: unknown; crypto?: Params; Crypto?: Params } | null;
  try {
    json = JSON.parse(text);
  } catch {
    return bad('keystore is not JSON');
  }
  const parts = json?.crypto ?? json?.Crypto ?? undefined;
  if (json?.version !== 3 || typeof parts !== 'object') return bad('not a keystore of version 3');
  if (parts.cipher !== 'aes-128-ctr') return bad(`cipher ${String(parts.cipher)}, expected aes-128-ctr`);
  const box = {
    ciphertext: bytesOf(parts.ciphertext),
    mac: bytesOf(parts.mac),
    iv: bytesOf((parts.cipherparams as Params | null | undefined)?.iv),
  };
  if (!isWhole(box)) return bad('mac, iv or ciphertext of wrong length');
  for (const typed of spellingsOf(password)) {
    const derived = derive(parts.kdf, (parts.kdfparams ?? {}) as Params, typed);
    if (derived === undefined)
      return bad(`key derivation ${String(parts.kdf)} with parameters that are not taken`);
    const secret = opened(box, derived);
    if (secret !== undefined) return ok(secret);
  }
  return err({ code: 'keystore-password', message: 'invalid account password' });
}

interface Box {
  readonly ciphertext: Bytes;
  readonly mac: Bytes;
  readonly iv: Bytes;
}

/** Whether all parts have valid lengths. The secret may be shorter than 32 bytes: old wallets omitted leading zeros. */
const isWhole = (box: { readonly [K in keyof Box]: Bytes | undefined }): box is Box =>
  box.mac?.length === 32 && box.iv?.length === 16 && box.ciphertext !== undefined && isShort(box.ciphertext);

const isShort = ({ length }: Bytes): boolean => length >= 1 && length <= 32;

/** geth uses the password as typed, ethers its NFKC form. */
const spellingsOf = (password: string): ReadonlySet<string> =>
  new Set([password, password.normalize('NFKC')]);

/** undefined if the password is wrong. */
function opened({ ciphertext, mac, iv }: Box, derived: Buffer): Bytes | undefined {
  const expected = nobleSuite.keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]));
  if (!timingSafeEqual(mac, expected)) return undefined;
  const cipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const secret = new Uint8Array(32);
  secret.set(Buffer.concat([cipher.update(ciphertext), cipher.final()]), 32 - ciphertext.length);
  return secret;
}
