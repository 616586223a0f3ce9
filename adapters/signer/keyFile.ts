import { readFileSync } from 'node:fs';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, concat, equalBytes, toUpperHex } from '../../core/lib/bytes.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/** The validator's ed25519 key, as in CometBFT's priv_validator_key.json. */
export interface ValidatorKey {
  /** 32 bytes, secret. */
  readonly seed: Bytes;
  /** 32 bytes. */
  readonly publicKey: Bytes;
  /** First 20 bytes of sha256(publicKey). */
  readonly address: Bytes;
}

export function validatorKey(seed: Bytes, suite: CryptoSuite): ValidatorKey {
  const publicKey = suite.ed25519PublicKey(seed);
  return { seed, publicKey, address: suite.sha256(publicKey).slice(0, 20) };
}

export function saveValidatorKey(path: string, key: ValidatorKey): void {
  const json = {
    address: toUpperHex(key.address),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: toBase64(key.publicKey) },
    priv_key: { type: 'tendermint/PrivKeyEd25519', value: toBase64(concat(key.seed, key.publicKey)) },
  };
  onFile('write', path, () => replaceFile(path, Buffer.from(JSON.stringify(json, undefined, 2))));
}

/** Reads and checks the key: the stored public half and address must follow from the secret. Throws OperatingError. */
export function loadValidatorKey(path: string, suite: CryptoSuite): ValidatorKey {
  const text = onFile('read', path, () => readFileSync(path, 'utf8'));
  const { priv_key, pub_key, address } = parseObject(path, text);
  const secret = keyBytes(path, 'priv_key', priv_key, 'tendermint/PrivKeyEd25519', 64);
  const key = validatorKey(secret.slice(0, 32), suite);
  if (!equalBytes(key.publicKey, secret.subarray(32)))
    throw bad(path, 'priv_key does not hold its own public key');
  const publicKey = keyBytes(path, 'pub_key', pub_key, 'tendermint/PubKeyEd25519', 32);
  if (!equalBytes(key.publicKey, publicKey)) throw bad(path, 'pub_key does not belong to priv_key');
  if (address !== toUpperHex(key.address)) throw bad(path, 'address does not belong to the key');
  return key;
}

const bad = (path: string, reason: string): OperatingError =>
  new OperatingError(`validator key ${path} is not usable: ${reason}`);

function parseObject(path: string, text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) return json as Record<string, unknown>;
  } catch {
    throw bad(path, 'not JSON');
  }
  throw bad(path, 'not a JSON object');
}

function keyBytes(path: string, name: string, value: unknown, type: string, length: number): Bytes {
  const key = value as { type?: unknown; value?: unknown } | null | undefined;
  if (key?.type !== type) throw bad(path, `${name}.type is not ${type}`);
  const bytes = typeof key.value === 'string' ? fromBase64(key.value) : undefined;
  if (bytes?.ok !== true || bytes.value.length !== length) {
    throw bad(path, `${name}.value is not ${length} bytes in base64`);
  }
  return bytes.value;
}
