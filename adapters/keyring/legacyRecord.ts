/** The content of `<name>.info` before SDK 0.46: amino's LegacyInfo. `keys migrate` reads it. */

import { bytes, string } from '../../core/codec/fields.ts';
import { decode, type Table, table } from '../../core/codec/proto.ts';
import { aminoPrefix, PRIV_KEY_NAMES, PUB_KEY_NAMES } from '../../core/crypto/amino.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { RecordError, StoredKey } from './record.ts';

const TEXT_MAX = 1024;

interface LegacyKey {
  readonly name: string;
  readonly pubKey: Bytes;
  /** Amino bytes of the private key; the SDK calls the field armor, but it never was. */
  readonly secret: Bytes;
  readonly algo: string;
}

const LOCAL = table<LegacyKey>('localInfo', [
  string(1, 'name', TEXT_MAX),
  bytes(2, 'pubKey', TEXT_MAX),
  bytes(3, 'secret', TEXT_MAX),
  string(4, 'algo', TEXT_MAX),
]);
const OFFLINE = table<Omit<LegacyKey, 'secret'>>('offlineInfo', [
  string(1, 'name', TEXT_MAX),
  bytes(2, 'pubKey', TEXT_MAX),
  string(3, 'algo', TEXT_MAX),
]);
const [LOCAL_PREFIX, OFFLINE_PREFIX] = ['crypto/keys/localInfo', 'crypto/keys/offlineInfo'].map(aminoPrefix);

const bad = (message: string): Result<never, RecordError> => err({ code: 'record', message });

/** The key in amino's form: prefix, length, key. */
function keyIn(data: Bytes, names: readonly string[], length: number): Bytes | undefined {
  const isKnown = names.some((name) => equalBytes(aminoPrefix(name), data.slice(0, 4)));
  return isKnown && data[4] === length && data.length === length + 5 ? data.slice(5) : undefined;
}

/** Reads eth_secp256k1 keys that are local or offline; undefined if the bytes are no LegacyInfo. */
export function decodeLegacyRecord(from: Bytes): Result<StoredKey, RecordError> | undefined {
  const prefix = from.slice(0, 4);
  const isLocal = equalBytes(prefix, LOCAL_PREFIX as Bytes);
  if (!isLocal && !equalBytes(prefix, OFFLINE_PREFIX as Bytes)) return undefined;
  const shape = (isLocal ? LOCAL : OFFLINE) as Table<Omit<LegacyKey, 'secret'> & { secret?: Bytes }>;
  const decoded = decode(shape, from.slice(4));
  if (!decoded.ok) return bad(`not a legacy keyring record: ${decoded.error.message}`);
  const { name, pubKey, secret: amino } = decoded.value;
  const publicKey = keyIn(pubKey, PUB_KEY_NAMES, 33);
  if (publicKey === undefined) return bad(`${name} has a public key of another type than eth_secp256k1`);
  if (!isLocal) return ok({ name, kind: 'offline', publicKey, secret: undefined });
  const secret = amino === undefined ? undefined : keyIn(amino, PRIV_KEY_NAMES, 32);
  if (secret === undefined) return bad(`${name} has a private key of another type than eth_secp256k1`);
  return ok({ name, kind: 'local', publicKey, secret });
}
