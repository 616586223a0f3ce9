/** Tables of cosmos.tx.v1beta1 and cosmos.base.abci.v1beta1 for clients. */
import { SIGNER_INFO, type SignerInfo } from '../../app/cosmos/tables.ts';
import { ANY, type Any, COIN, type Coin, FEE, type Fee, TX_BODY, type TxBody } from '../../app/tx/tables.ts';
import {
  bool,
  int64,
  int64Big,
  optional,
  repeated,
  repeatedBytes,
  string,
  uint32,
} from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';

export const TEXT_MAX = 1_048_576;
const LIST_MAX = 1_000_000;

const TIP = table<{ readonly amount: readonly Coin[]; readonly tipper: string }>('cosmos.tx.v1beta1.Tip', [
  repeated(1, 'amount', COIN, 64),
  string(2, 'tipper', 128),
]);

export interface FullAuthInfo {
  readonly signerInfos: readonly SignerInfo[];
  readonly fee: Fee | undefined;
  readonly tip: { readonly amount: readonly Coin[]; readonly tipper: string } | undefined;
}
/** AuthInfo with decoded signer infos. */
export const FULL_AUTH_INFO = table<FullAuthInfo>('cosmos.tx.v1beta1.AuthInfo', [
  repeated(1, 'signerInfos', SIGNER_INFO, 64),
  optional(2, 'fee', FEE),
  optional(3, 'tip', TIP),
]);

export interface FullTx {
  readonly body: TxBody | undefined;
  readonly authInfo: FullAuthInfo | undefined;
  readonly signatures: readonly Bytes[];
}
export const FULL_TX = table<FullTx>('cosmos.tx.v1beta1.Tx', [
  optional(1, 'body', TX_BODY),
  optional(2, 'authInfo', FULL_AUTH_INFO),
  repeatedBytes(3, 'signatures', 1024, 64),
]);

interface Attribute {
  readonly key: string;
  readonly value: string;
  readonly index: boolean;
}
interface Event {
  readonly type: string;
  readonly attributes: readonly Attribute[];
}
const ATTRIBUTE = table<Attribute>('tendermint.abci.EventAttribute', [
  string(1, 'key', TEXT_MAX),
  string(2, 'value', TEXT_MAX),
  bool(3, 'index'),
]);
export const EVENT = table<Event>('tendermint.abci.Event', [
  string(1, 'type', TEXT_MAX),
  repeated(2, 'attributes', ATTRIBUTE, LIST_MAX),
]);

export interface TxResponse {
  readonly height: number;
  readonly txhash: string;
  readonly codespace: string;
  readonly code: number;
  readonly data: string;
  readonly rawLog: string;
  /** Always empty: events are in `events`. */
  readonly logs: readonly { readonly log: string }[];
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly tx: Any | undefined;
  readonly timestamp: string;
  readonly events: readonly Event[];
}
const ABCI_LOG = table<{ readonly log: string }>('cosmos.base.abci.v1beta1.ABCIMessageLog', [
  string(2, 'log', TEXT_MAX),
]);
export const TX_RESPONSE = table<TxResponse>('cosmos.base.abci.v1beta1.TxResponse', [
  int64(1, 'height'),
  string(2, 'txhash', 64),
  string(3, 'codespace', 256),
  uint32(4, 'code'),
  string(5, 'data', 64 * TEXT_MAX),
  string(6, 'rawLog', TEXT_MAX),
  repeated(7, 'logs', ABCI_LOG, 64),
  string(8, 'info', TEXT_MAX),
  int64Big(9, 'gasWanted'),
  int64Big(10, 'gasUsed'),
  optional(11, 'tx', ANY),
  string(12, 'timestamp', 64),
  repeated(13, 'events', EVENT, LIST_MAX),
]);
