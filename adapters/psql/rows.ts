/** The table rows of one height. */

import { bytes, embed, int64, uint32 } from '../../core/codec/fields.ts';
import { txHash } from '../../core/codec/hashes.ts';
import { RESULT_BYTES_MAX } from '../../core/codec/limits.ts';
import { encode, table } from '../../core/codec/proto.ts';
import { TX_RESULT } from '../../core/codec/results.ts';
import { append } from '../../core/lib/append.ts';
import { type Bytes, toUpperHex } from '../../core/lib/bytes.ts';
import type { FinalizeReply } from '../../core/types/app.ts';
import type { Block } from '../../core/types/block.ts';
import type { AbciEvent, TxResult } from '../../core/types/result.ts';

export interface AttributeRow {
  readonly key: string;
  readonly compositeKey: string;
  readonly value: string;
}

export interface EventRow {
  /** undefined: a block event. */
  readonly tx: number | undefined;
  readonly type: string;
  readonly attributes: readonly AttributeRow[];
}

export interface TxRow {
  readonly index: number;
  readonly hash: string;
  /** Encoded tendermint.abci.TxResult. */
  readonly result: Bytes;
}

interface StoredTx {
  readonly height: number;
  readonly index: number;
  readonly tx: Bytes;
  readonly result: TxResult;
}

const STORED_TX = table<StoredTx>('tendermint.abci.TxResult', [
  int64(1, 'height'),
  uint32(2, 'index'),
  bytes(3, 'tx', RESULT_BYTES_MAX),
  embed(4, 'result', TX_RESULT),
]);

/** Replaces NUL, which PostgreSQL's text type cannot store. */
const stored = (text: string): string => text.replaceAll('\u0000', '\ufffd');

/**
 * Rows of the attributes flagged for indexing. If an event repeats a key, the repetition goes into another row of the
 * same type.
 */
function eventRows(tx: number | undefined, { type, attributes }: AbciEvent): readonly EventRow[] {
  if (type === '') return [];
  const rows: AttributeRow[][] = [[]];
  for (const { key, value, index } of attributes) {
    if (!index || key === '') continue;
    const row = { key: stored(key), compositeKey: stored(`${type}.${key}`), value: stored(value) };
    const free = rows.find((list) => list.every((other) => other.key !== row.key));
    if (free === undefined) rows.push([row]);
    else free.push(row);
  }
  return rows.map((list) => ({ tx, type: stored(type), attributes: list }));
}

/** CometBFT's own events of a height and a transaction. */
const meta = (tx: number | undefined, key: string, value: string): EventRow => {
  const [type = '', name = ''] = key.split('.');
  return { tx, type, attributes: [{ key: name, compositeKey: key, value }] };
};

export function rowsOf(
  block: Block,
  results: FinalizeReply,
): { readonly txs: readonly TxRow[]; readonly events: readonly EventRow[] } {
  const { height } = block.header;
  const events: EventRow[] = [
    meta(undefined, 'block.height', String(height)),
    ...results.events.flatMap((event) => eventRows(undefined, event)),
  ];
  const txs = block.txs.map((tx, index): TxRow => {
    const result = results.txResults[index] as TxResult;
    const hash = toUpperHex(txHash(tx));
    events.push(meta(index, 'tx.hash', hash), meta(index, 'tx.height', String(height)));
    append(
      events,
      result.events.flatMap((event) => eventRows(index, event)),
    );
    return { index, hash, result: encode(STORED_TX, { height, index, tx, result }) };
  });
  return { txs, events };
}
