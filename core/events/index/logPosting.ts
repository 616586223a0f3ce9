/**
 * Where contracts logged something: one entry a height for every address, for every topic at its position, and for logs
 * at all. The value is empty: that a block has a log of both is for whoever reads the block to see.
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

/** What an entry stands for, as the key has it. */
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

/** `tx_log` begins with `{"address":"0x…","topics":["0x…","0x…"]`, and the application writes nothing else. */
const HEAD = '{"address":"';
const ADDRESS_END = HEAD.length + 42;
const MIDDLE = '","topics":[';
const TOPICS = ADDRESS_END + MIDDLE.length;
const TOPIC_TEXT = 66;
/** Quotes and the comma or bracket behind. */
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

/** Every entry of one height. */
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
