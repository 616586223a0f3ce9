import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Address } from '../../types/ids.ts';
import type { AccessListItem, Authorization, EthTx, SignedEthTx } from '../chain.ts';
import type { AdmissionError } from '../errors.ts';
import { FieldReader } from './fieldReader.ts';
import { bigintToBytes } from './numbers.ts';
import { decodeRlp, encodeRlp, type RlpItem } from './rlp.ts';

/** geth's `txMaxSize`: four slots of 32 KiB, in bytes. */
export const ETH_TX_BYTES_MAX = 131072;

/** Order of secp256k1 (SEC 2); s must not exceed half of it (EIP-2). */
export const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HALF_N = SECP256K1_N / 2n;

type TxType = EthTx['type'];
/** All fields except those that the signature recovers. */
export type UnsignedParts = Omit<EthTx, 'hash' | 'from'> & {
  /** Bytes whose keccak256 was signed. */
  readonly signingBytes: Bytes;
  readonly yParity: number;
};

type Decoded<T> = Result<T, AdmissionError>;

const rlpError = (message: string): { readonly ok: false; readonly error: AdmissionError } =>
  err({ code: 'rlp', message: `rlp: ${message}` });

const GO_NAMES: Record<TxType, string> = {
  0: 'types.LegacyTx',
  1: 'types.AccessListTx',
  2: 'types.DynamicFeeTx',
  4: 'types.SetCodeTx',
};

const FIELD_COUNT: Record<TxType, number> = { 0: 9, 1: 11, 2: 12, 4: 13 };

function readAccessList(reader: FieldReader): readonly AccessListItem[] {
  return reader.list().map((entry) => {
    const [address, keys] = entry instanceof Uint8Array ? [undefined, undefined] : entry;
    const isPair = !(entry instanceof Uint8Array) && entry.length === 2;
    if (!isPair || !(address instanceof Uint8Array) || address.length !== 20) {
      reader.fail('malformed access list');
      return { address: EMPTY, storageKeys: [] };
    }
    if (keys === undefined || keys instanceof Uint8Array) {
      reader.fail('malformed access list');
      return { address, storageKeys: [] };
    }
    return { address, storageKeys: keys.map((key) => readStorageKey(reader, key)) };
  });
}

function readStorageKey(reader: FieldReader, key: RlpItem): Bytes {
  if (key instanceof Uint8Array && key.length === 32) return key;
  reader.fail('malformed access list');
  return EMPTY;
}

/** EIP-7702 tuples with values of at most 256, 64 and 8 bits. Execution checks the signatures. */
function readAuthorizations(reader: FieldReader): readonly Authorization[] {
  return reader.list().map((entry) => {
    const fields = new FieldReader(entry instanceof Uint8Array ? [] : entry, 'types.SetCodeAuthorization');
    if (entry instanceof Uint8Array || entry.length !== 6) reader.fail('malformed authorization');
    const authorization: Authorization = {
      chainId: fields.integer(32),
      address: fields.address(),
      nonce: fields.integer(8),
      yParity: Number(fields.integer(1)),
      r: fields.integer(32),
      s: fields.integer(32),
    };
    if (fields.failure !== undefined) reader.fail(fields.failure);
    return authorization;
  });
}

/** Legacy v: 27/28 unprotected, 35 + 2·chainId + parity protected (EIP-155); any other value is invalid. */
function legacyV(v: bigint): { readonly chainId: bigint | undefined; readonly yParity: number } | undefined {
  if (v === 27n || v === 28n) return { chainId: undefined, yParity: Number(v - 27n) };
  if (v < 35n) return undefined;
  return { chainId: (v - 35n) / 2n, yParity: Number((v - 35n) % 2n) };
}

/**
 * The fields between the fees and the access list or signature, the same in every type. Type 4 cannot create a
 * contract.
 */
const readCall = (reader: FieldReader, type: TxType) => ({
  gasLimit: reader.integer(8),
  to: type === 4 ? reader.address() : reader.optionalAddress(),
  value: reader.integer(32),
  data: reader.bytes(),
});

const readSignature = (reader: FieldReader) => ({
  v: reader.integer(32),
  r: reader.integer(32),
  s: reader.integer(32),
});

function parseLegacy(raw: Bytes, items: readonly RlpItem[]): Decoded<UnsignedParts> {
  const reader = new FieldReader(items, GO_NAMES[0]);
  const nonce = reader.integer(8);
  const fees = readFees(reader, 0);
  const call = readCall(reader, 0);
  const signature = readSignature(reader);
  if (reader.failure !== undefined) return rlpError(reader.failure);
  const meaning = legacyV(signature.v);
  if (meaning === undefined) return err({ code: 'signature' });
  const { chainId, yParity } = meaning;
  const replay = chainId === undefined ? [] : [bigintToBytes(chainId), EMPTY, EMPTY];
  const signingBytes = encodeRlp([...items.slice(0, 6), ...replay]);
  const lists = { accessList: [], authorizationList: [] };
  return ok({
    type: 0,
    raw,
    chainId,
    nonce,
    ...fees,
    ...call,
    ...lists,
    ...signature,
    signingBytes,
    yParity,
  });
}

function readFees(
  reader: FieldReader,
  type: TxType,
): Pick<EthTx, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'> {
  const first = reader.integer(32);
  if (type <= 1) return { gasPrice: first, maxFeePerGas: first, maxPriorityFeePerGas: first };
  return { gasPrice: undefined, maxPriorityFeePerGas: first, maxFeePerGas: reader.integer(32) };
}

function parseTyped(raw: Bytes, items: readonly RlpItem[], type: 1 | 2 | 4): Decoded<UnsignedParts> {
  const reader = new FieldReader(items, GO_NAMES[type]);
  const chainId = reader.integer(32);
  const nonce = reader.integer(8);
  const fees = readFees(reader, type);
  const call = readCall(reader, type);
  const accessList = readAccessList(reader);
  const authorizationList = type === 4 ? readAuthorizations(reader) : [];
  const signature = readSignature(reader);
  if (reader.failure !== undefined) return rlpError(reader.failure);
  if (signature.v > 1n) return err({ code: 'signature' });
  const payload = encodeRlp(items.slice(0, -3));
  const signingBytes = new Uint8Array(1 + payload.length);
  signingBytes[0] = type;
  signingBytes.set(payload, 1);
  const lists = { accessList, authorizationList };
  const yParity = Number(signature.v);
  return ok({ type, raw, chainId, nonce, ...fees, ...call, ...lists, ...signature, signingBytes, yParity });
}

/** Splits EIP-2718 bytes into type and field list. A first byte of 0xc0 or above starts a legacy list. */
function splitEnvelope(raw: Bytes): Decoded<{ readonly type: TxType; readonly items: readonly RlpItem[] }> {
  const first = raw[0];
  if (first === undefined) return err({ code: 'tx-too-short' });
  const isLegacy = first >= 0xc0;
  if (!isLegacy && first > 0x7f) return rlpError('expected input list for types.LegacyTx');
  if (!isLegacy && raw.length < 2) return err({ code: 'tx-too-short' });
  if (!isLegacy && first !== 1 && first !== 2 && first !== 4) return err({ code: 'tx-type' });
  const type: TxType = isLegacy ? 0 : (first as 1 | 2 | 4);
  const list = decodeRlp(isLegacy ? raw : raw.subarray(1));
  if (!list.ok) return list;
  if (list.value instanceof Uint8Array) return rlpError(`expected input list for ${GO_NAMES[type]}`);
  const excess = list.value.length - FIELD_COUNT[type];
  if (excess < 0) return rlpError(`too few elements for ${GO_NAMES[type]}`);
  if (excess > 0) return rlpError(`input list has too many elements for ${GO_NAMES[type]}`);
  return ok({ type, items: list.value });
}

/** Decodes without recovering the sender: for transactions that this node stored together with their sender. */
export function parseEthTx(raw: Bytes): Decoded<UnsignedParts> {
  if (raw.length > ETH_TX_BYTES_MAX)
    return err({ code: 'oversized', size: raw.length, limit: ETH_TX_BYTES_MAX });
  const split = splitEnvelope(raw);
  if (!split.ok) return split;
  const { type, items } = split.value;
  return type === 0 ? parseLegacy(raw, items) : parseTyped(raw, items, type);
}

/** Adds the recovered sender and the hash. */
export function completeEthTx(parts: UnsignedParts, from: Address, hash: Bytes): EthTx {
  const { signingBytes: _signingBytes, yParity: _yParity, ...fields } = parts;
  return { ...fields, from, hash };
}

const compress = (key: Bytes): Bytes => {
  const out = new Uint8Array(33);
  out[0] = 2 + ((key[64] as number) & 1);
  out.set(key.subarray(1, 33), 1);
  return out;
};

/** Address of a 65-byte uncompressed key: the last 20 bytes of keccak256 of its coordinates. */
export const addressOfKey = (key: Bytes, suite: Pick<CryptoSuite, 'keccak256'>): Address =>
  suite.keccak256(key.subarray(1)).slice(12);

/** r ‖ s, or undefined when either is out of range or s is in the upper half (EIP-2). */
export function signatureBytes(r: bigint, s: bigint): Bytes | undefined {
  if (r <= 0n || r >= SECP256K1_N || s <= 0n || s > HALF_N) return undefined;
  const rs = new Uint8Array(64);
  const rBytes = bigintToBytes(r);
  const sBytes = bigintToBytes(s);
  rs.set(rBytes, 32 - rBytes.length);
  rs.set(sBytes, 64 - sBytes.length);
  return rs;
}

/**
 * Decodes EIP-2718 bytes of type 0, 1, 2 or 4 and recovers the signer. Strict: canonical RLP, exact field counts, low
 * s. Admission checks the chain id (see evm/admission.ts).
 */
export function decodeEthTx(raw: Bytes, suite: CryptoSuite): Decoded<SignedEthTx> {
  const parsed = parseEthTx(raw);
  return parsed.ok ? recoverSigner(parsed.value, suite) : parsed;
}

/** The second half of decodeEthTx, and the one that takes time. */
export function recoverSigner(parts: UnsignedParts, suite: CryptoSuite): Decoded<SignedEthTx> {
  const rs = signatureBytes(parts.r, parts.s);
  if (rs === undefined) return err({ code: 'signature' });
  const key = suite.secp256k1Recover(suite.keccak256(parts.signingBytes), rs, parts.yParity);
  if (key === undefined) return err({ code: 'signature' });
  const tx = completeEthTx(parts, addressOfKey(key, suite), suite.keccak256(parts.raw));
  return ok({ tx, pubKey: compress(key) });
}
