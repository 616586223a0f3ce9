/** The parts of cosmos.tx.v1beta1 and cosmos.bank.v1beta1 that only Cosmos-signed transactions use. */
import { bytes, optional, repeated, string, uint32, uint64Big } from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { ANY, type Any, COIN, type Coin, TX_RAW_BYTES_MAX } from '../tx/tables.ts';

const ADDRESS_TEXT_MAX = 128;
const COINS_MAX = 64;
/** Maximum receivers of one MsgMultiSend. */
const OUTPUTS_MAX = 1024;

export const PUB_KEY = table<{ readonly key: Bytes }>('chain.crypto.v1.ethsecp256k1.PubKey', [
  bytes(1, 'key', 33),
]);

/** The accepted values of cosmos.tx.signing.v1beta1.SignMode. */
export const SIGN_MODE = { direct: 1, aminoJson: 127 } as const;

interface SingleMode {
  readonly mode: number;
}
const SINGLE_MODE = table<SingleMode>('cosmos.tx.v1beta1.ModeInfo.Single', [uint32(1, 'mode')]);

export interface ModeInfo {
  readonly single: SingleMode | undefined;
  /** Mode of a multisig key; no account here has one. */
  readonly multi: Bytes;
}
const MODE_INFO = table<ModeInfo>('cosmos.tx.v1beta1.ModeInfo', [
  optional(1, 'single', SINGLE_MODE),
  bytes(2, 'multi', TX_RAW_BYTES_MAX),
]);

export interface SignerInfo {
  readonly publicKey: Any | undefined;
  readonly modeInfo: ModeInfo | undefined;
  readonly sequence: bigint;
}
export const SIGNER_INFO = table<SignerInfo>('cosmos.tx.v1beta1.SignerInfo', [
  optional(1, 'publicKey', ANY),
  optional(2, 'modeInfo', MODE_INFO),
  uint64Big(3, 'sequence'),
]);

export interface SignDoc {
  readonly bodyBytes: Bytes;
  readonly authInfoBytes: Bytes;
  readonly chainId: string;
  readonly accountNumber: bigint;
}
export const SIGN_DOC = table<SignDoc>('cosmos.tx.v1beta1.SignDoc', [
  bytes(1, 'bodyBytes', TX_RAW_BYTES_MAX),
  bytes(2, 'authInfoBytes', TX_RAW_BYTES_MAX),
  string(3, 'chainId', ADDRESS_TEXT_MAX),
  uint64Big(4, 'accountNumber'),
]);

export interface MsgSend {
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: readonly Coin[];
}
export const MSG_SEND = table<MsgSend>('cosmos.bank.v1beta1.MsgSend', [
  string(1, 'fromAddress', ADDRESS_TEXT_MAX),
  string(2, 'toAddress', ADDRESS_TEXT_MAX),
  repeated(3, 'amount', COIN, COINS_MAX),
]);

/** Input and Output of MsgMultiSend have the same fields. */
export interface AddressCoins {
  readonly address: string;
  readonly coins: readonly Coin[];
}
const addressCoins = (name: string) =>
  table<AddressCoins>(name, [string(1, 'address', ADDRESS_TEXT_MAX), repeated(2, 'coins', COIN, COINS_MAX)]);

export interface MsgMultiSend {
  readonly inputs: readonly AddressCoins[];
  readonly outputs: readonly AddressCoins[];
}
export const MSG_MULTI_SEND = table<MsgMultiSend>('cosmos.bank.v1beta1.MsgMultiSend', [
  repeated(1, 'inputs', addressCoins('cosmos.bank.v1beta1.Input'), OUTPUTS_MAX),
  repeated(2, 'outputs', addressCoins('cosmos.bank.v1beta1.Output'), OUTPUTS_MAX),
]);

/** Makes a Cosmos transaction pay by EIP-1559: the fee is the cap, this field the tip per gas unit. */
export const DYNAMIC_FEE = table<{ readonly maxPriorityPrice: string }>(
  'chain.types.v1.ExtensionOptionDynamicFeeTx',
  [string(1, 'maxPriorityPrice', 128)],
);
