/** The key files of a CometBFT home, as texts. Adapters read and write the files themselves. */
import { ed25519Address } from '../crypto/addresses.ts';
import { nobleSuite } from '../crypto/noble.ts';
import { toBase64 } from '../lib/base64.ts';
import { type Bytes, concat, equalBytes, toUpperHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Address } from '../types/ids.ts';
import { publicKeyFromJson } from './genesis.ts';
import { type JsonObject, publicKeyJson } from './json.ts';
import { JsonReader, parseJson } from './jsonReader.ts';

export interface KeyFileError {
  readonly code: 'key-file';
  readonly field: string;
  /** Says what is wrong, without revealing the secret. */
  readonly message: string;
}

export interface Ed25519Key {
  /** 32 bytes, secret. */
  readonly seed: Bytes;
  /** 32 bytes. */
  readonly publicKey: Bytes;
}

export interface ValidatorKey extends Ed25519Key {
  readonly address: Address;
}

const PRIVATE_KEY_NAME = 'tendermint/PrivKeyEd25519';

function readText<T>(
  text: string,
  read: (reader: JsonReader, doc: JsonObject) => T,
): Result<T, KeyFileError> {
  const json = parseJson(text);
  if (json === undefined) return err({ code: 'key-file', field: '', message: 'the file is not JSON' });
  const reader = new JsonReader();
  const value = read(reader, reader.object(json.value, 'document') as JsonObject);
  const { problem } = reader;
  return problem === undefined ? ok(value) : err({ code: 'key-file', ...problem });
}

function readPrivateKey(reader: JsonReader, given: unknown): Ed25519Key {
  const { type, value } = reader.object(given, 'priv_key');
  if (type !== PRIVATE_KEY_NAME) reader.fail('priv_key.type', PRIVATE_KEY_NAME);
  const secret = reader.base64(value, 'priv_key.value', 64);
  const key = { seed: secret.slice(0, 32), publicKey: secret.slice(32) };
  if (reader.problem === undefined && !equalBytes(nobleSuite.ed25519PublicKey(key.seed), key.publicKey)) {
    reader.fail('priv_key.value', 'seed and public key that belong together');
  }
  return key;
}

const privateKeyJson = (key: Ed25519Key): JsonObject => ({
  type: PRIVATE_KEY_NAME,
  value: toBase64(concat(key.seed, key.publicKey)),
});

/** node_key.json. */
export const parseNodeKey = (text: string): Result<Ed25519Key, KeyFileError> =>
  readText(text, (reader, doc) => readPrivateKey(reader, doc['priv_key']));

export const renderNodeKey = (key: Ed25519Key): string => JSON.stringify({ priv_key: privateKeyJson(key) });

/** priv_validator_key.json. The address and the public key must follow from the secret. */
export const parseValidatorKey = (text: string): Result<ValidatorKey, KeyFileError> =>
  readText(text, (reader, doc) => {
    const key = readPrivateKey(reader, doc['priv_key']);
    const address = ed25519Address(key.publicKey);
    const written = publicKeyFromJson(reader, doc['pub_key'], 'pub_key');
    if (!equalBytes(written.bytes, key.publicKey)) reader.fail('pub_key', 'the public key of priv_key');
    if (!equalBytes(reader.hex(doc['address'], 'address'), address)) {
      reader.fail('address', 'the address of priv_key');
    }
    return { ...key, address };
  });

export function renderValidatorKey(key: Ed25519Key): string {
  const file = {
    address: toUpperHex(ed25519Address(key.publicKey)),
    pub_key: publicKeyJson({ type: 'ed25519', bytes: key.publicKey }),
    priv_key: privateKeyJson(key),
  };
  return JSON.stringify(file, undefined, 2);
}
