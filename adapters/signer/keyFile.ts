import { readFileSync } from 'node:fs';
import { parseValidatorKey, renderValidatorKey, type ValidatorKey } from '../../core/codec/keyFiles.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

export type { ValidatorKey };

export function validatorKey(seed: Bytes, suite: CryptoSuite): ValidatorKey {
  const publicKey = suite.ed25519PublicKey(seed);
  return { seed, publicKey, address: suite.sha256(publicKey).slice(0, 20) };
}

/** Writes the key in the format of CometBFT's priv_validator_key.json. */
export function saveValidatorKey(path: string, key: ValidatorKey): void {
  onFile('write', path, () => replaceFile(path, Buffer.from(renderValidatorKey(key))));
}

/** Reads and checks the key: the stored public key and address must derive from the secret. Throws OperatingError. */
export function loadValidatorKey(path: string, suite: CryptoSuite): ValidatorKey {
  const parsed = parseValidatorKey(onFile('read', path, () => readFileSync(path, 'utf8')));
  if (!parsed.ok) throw new OperatingError(`validator key ${path} is not usable: ${parsed.error.message}`);
  const key = parsed.value;
  // The suite that will sign must derive the same public key from the seed as the suite that read the file.
  if (!equalBytes(suite.ed25519PublicKey(key.seed), key.publicKey))
    throw new OperatingError(
      `validator key ${path} is not usable: this machine's ed25519 derives another public key`,
    );
  return key;
}
