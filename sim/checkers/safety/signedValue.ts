/**
 * Reads a vote or a proposal from the bytes that its key signed: a length-delimited CanonicalVote or CanonicalProposal.
 */
import { decode } from '../../../core/codec/proto.ts';
import { TIMESTAMP } from '../../../core/codec/time.ts';
import { Reader } from '../../../core/codec/wire.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { remembered } from '../../remembered.ts';

const BLOCK_ID_TAG = 0x22;
const TIME_TAG = 0x2a;
/** A proposal has the round of its polka before its block. */
const PROPOSED_ID_TAG = 0x2a;
const HASH_BYTES = 32;
const TIME_BYTES_MAX = 32;

/** A reader at the content of the field with this tag; undefined if there is no such field. */
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

/** The hash of the block voted for; undefined for nil. Cached because several checkers ask about each vote. */
export const signedValue = remembered((bytes: Bytes): string | undefined => hashIn(bytes, BLOCK_ID_TAG));

/** The hash of the block that a proposal is for. */
export const proposedValue = (bytes: Bytes): string | undefined => hashIn(bytes, PROPOSED_ID_TAG);

function hashIn(bytes: Bytes, tag: number): string | undefined {
  const reader = fieldOf(bytes, tag);
  if (reader === undefined) return undefined;
  reader.enter('block id', bytes.length);
  reader.uint32('hash');
  return toHex(reader.bytes('hash', HASH_BYTES));
}

/** The time of the vote in µs since the Unix epoch, with fractions; undefined if it has none. */
export function signedTime(bytes: Bytes): number | undefined {
  const reader = fieldOf(bytes, TIME_TAG);
  if (reader === undefined) return undefined;
  const time = decode(TIMESTAMP, reader.bytes('time', TIME_BYTES_MAX));
  return time.ok ? time.value.seconds * 1_000_000 + time.value.nanos / 1000 : undefined;
}
