import { TIMESTAMP } from '../codec/time.ts';
import { Reader } from '../codec/wire.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Timestamp } from '../types/ids.ts';

/** Field number of the timestamp in CanonicalVote and CanonicalProposal. */
const TIME_FIELD = { vote: 5, proposal: 6 } as const;

/** The time in canonical sign bytes; undefined if `bytes` are of another form. */
export function signedTime(kind: 'vote' | 'proposal', bytes: Bytes): Timestamp | undefined {
  const reader = new Reader(bytes);
  reader.enter('sign bytes', bytes.length);
  for (let tag = reader.peekTag('sign bytes'); tag !== 0; tag = reader.peekTag('sign bytes')) {
    if (tag >>> 3 !== TIME_FIELD[kind]) {
      reader.skip('sign bytes');
      continue;
    }
    reader.uint32('timestamp');
    const outer = reader.enter('timestamp', bytes.length);
    const time = TIMESTAMP.read(reader);
    reader.leave('timestamp', outer);
    return reader.error === undefined ? time : undefined;
  }
  return undefined;
}
