import { bool, bytes, repeated, repeatedString, string, uint64, uint64Big } from '../../codec/fields.ts';
import { encode, table } from '../../codec/proto.ts';
import { type Bytes, to0xHex } from '../../lib/bytes.ts';
import type { EthLog } from '../chain.ts';
import { TYPE_URL } from '../typeUrls.ts';
import { ANY, type Any, TX_RAW_BYTES_MAX } from './tables.ts';

const LOGS_MAX = 1_000_000;

/** chain.evm.v1.Log; addresses and hashes are lower-case 0x text. */
interface LogMessage {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: Bytes;
  readonly blockNumber: number;
  readonly txHash: string;
  readonly txIndex: number;
  readonly blockHash: string;
  readonly index: number;
  readonly removed: boolean;
}

const LOG = table<LogMessage>('chain.evm.v1.Log', [
  string(1, 'address', 64),
  repeatedString(2, 'topics', 128, 4),
  bytes(3, 'data', TX_RAW_BYTES_MAX * 64),
  uint64(4, 'blockNumber'),
  string(5, 'txHash', 128),
  uint64(6, 'txIndex'),
  string(7, 'blockHash', 128),
  uint64(8, 'index'),
  bool(9, 'removed'),
]);

export interface MsgEthereumTxResponse {
  readonly hash: string;
  readonly logs: readonly LogMessage[];
  readonly ret: Bytes;
  readonly vmError: string;
  readonly gasUsed: bigint;
}

export const MSG_ETHEREUM_TX_RESPONSE = table<MsgEthereumTxResponse>('chain.evm.v1.MsgEthereumTxResponse', [
  string(1, 'hash', 128),
  repeated(2, 'logs', LOG, LOGS_MAX),
  bytes(3, 'ret', TX_RAW_BYTES_MAX * 64),
  string(4, 'vmError', 4096),
  uint64Big(5, 'gasUsed'),
]);

export const TX_MSG_DATA = table<{ readonly msgResponses: readonly Any[] }>(
  'cosmos.base.abci.v1beta1.TxMsgData',
  [repeated(2, 'msgResponses', ANY, 64)],
);

/** `TxResult.data` of an Ethereum transaction. Its logs carry no block hash, which is unknown before the block ends. */
export function encodeTxData(outcome: {
  readonly hash: Bytes;
  readonly logs: readonly EthLog[];
  readonly ret: Bytes;
  readonly vmError: string | undefined;
  readonly gasUsed: bigint;
  readonly height: number;
  readonly txIndex: number;
}): Bytes {
  const hash = to0xHex(outcome.hash);
  const logs = outcome.logs.map((log) => ({
    address: to0xHex(log.address),
    topics: log.topics.map(to0xHex),
    data: log.data,
    blockNumber: outcome.height,
    txHash: hash,
    txIndex: outcome.txIndex,
    blockHash: '',
    index: log.logIndex,
    removed: false,
  }));
  const value = encode(MSG_ETHEREUM_TX_RESPONSE, {
    hash,
    logs,
    ret: outcome.ret,
    vmError: outcome.vmError ?? '',
    gasUsed: outcome.gasUsed,
  });
  return encode(TX_MSG_DATA, { msgResponses: [{ typeUrl: TYPE_URL.msgEthereumTxResponse, value }] });
}
