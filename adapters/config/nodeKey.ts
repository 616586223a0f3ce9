import { readFileSync } from 'node:fs';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, concat, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/** node_key.json: the ed25519 key that names a node to its peers, as CometBFT keeps it. */
export function saveNodeKey(path: string, seed: Bytes, suite: CryptoSuite): void {
  const value = toBase64(concat(seed, suite.ed25519PublicKey(seed)));
  const json = { priv_key: { type: 'tendermint/PrivKeyEd25519', value } };
  onFile('write', path, () => replaceFile(path, Buffer.from(JSON.stringify(json))));
}

/** The 32-byte seed. Throws OperatingError. */
export function loadNodeKey(path: string, suite: CryptoSuite): Bytes {
  const text = onFile('read', path, () => readFileSync(path, 'utf8'));
  const key = privKeyOf(text);
  const secret =
    key?.type === 'tendermint/PrivKeyEd25519' && typeof key.value === 'string'
      ? fromBase64(key.value)
      : undefined;
  if (secret?.ok !== true || secret.value.length !== 64) {
    throw new OperatingError(`node key ${path} is not usable: expected priv_key with 64 bytes in base64`);
  }
  const seed = secret.value.slice(0, 32);
  if (!equalBytes(suite.ed25519PublicKey(seed), secret.value.subarray(32))) {
    throw new OperatingError(`node key ${path} is not usable: its two halves do not belong together`);
  }
  return seed;
}

function privKeyOf(text: string): { type?: unknown; value?: unknown } | undefined {
  try {
    return (JSON.parse(text) as { priv_key?: { type?: unknown; value?: unknown } } | null)?.priv_key;
  } catch {
    return undefined;
  }
}

/** Node id: lower-case hex of the first 20 bytes of sha256(public key). */
export const nodeIdOf = (seed: Bytes, suite: CryptoSuite): string =>
  toHex(suite.sha256(suite.ed25519PublicKey(seed)).subarray(0, 20));
