/** What a vote says, read from the bytes that its key signed: CanonicalVote, with its length before it. */
import { decode } from '../../core/codec/proto.ts';
import { TIMESTAMP } from '../../core/codec/time.ts';
import { Reader } from '../../core/codec/wire.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { remembered } from '../remembered.ts';

const BLOCK_ID_TAG = 0x22;
const TIME_TAG = 0x2a;
const HASH_BYTES = 32;
const TIME_BYTES_MAX = 32;

/** Stands at the content of the field with this tag; undefined when there is none. */
function fieldOf(bytes: Bytes, tag: number): Reader | undefined {
  const reader = new Reader(bytes);
  reader.enter('vote', bytes.length);
  for (let next = reader.peekTag('vote'); next !== 0; next = reader.peekTag('vote')) {
    if (next !== tag) reader.skip('vote');
    else {
      reader.uint32('vote');
      return reader;
    }
  }
  return undefined;
}

/** The hash of the block that the vote is for, undefined for nil. Several checkers ask of each vote. */
export const signedValue = remembered((bytes: Bytes): string | undefined => {
  const reader = fieldOf(bytes, BLOCK_ID_TAG);
  if (reader === undefined) return undefined;
  reader.enter('block id', bytes.length);
  reader.uint32('hash');
  return toHex(reader.bytes('hash', HASH_BYTES));
});

/** The time of the vote in µs since the Unix epoch, fractions included; undefined when there is none. */
export function signedTime(bytes: Bytes): number | undefined {
  const reader = fieldOf(bytes, TIME_TAG);
  if (reader === undefined) return undefined;
  const time = decode(TIMESTAMP, reader.bytes('time', TIME_BYTES_MAX));
  return time.ok ? time.value.seconds * 1_000_000 + time.value.nanos / 1000 : undefined;
}
