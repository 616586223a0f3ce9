/**
 * StdTx, the transaction format before protobuf, in amino's binary form and JSON: old wallets and offline tools still
 * use it. Amino's binary form is protobuf's with a prefix before each registered type.
 */

import { type AminoJson, aminoText } from '../../app/cosmos/aminoJson.ts';
import { MSG_MULTI_SEND, MSG_SEND } from '../../app/cosmos/tables.ts';
import { COIN, type Coin, TX_RAW_BYTES_MAX } from '../../app/tx/tables.ts';
import { bytes, optional, repeated, repeatedBytes, string, uint64Big } from '../../codec/fields.ts';
import { decode, encode, type Shape, type Table, table } from '../../codec/proto.ts';
import { aminoPrefix, PUB_KEY_NAMES } from '../../crypto/amino.ts';
import { fromBase64, toBase64 } from '../../lib/base64.ts';
import { type Bytes, concat, equalBytes } from '../../lib/bytes.ts';
import { fromProtoJson, protoJson } from './protoJson.ts';
import { GRPC, GrpcError } from './status.ts';

const STD_TX_NAME = 'cosmos-sdk/StdTx';
const MESSAGES_MAX = 64;
const KEY_BYTES = 33;

interface StdFee {
  readonly amount: readonly Coin[];
  readonly gas: bigint;
  readonly payer: string;
  readonly granter: string;
}
const STD_FEE = table<StdFee>('cosmos-sdk.StdFee', [
  repeated(1, 'amount', COIN, MESSAGES_MAX),
  uint64Big(2, 'gas'),
  string(3, 'payer', 128),
  string(4, 'granter', 128),
]);

interface StdSignature {
  /** Amino prefix, length and key; empty when the account already has its key. */
  readonly pubKey: Bytes;
  readonly signature: Bytes;
}
const STD_SIGNATURE = table<StdSignature>('cosmos-sdk.StdSignature', [
  bytes(1, 'pubKey', 128),
  bytes(2, 'signature', 1024),
]);

interface StdTx {
  readonly msgs: readonly Bytes[];
  readonly fee: StdFee | undefined;
  readonly signatures: readonly StdSignature[];
  readonly memo: string;
  readonly timeoutHeight: bigint;
}
const STD_TX = table<StdTx>('cosmos-sdk.StdTx', [
  repeatedBytes(1, 'msgs', TX_RAW_BYTES_MAX, MESSAGES_MAX),
  optional(2, 'fee', STD_FEE),
  repeated(3, 'signatures', STD_SIGNATURE, MESSAGES_MAX),
  string(4, 'memo', 65_536),
  uint64Big(5, 'timeoutHeight'),
]);

interface Registered {
  readonly name: string;
  readonly prefix: Bytes;
  readonly shape: Table<unknown>;
}
const registered = (name: string, shape: unknown): Registered => ({
  name,
  prefix: aminoPrefix(name),
  shape: shape as Table<unknown>,
});
const MESSAGES: readonly Registered[] = [
  registered('cosmos-sdk/MsgSend', MSG_SEND),
  registered('cosmos-sdk/MsgMultiSend', MSG_MULTI_SEND),
];
const KEYS = [...PUB_KEY_NAMES, 'tendermint/PubKeySecp256k1'].map((name) => ({
  name,
  prefix: aminoPrefix(name),
}));
const STD_TX_PREFIX = aminoPrefix(STD_TX_NAME);

const refuse = (message: string): never => {
  throw new GrpcError(GRPC.invalidArgument, message);
};

type Loose = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown, at: string): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Loose)
    : refuse(`${at}: expected an object`);

const listOf = (value: unknown, at: string): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.length <= MESSAGES_MAX
    ? value
    : refuse(`${at}: expected a list of at most ${MESSAGES_MAX}`);
};

const hasPrefix = (prefix: Bytes, data: Bytes): boolean => equalBytes(prefix, data.subarray(0, 4));

function messageBytes(json: unknown, at: string): Bytes {
  const { type, value } = objectOf(json, at);
  const row = MESSAGES.find(({ name }) => name === type) ?? refuse(`${at}.type: no message ${String(type)}`);
  const fields = fromProtoJson(row.shape, objectOf(value, `${at}.value`), `${at}.value`);
  return concat(row.prefix, encode(row.shape as Shape<unknown>, fields));
}

function messageJson(data: Bytes): AminoJson {
  const row =
    MESSAGES.find(({ prefix }) => hasPrefix(prefix, data)) ?? refuse('tx parse error: unknown message');
  const read = decode(row.shape, data.subarray(4));
  if (!read.ok) return refuse(`tx parse error: ${read.error.message}`);
  return { type: row.name, value: protoJson(row.shape, read.value) as AminoJson };
}

function base64Of(value: unknown, at: string): Bytes {
  const read = typeof value === 'string' ? fromBase64(value) : undefined;
  return read?.ok === true ? read.value : refuse(`${at}: expected base64`);
}

function signatureOf(json: unknown, at: string): StdSignature {
  const { pub_key: key, signature } = objectOf(json, at);
  const signed = base64Of(signature, `${at}.signature`);
  if (key === undefined || key === null) return { pubKey: new Uint8Array(0), signature: signed };
  const { type, value } = objectOf(key, `${at}.pub_key`);
  const row = KEYS.find(({ name }) => name === type) ?? refuse(`${at}.pub_key: no key type ${String(type)}`);
  const raw = base64Of(value, `${at}.pub_key.value`);
  if (raw.length !== KEY_BYTES) refuse(`invalid pubkey size, expected ${KEY_BYTES}, got ${raw.length}`);
  return { pubKey: concat(row.prefix, Uint8Array.of(KEY_BYTES), raw), signature: signed };
}

function signatureJson({ pubKey, signature }: StdSignature): AminoJson {
  const signed = { signature: toBase64(signature) };
  if (pubKey.length === 0) return signed;
  const row = KEYS.find(({ prefix }) => hasPrefix(prefix, pubKey));
  if (row === undefined || pubKey[4] !== KEY_BYTES || pubKey.length !== KEY_BYTES + 5)
    return refuse('tx parse error: unknown public key');
  return { pub_key: { type: row.name, value: toBase64(pubKey.subarray(5)) }, ...signed };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('invalid request: amino_json is not JSON');
  }
}

/** Converts the JSON of a StdTx to its amino bytes. Throws GrpcError. */
export function stdTxBytes(text: string): Bytes {
  const { type, value } = objectOf(parsed(text), 'amino_json');
  if (type !== STD_TX_NAME) refuse(`invalid request: expected a ${STD_TX_NAME}, found ${String(type)}`);
  const { msg, fee, signatures, memo = '', timeout_height = '0' } = objectOf(value, 'value');
  const rest = fromProtoJson(STD_TX as unknown as Table<unknown>, { memo, timeout_height });
  const tx = {
    ...rest,
    msgs: listOf(msg, 'msg').map((one, i) => messageBytes(one, `msg[${i}]`)),
    fee:
      fee === undefined || fee === null
        ? undefined
        : fromProtoJson(STD_FEE as unknown as Table<unknown>, fee, 'fee'),
    signatures: listOf(signatures, 'signatures').map((one, i) => signatureOf(one, `signatures[${i}]`)),
  };
  return concat(STD_TX_PREFIX, encode(STD_TX as unknown as Shape<unknown>, tx));
}

/** Converts the amino bytes of a StdTx to its JSON, as the SDK writes it. Throws GrpcError. */
export function stdTxJson(data: Bytes): string {
  if (!hasPrefix(STD_TX_PREFIX, data)) return refuse(`tx parse error: no ${STD_TX_NAME}`);
  const read = decode(STD_TX, data.subarray(4));
  if (!read.ok) return refuse(`tx parse error: ${read.error.message}`);
  const { msgs, fee, signatures, memo, timeoutHeight } = read.value;
  return aminoText({
    type: STD_TX_NAME,
    value: {
      msg: msgs.map(messageJson),
      fee: feeJson(fee),
      signatures: signatures.map(signatureJson),
      memo,
      timeout_height: timeoutHeight.toString(),
    },
  });
}

function feeJson(fee: StdFee | undefined): AminoJson {
  const { amount = [], gas = 0n, payer = '', granter = '' } = fee ?? {};
  return {
    amount: amount.map((coin) => ({ denom: coin.denom, amount: coin.amount })),
    gas: gas.toString(),
    ...(payer === '' ? {} : { payer }),
    ...(granter === '' ? {} : { granter }),
  };
}
