/** To which height a record of a node's database belongs. */
import { decodeRecord } from '../../../core/codec/record.ts';
import { type Bytes, EMPTY } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import * as keys from '../../../core/store/keys.ts';

const NO_HASH = new Uint8Array(32);
const letterOf = (key: Bytes): number => key[0] as number;
const lettersOf = (...examples: readonly Bytes[]): ReadonlySet<number> => new Set(examples.map(letterOf));

/** First letters of keys that contain a height, and how many heights earlier the record was written. */
const BY_HEIGHT: ReadonlyMap<number, number> = new Map([
  [letterOf(keys.metaKey(0)), 0],
  [letterOf(keys.partKey(0, 0)), 0],
  [letterOf(keys.resultsKey(0)), 0],
  [letterOf(keys.rootsKey(0)), 0],
  [letterOf(keys.ethRecordKey(0)), 0],
  [letterOf(keys.commitKey(0)), -1],
  [letterOf(keys.paramsKey(0)), 1],
  [letterOf(keys.validatorsKey(0)), 2],
]);
const SEEN = letterOf(keys.seenCommitKey(0));
/** First letters of records that name the block of a hash or transaction. The value begins with the block's height. */
const PLACES = lettersOf(
  keys.blockHashKey(NO_HASH),
  keys.ethHashKey(NO_HASH),
  keys.txKey(NO_HASH),
  keys.ethTxKey(NO_HASH),
);
/** First letters of trie nodes and code, which do not tell their height. */
const CONTENT = lettersOf(keys.nodeKey(NO_HASH), keys.codeKey(NO_HASH));
/** First letters of index entries. The key ends with the height. */
const POSTINGS = lettersOf(...(['Q', 'W', 'L'] as const).map((letter) => keys.postingKey(letter, EMPTY, 0)));

/** Evidence that a block contained, before and after it expires. The second begins with the letter of block parts. */
const MARKS = ['evidence/committed/', 'punished/'].map(encodeUtf8);

export const isMark = (key: Bytes): boolean =>
  MARKS.some((prefix) => prefix.every((byte, i) => key[i] === byte));
export const isContent = (key: Bytes): boolean => CONTENT.has(letterOf(key));
export const isPlace = (key: Bytes): boolean => PLACES.has(letterOf(key));

/** The height of a record that names a place. */
export const placeIn = (key: Bytes, value: Bytes): number => keys.readHeight(decodeRecord(key, value), 0);

/** The height whose commit writes this record on every node; undefined for other records. */
export function blockOfRecord(key: Bytes, value: Bytes): number | undefined {
  if (isMark(key)) return undefined;
  const before = BY_HEIGHT.get(letterOf(key));
  if (before !== undefined) return keys.readHeight(key, 1) - before;
  return isPlace(key) ? placeIn(key, value) : undefined;
}

/** The height of the commit that this node itself saw; undefined for other records. */
export const heightOfSeen = (key: Bytes): number | undefined =>
  letterOf(key) === SEEN ? keys.readHeight(key, 1) : undefined;

/** The height of an index entry; undefined for other records. */
export const heightOfPosting = (key: Bytes): number | undefined =>
  POSTINGS.has(letterOf(key)) ? keys.readHeight(key, key.length - 8) : undefined;
