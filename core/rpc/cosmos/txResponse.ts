/** cosmos.base.abci.v1beta1.TxResponse of a transaction in a block. */
import { txHash } from '../../codec/hashes.ts';
import { decode } from '../../codec/proto.ts';
import { formatSecond } from '../../codec/timeText.ts';
import { type Bytes, toUpperHex } from '../../lib/bytes.ts';
import type { PageRoom } from '../answerRoom.ts';
import { looseRead } from './looseRead.ts';
import type { QueryScope } from './service.ts';
import { GRPC, GrpcError } from './status.ts';
import { FULL_TX, type FullTx, type TxResponse } from './txTables.ts';

export const EMPTY_RESPONSE: TxResponse = {
  height: 0,
  txhash: '',
  codespace: '',
  code: 0,
  data: '',
  rawLog: '',
  logs: [],
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  tx: undefined,
  timestamp: '',
  events: [],
};

/** A TxRaw with all its parts decoded; undefined if the bytes are not a transaction. */
export function openTx(raw: Bytes): FullTx | undefined {
  // Tx and TxRaw have the same encoding: the parts that TxRaw keeps as bytes are messages in Tx.
  const tx = decode(FULL_TX, raw);
  if (tx.ok) return tx.value;
  // Blocks may hold transactions in another encoding: with unknown fields that may be ignored, or an explicit sequence
  // 0.
  const loose = looseRead(FULL_TX, raw);
  const isTx = loose.ok && loose.value.body !== undefined && loose.value.authInfo !== undefined;
  return isTx ? loose.value : undefined;
}

interface Place {
  readonly height: number;
  readonly index: number;
}

export function responseAt(
  { ctx }: QueryScope,
  place: Place,
  page?: PageRoom,
): { readonly tx: FullTx | undefined; readonly response: TxResponse } {
  const block = ctx.chain.block(place.height);
  const raw = block?.txs[place.index];
  const result = ctx.chain.txResult({ ...place, ethIndex: undefined });
  if (block === undefined || raw === undefined || result === undefined) {
    throw new GrpcError(GRPC.notFound, `height ${place.height} is not available`);
  }
  page?.addTx(raw, result);
  const response: TxResponse = {
    ...EMPTY_RESPONSE,
    height: place.height,
    txhash: toUpperHex(txHash(raw)),
    codespace: result.codespace,
    code: result.code,
    data: toUpperHex(result.data),
    rawLog: result.log,
    info: result.info,
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    tx: { typeUrl: '/cosmos.tx.v1beta1.Tx', value: raw },
    timestamp: formatSecond(block.header.time),
    events: result.events,
  };
  return { tx: openTx(raw), response };
}
