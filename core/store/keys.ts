/**
 * The layout of the whole database. A key is a prefix byte followed by the fields below. Heights are 8 bytes
 * big-endian, so a range over a prefix is in order of height. A prefix is never reused for anything else.
 *
 *   n ‖ hash32          trie node (state, storage and module tries alike), by its keccak256
 *   c ‖ hash32          contract code, by its keccak256
 *   r ‖ height          roots after the height: stateRoot32 ‖ modulesRoot32
 *   m ‖ height          block meta (BlockMeta)
 *   p ‖ height ‖ index4 block part
 *   k ‖ height          the commit for the height that the next block carries
 *   s ‖ height          the commit that this node saw when it decided the height
 *   v ‖ height          validators of the height: the full set, or a pointer to the height that has it
 *   a ‖ height          consensus params of the height: the params, or a pointer to the height that has them
 *   f ‖ height          FinalizeReply: results of the height
 *   y ‖ height          record of the height's Ethereum block, opaque here
 *   b ‖ hash32          height of a consensus block, by its hash
 *   h ‖ hash32          height of an Ethereum block, by its hash
 *   t ‖ sha256          location of a consensus tx
 *   x ‖ keccak256       location of an Ethereum tx
 *   evidence/…          pending and committed evidence, laid out by evidence/pool.ts
 *   punished/…          marks of committed evidence that has expired; as a block part's key it would have a height
 *                       that no chain reaches
 *   Q ‖ attribute ‖ height   the places of an indexed attribute in the transactions of the height
 *   W ‖ attribute ‖ height   the same in the events of the block itself
 *                       attribute: length2 ‖ tag ‖ length1 ‖ value, laid out by events/index/posting.ts
 *   L ‖ item ‖ height   contracts made logs with this item at the height: an address, or a topic at its position;
 *                       laid out by events/index/logPosting.ts
 *   Z                   heights that the indexes cover: from8 ‖ to8
 *   U                   height above the head whose block is decided and waits to be executed again
 *   C                   chain state after the head
 *   B                   base: lowest height kept
 *   H                   head pointer; last in every batch
 *
 * The keys of nodes and code are hashes of the content, so these values prove themselves. Every other value goes
 * through record.ts, which binds it to its key. Retired prefixes: q, w, I (an index with one entry per event),
 * X (what the index covered before it had logs).
 */
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Hash, Height } from '../types/ids.ts';

const prefix = (letter: string): number => letter.charCodeAt(0);

function hashKey(letter: string, hash: Hash): Bytes {
  assert(hash.length === 32, 'a database key by hash takes 32 bytes');
  const key = new Uint8Array(33);
  key[0] = prefix(letter);
  key.set(hash, 1);
  return key;
}

function heightKey(letter: string, height: Height, extra = 0): Bytes {
  assert(Number.isSafeInteger(height) && height >= 0, 'a height in a database key');
  const key = new Uint8Array(9 + extra);
  key[0] = prefix(letter);
  putHeight(key, 1, height);
  return key;
}

/** Writes the height as 8 bytes big-endian. */
export function putHeight(out: Bytes, at: number, height: Height): void {
  let rest = height;
  for (let i = 7; i >= 0; i--) {
    out[at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

export function readHeight(bytes: Bytes, at: number): Height {
  let height = 0;
  for (let i = 0; i < 8; i++) height = height * 256 + (bytes[at + i] as number);
  return height;
}

export const nodeKey = (hash: Hash): Bytes => hashKey('n', hash);
export const codeKey = (hash: Hash): Bytes => hashKey('c', hash);
export const rootsKey = (height: Height): Bytes => heightKey('r', height);
export const metaKey = (height: Height): Bytes => heightKey('m', height);
export const commitKey = (height: Height): Bytes => heightKey('k', height);
export const seenCommitKey = (height: Height): Bytes => heightKey('s', height);
export const validatorsKey = (height: Height): Bytes => heightKey('v', height);
export const paramsKey = (height: Height): Bytes => heightKey('a', height);
export const resultsKey = (height: Height): Bytes => heightKey('f', height);
export const ethRecordKey = (height: Height): Bytes => heightKey('y', height);
export const blockHashKey = (hash: Hash): Bytes => hashKey('b', hash);
export const ethHashKey = (hash: Hash): Bytes => hashKey('h', hash);
export const txKey = (sha256: Hash): Bytes => hashKey('t', sha256);
export const ethTxKey = (keccak256: Hash): Bytes => hashKey('x', keccak256);

export function partKey(height: Height, index: number): Bytes {
  assert(Number.isSafeInteger(index) && index >= 0 && index < 2 ** 32, 'a part index in a database key');
  const key = heightKey('p', height, 4);
  putUint32(key, 9, index);
  return key;
}

/** `attribute` is laid out by events/index. */
export function postingKey(letter: 'Q' | 'W' | 'L', attribute: Bytes, height: Height): Bytes {
  const key = new Uint8Array(9 + attribute.length);
  key[0] = prefix(letter);
  key.set(attribute, 1);
  putHeight(key, 1 + attribute.length, height);
  return key;
}

function putUint32(out: Bytes, at: number, value: number): void {
  for (let i = 0; i < 4; i++) out[at + i] = (value >>> (8 * (3 - i))) & 255;
}

export const INDEX_KEY: Bytes = Uint8Array.of(prefix('Z'));
export const UNDONE_KEY: Bytes = Uint8Array.of(prefix('U'));
export const STATE_KEY: Bytes = Uint8Array.of(prefix('C'));
export const BASE_KEY: Bytes = Uint8Array.of(prefix('B'));
export const HEAD_KEY: Bytes = Uint8Array.of(prefix('H'));
