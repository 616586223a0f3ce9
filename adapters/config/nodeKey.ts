import { readFileSync } from 'node:fs';
import { parseNodeKey, renderNodeKey } from '../../core/codec/keyFiles.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/** node_key.json: the ed25519 key that identifies a node to its peers, in CometBFT's format. */
export function saveNodeKey(path: string, seed: Bytes, suite: CryptoSuite): void {
  const text = renderNodeKey({ seed, publicKey: suite.ed25519PublicKey(seed) });
  onFile('write', path, () => replaceFile(path, Buffer.from(text)));
}

/** The 32-byte seed. Throws OperatingError. */
export function loadNodeKey(path: string, suite: CryptoSuite): Bytes {
  const key = parseNodeKey(onFile('read', path, () => readFileSync(path, 'utf8')));
  if (!key.ok) throw new OperatingError(`node key ${path} is not usable: ${key.error.message}`);
  const { seed, publicKey } = key.value;
  if (!equalBytes(suite.ed25519PublicKey(seed), publicKey))
    throw new OperatingError(`node key ${path} is not usable: its two halves do not belong together`);
  return seed;
}

/** Node id: lower-case hex of the first 20 bytes of sha256(public key). */
export const nodeIdOf = (seed: Bytes, suite: CryptoSuite): string =>
  toHex(suite.sha256(suite.ed25519PublicKey(seed)).subarray(0, 20));
