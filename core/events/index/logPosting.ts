/**
 * Index of contract logs: one entry per height for each address, for each topic at its position, and for the existence
 * of any log. The value is empty. Whether one log has both an address and a topic can be seen only in the block.
 */

import { putRecord } from '../../codec/record.ts';
import { type Bytes, EMPTY, parseHex } from '../../lib/bytes.ts';
import { postingKey } from '../../store/keys.ts';
import type { FinalizeReply } from '../../types/app.ts';
import type { Height } from '../../types/ids.ts';
import type { KvOp } from '../../types/kvOp.ts';

/** First byte of an item: any log, an address, or topic 0 to 3. */
const ANY = 0;
const ADDRESS = 1;
const TOPIC = 2;

/** What an entry stands for, as written in the key. */
export type LogItem = Bytes;

export const ANY_LOG: LogItem = Uint8Array.of(ANY);

function itemOf(kind: number, bytes: Bytes): LogItem {
  const item = new Uint8Array(1 + bytes.length);
  item[0] = kind;
  item.set(bytes, 1);
  return item;
}

export const addressItem = (address: Bytes): LogItem => itemOf(ADDRESS, address);
export const topicItem = (position: number, topic: Bytes): LogItem => itemOf(TOPIC + position, topic);

/** `tx_log` begins with `{"address":"0x…","topics":["0x…","0x…"]`; the application writes no other form. */
const HEAD = '{"address":"';
const ADDRESS_END = HEAD.length + 42;
const MIDDLE = '","topics":[';
const TOPICS = ADDRESS_END + MIDDLE.length;
const TOPIC_TEXT = 66;
/** A topic with its quotes and the comma or bracket behind it. */
const TOPIC_STEP = TOPIC_TEXT + 3;
const TOPICS_MAX = 4;

function addItems(log: string, add: (kind: number, hex: string) => void): void {
  if (!log.startsWith(HEAD) || !log.startsWith(MIDDLE, ADDRESS_END)) return;
  add(ANY, '');
  add(ADDRESS, log.slice(HEAD.length, ADDRESS_END).toLowerCase());
  for (let i = 0, at = TOPICS; i < TOPICS_MAX && log[at] === '"'; i++, at += TOPIC_STEP)
    add(TOPIC + i, log.slice(at + 1, at + 1 + TOPIC_TEXT));
}

type Put = Extract<KvOp, { type: 'put' }>;

/** All entries of one height. */
export function logPostingsOf(height: Height, results: FinalizeReply): readonly Put[] {
  const seen = new Set<string>();
  const ops: Put[] = [];
  const add = (kind: number, hex: string): void => {
    const name = `${kind}${hex}`;
    if (seen.has(name)) return;
    seen.add(name);
    const bytes = hex === '' ? undefined : parseHex(hex);
    if (bytes?.ok === false) return;
    const key = postingKey('L', itemOf(kind, bytes?.value ?? EMPTY), height);
    ops.push(putRecord(key, EMPTY));
  };
  for (const { events } of results.txResults) {
    for (const { type, attributes } of events) {
      if (type !== 'tx_log') continue;
      for (const { key, value } of attributes) if (key === 'txLog') addItems(value, add);
    }
  }
  return ops;
}
