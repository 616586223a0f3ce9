/** `cosmos.crypto.keyring.v1.Record`: the content of a `<name>.info` file. */
import { bytes, optional, string } from '../../core/codec/fields.ts';
import { decode, encode, table } from '../../core/codec/proto.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';

const NAME_BYTES_MAX = 1024;
const KEY_BYTES_MAX = 4096;

interface Any {
  readonly typeUrl: string;
  readonly value: Bytes;
}
const ANY = table<Any>('Any', [string(1, 'typeUrl', NAME_BYTES_MAX), bytes(2, 'value', KEY_BYTES_MAX)]);

interface Key {
  readonly key: Bytes;
}
const KEY = table<Key>('Key', [bytes(1, 'key', KEY_BYTES_MAX)]);

interface Local {
  readonly privKey: Any | undefined;
}
const LOCAL = table<Local>('Local', [optional(1, 'privKey', ANY)]);

interface Foreign {
  readonly path: Bytes;
}
const FOREIGN = table<Foreign>('Foreign', [bytes(1, 'path', KEY_BYTES_MAX)]);

interface WireRecord {
  readonly name: string;
  readonly pubKey: Any | undefined;
  readonly local: Local | undefined;
  readonly ledger: Foreign | undefined;
  readonly multi: Foreign | undefined;
  readonly offline: Foreign | undefined;
}
const RECORD = table<WireRecord>('Record', [
  string(1, 'name', NAME_BYTES_MAX),
  optional(2, 'pubKey', ANY),
  optional(3, 'local', LOCAL),
  optional(4, 'ledger', FOREIGN),
  optional(5, 'multi', FOREIGN),
  optional(6, 'offline', FOREIGN),
]);

const PUB_KEY_URL = '/chain.crypto.v1.ethsecp256k1.PubKey';
const PRIV_KEY_URL = '/chain.crypto.v1.ethsecp256k1.PrivKey';
/** The same key type under the names of related chains: read, never written. */
const PUB_KEY_URLS: ReadonlySet<string> = new Set([
  PUB_KEY_URL,
  '/ethermint.crypto.v1.ethsecp256k1.PubKey',
  '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey',
]);
const PRIV_KEY_URLS: ReadonlySet<string> = new Set([
  PRIV_KEY_URL,
  '/ethermint.crypto.v1.ethsecp256k1.PrivKey',
  '/cosmos.evm.crypto.v1.ethsecp256k1.PrivKey',
]);

export type RecordKind = 'local' | 'ledger' | 'offline';

export interface StoredKey {
  readonly name: string;
  readonly kind: RecordKind;
  /** 33 bytes, eth_secp256k1. */
  readonly publicKey: Bytes;
  /** 32 bytes; undefined unless `local`. */
  readonly secret: Bytes | undefined;
}

export interface RecordError {
  readonly code: 'record';
  readonly message: string;
}

const bad = (message: string): Result<never, RecordError> => err({ code: 'record', message });

export function encodeRecord({ name, kind, publicKey, secret }: StoredKey): Bytes {
  const pubKey = { typeUrl: PUB_KEY_URL, value: encode(KEY, { key: publicKey }) };
  const privKey =
    secret === undefined ? undefined : { typeUrl: PRIV_KEY_URL, value: encode(KEY, { key: secret }) };
  const foreign = { path: new Uint8Array(0) };
  return encode(RECORD, {
    name,
    pubKey,
    local: kind === 'local' ? { privKey } : undefined,
    ledger: kind === 'ledger' ? foreign : undefined,
    multi: undefined,
    offline: kind === 'offline' ? foreign : undefined,
  });
}

/** Reads eth_secp256k1 keys only. For another key type or a multisig, the error names it. */
export function decodeRecord(from: Bytes): Result<StoredKey, RecordError> {
  const decoded = decode(RECORD, from);
  if (!decoded.ok) return bad(`not a keyring record: ${decoded.error.message}`);
  const { name, pubKey, local, ledger, multi } = decoded.value;
  if (multi !== undefined) return bad(`${name} is a multisig key`);
  const publicKey = keyOf(PUB_KEY_URLS, pubKey, 33);
  if (publicKey === undefined) return bad(`${name} has a public key of type ${pubKey?.typeUrl ?? 'none'}`);
  const kind: RecordKind = local !== undefined ? 'local' : ledger !== undefined ? 'ledger' : 'offline';
  if (kind !== 'local') return ok({ name, kind, publicKey, secret: undefined });
  const secret = keyOf(PRIV_KEY_URLS, local?.privKey, 32);
  if (secret === undefined)
    return bad(`${name} has a private key of type ${local?.privKey?.typeUrl ?? 'none'}`);
  return ok({ name, kind, publicKey, secret });
}

function keyOf(urls: ReadonlySet<string>, any: Any | undefined, length: number): Bytes | undefined {
  if (any === undefined || !urls.has(any.typeUrl)) return undefined;
  const decoded = decode(KEY, any.value);
  return decoded.ok && decoded.value.key.length === length ? decoded.value.key : undefined;
}
