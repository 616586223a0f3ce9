/** Strict tables of cosmos.tx.v1beta1 and chain.evm.v1. Every field is bounded, far above any sensible size. */
import { bytes, optional, repeated, repeatedBytes, string, uint64Big } from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';

/** Largest consensus transaction that is decoded, in bytes: an Ethereum transaction of 128 KiB and its wrapping fit. */
export const TX_RAW_BYTES_MAX = 1_048_576;
const MESSAGES_MAX = 64;
const COINS_MAX = 64;
/** Maximum bytes of texts such as a memo. */
export const TEXT_BYTES_MAX = 65_536;

export interface Any {
  readonly typeUrl: string;
  readonly value: Bytes;
}

export const ANY = table<Any>('google.protobuf.Any', [
  string(1, 'typeUrl', 256),
  bytes(2, 'value', TX_RAW_BYTES_MAX),
]);

export interface TxRaw {
  readonly bodyBytes: Bytes;
  readonly authInfoBytes: Bytes;
  readonly signatures: readonly Bytes[];
}

export const TX_RAW = table<TxRaw>('cosmos.tx.v1beta1.TxRaw', [
  bytes(1, 'bodyBytes', TX_RAW_BYTES_MAX),
  bytes(2, 'authInfoBytes', TX_RAW_BYTES_MAX),
  repeatedBytes(3, 'signatures', 1024, MESSAGES_MAX),
]);

export interface TxBody {
  readonly messages: readonly Any[];
  readonly memo: string;
  readonly timeoutHeight: bigint;
  readonly extensionOptions: readonly Any[];
  readonly nonCriticalExtensionOptions: readonly Any[];
}

export const TX_BODY = table<TxBody>('cosmos.tx.v1beta1.TxBody', [
  repeated(1, 'messages', ANY, MESSAGES_MAX),
  string(2, 'memo', TEXT_BYTES_MAX),
  uint64Big(3, 'timeoutHeight'),
  repeated(1023, 'extensionOptions', ANY, MESSAGES_MAX),
  repeated(2047, 'nonCriticalExtensionOptions', ANY, MESSAGES_MAX),
]);

export interface Coin {
  readonly denom: string;
  /** Decimal digits. */
  readonly amount: string;
}

export const COIN = table<Coin>('cosmos.base.v1beta1.Coin', [
  string(1, 'denom', 128),
  string(2, 'amount', 128),
]);

export interface Fee {
  readonly amount: readonly Coin[];
  readonly gasLimit: bigint;
  readonly payer: string;
  readonly granter: string;
}

export const FEE = table<Fee>('cosmos.tx.v1beta1.Fee', [
  repeated(1, 'amount', COIN, COINS_MAX),
  uint64Big(2, 'gasLimit'),
  string(3, 'payer', 128),
  string(4, 'granter', 128),
]);

export interface AuthInfo {
  /** Encoded cosmos.tx.v1beta1.SignerInfo; decoded only for Cosmos-signed transactions. */
  readonly signerInfos: readonly Bytes[];
  readonly fee: Fee | undefined;
  readonly tip: Bytes;
}

export const AUTH_INFO = table<AuthInfo>('cosmos.tx.v1beta1.AuthInfo', [
  repeatedBytes(1, 'signerInfos', TEXT_BYTES_MAX, MESSAGES_MAX),
  optional(2, 'fee', FEE),
  bytes(3, 'tip', TEXT_BYTES_MAX),
]);

export interface MsgEthereumTx {
  /** 20 bytes; must equal the recovered signer. */
  readonly from: Bytes;
  /** EIP-2718 bytes. */
  readonly raw: Bytes;
}

export const MSG_ETHEREUM_TX = table<MsgEthereumTx>('chain.evm.v1.MsgEthereumTx', [
  bytes(5, 'from', 20),
  bytes(6, 'raw', TX_RAW_BYTES_MAX),
]);
