/** Ethereum's Web3 Secret Storage, version 3: what wallets write when they export a key. */
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
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';

export interface KeystoreError {
  readonly code: 'keystore-format' | 'keystore-password';
  readonly message: string;
}

const SCRYPT_N = 262_144;
/** A file that asks for more would only keep us busy. */
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

function derive(kdf: unknown, params: Params, password: string): Buffer | undefined {
  const salt = Buffer.from(String(params.salt ?? ''), 'hex');
  if (params.dklen !== 32) return undefined;
  if (kdf === 'pbkdf2') {
    const rounds = count(params.c, ROUNDS_MAX);
    return rounds === undefined || params.prf !== 'hmac-sha256'
      ? undefined
      : pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  }
  const [N, r, p] = [count(params.n, SCRYPT_N_MAX), count(params.r, 32), count(params.p, 16)];
  if (kdf !== 'scrypt' || N === undefined || r === undefined || p === undefined) return undefined;
  try {
    // Throws where it would need more memory than that, before it takes any.
    return scryptSync(password, salt, 32, { N, r, p, maxmem: MEMORY_MAX });
  } catch {
    return undefined;
  }
}

/** The 32-byte secret. */
export function decryptKeystore(text: string, password: string): Result<Bytes, KeystoreError> {
  let json: { version?: unknown; crypto?: Params; Crypto?: Params } | null;
  try {
    json = JSON.parse(text);
  } catch {
    return bad('keystore is not JSON');
  }
  const parts = json?.crypto ?? json?.Crypto;
  if (json?.version !== 3 || typeof parts !== 'object') return bad('not a keystore of version 3');
  if (parts.cipher !== 'aes-128-ctr') return bad(`cipher ${String(parts.cipher)}, expected aes-128-ctr`);
  const derived = derive(parts.kdf, (parts.kdfparams ?? {}) as Params, password);
  if (derived === undefined)
    return bad(`key derivation ${String(parts.kdf)} with parameters that are not taken`);
  const ciphertext = Buffer.from(String(parts.ciphertext ?? ''), 'hex');
  const mac = Buffer.from(String(parts.mac ?? ''), 'hex');
  const expected = Buffer.from(nobleSuite.keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])));
  if (mac.length !== 32 || !timingSafeEqual(mac, expected))
    return err({ code: 'keystore-password', message: 'invalid account password' });
  const iv = Buffer.from(String((parts.cipherparams as Params | undefined)?.iv ?? ''), 'hex');
  if (iv.length !== 16 || ciphertext.length !== 32) return bad('iv or ciphertext of wrong length');
  const cipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  return ok(new Uint8Array(Buffer.concat([cipher.update(ciphertext), cipher.final()])));
}
