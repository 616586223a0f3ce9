/**
 * Files of the Cosmos SDK's file keyring: compact JWE (RFC 7516). A password wraps the content key (PBES2-HS256+A128KW,
 * RFC 7518 §4.8), which encrypts the content with AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Bytes } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';

export interface JweError {
  readonly code: 'jwe-format' | 'jwe-password';
  readonly message: string;
}

const ALG = 'PBES2-HS256+A128KW';
const ENC = 'A256GCM';
const ROUNDS = 8192;
/** A file with more rounds would only waste time. */
const ROUNDS_MAX = 10_000_000;
const SALT_BYTES = 12;
const WRAP_IV = Buffer.from('a6a6a6a6a6a6a6a6', 'hex');
const CONTENT_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const wrappingKey = (password: string, salt: Uint8Array, rounds: number): Buffer =>
  pbkdf2Sync(password, Buffer.concat([Buffer.from(`${ALG}\0`), salt]), rounds, 16, 'sha256');

/** Use `rounds` below the SDK's 8192 only if nothing needs protection. */
export function encryptJwe(password: string, payload: Bytes, created: string, rounds = ROUNDS): string {
  const salt = randomBytes(SALT_BYTES);
  const contentKey = randomBytes(CONTENT_KEY_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const header = { alg: ALG, created, enc: ENC, p2c: rounds, p2s: salt.toString('base64url') };
  const wrap = createCipheriv('aes128-wrap', wrappingKey(password, salt, rounds), WRAP_IV);
  const wrapped = Buffer.concat([wrap.update(contentKey), wrap.final()]);
  const protectedHeader = Buffer.from(JSON.stringify(header)).toString('base64url');
  const cipher = createCipheriv('aes-256-gcm', contentKey, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(protectedHeader));
  const content = Buffer.concat([cipher.update(payload), cipher.final()]);
  const parts = [wrapped, nonce, content, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [protectedHeader, ...parts].join('.');
}

const malformed = (message: string): Result<never, JweError> => err({ code: 'jwe-format', message });

interface Header {
  readonly salt: Buffer;
  readonly rounds: number;
}

function parseHeader(text: string): Header | undefined {
  try {
    const json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<
      string,
      unknown
    > | null;
    const { alg, enc, p2c, p2s } = json ?? {};
    if (alg !== ALG || enc !== ENC || typeof p2s !== 'string') return undefined;
    if (typeof p2c !== 'number' || !Number.isSafeInteger(p2c) || p2c < 1 || p2c > ROUNDS_MAX)
      return undefined;
    return { salt: Buffer.from(p2s, 'base64url'), rounds: p2c };
  } catch {
    return undefined;
  }
}

export function decryptJwe(password: string, text: string): Result<Bytes, JweError> {
  const parts = text.trim().split('.');
  const [protectedHeader = '', ...rest] = parts;
  if (parts.length !== 5) return malformed(`${parts.length} parts, expected 5`);
  const header = parseHeader(protectedHeader);
  if (header === undefined) return malformed(`header is not ${ALG} with ${ENC}`);
  const [wrapped, nonce, content, tag] = rest.map((part) => Buffer.from(part, 'base64url'));
  if (wrapped?.length !== CONTENT_KEY_BYTES + 8) return malformed('wrapped key of wrong length');
  if (nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES)
    return malformed('nonce or tag of wrong length');
  try {
    const unwrap = createDecipheriv(
      'aes128-wrap',
      wrappingKey(password, header.salt, header.rounds),
      WRAP_IV,
    );
    const contentKey = Buffer.concat([unwrap.update(wrapped), unwrap.final()]);
    const cipher = createDecipheriv('aes-256-gcm', contentKey, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(protectedHeader));
    cipher.setAuthTag(tag);
    return ok(new Uint8Array(Buffer.concat([cipher.update(content ?? Buffer.alloc(0)), cipher.final()])));
  } catch {
    // Both ciphers authenticate: a failure is a wrong password or changed bytes, which they cannot distinguish.
    return err({ code: 'jwe-password', message: 'wrong password or damaged file' });
  }
}
