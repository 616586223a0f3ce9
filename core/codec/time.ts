import { err, ok, type Result } from '../lib/result.ts';
import type { Timestamp } from '../types/ids.ts';
import { int32, int64 } from './fields.ts';
import { mapped, table } from './proto.ts';

const NANOS = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of RFC 3339 and google.protobuf.Timestamp. */
const SECONDS_MIN = -62135596800;
const SECONDS_MAX = 253402300799;

export const isTimestamp = (time: Timestamp): boolean =>
  Number.isSafeInteger(time.seconds) &&
  time.seconds >= SECONDS_MIN &&
  time.seconds <= SECONDS_MAX &&
  Number.isInteger(time.nanos) &&
  time.nanos >= 0 &&
  time.nanos <= 999_999_999;

/** google.protobuf.Timestamp. */
export const TIMESTAMP = table<Timestamp>('Timestamp', [int64(1, 'seconds'), int32(2, 'nanos')], {
  check: (time) => (isTimestamp(time) ? undefined : 'outside years 1 to 9999'),
});

const DURATION_WIRE = table<{ readonly seconds: number; readonly nanos: number }>('Duration', [
  int64(1, 'seconds'),
  int32(2, 'nanos'),
]);

/** google.protobuf.Duration as nanoseconds, limited to int64 as in Go. */
export const DURATION = mapped(
  DURATION_WIRE,
  (ns: bigint) => ({ seconds: Number(ns / NANOS), nanos: Number(ns % NANOS) }),
  ({ seconds, nanos }): Result<bigint, string> => {
    if (nanos <= -1_000_000_000 || nanos >= 1_000_000_000) return err('nanoseconds beyond a second');
    if (seconds * nanos < 0) return err('seconds and nanoseconds of different sign');
    const ns = BigInt(seconds) * NANOS + BigInt(nanos);
    return BigInt.asIntN(64, ns) === ns ? ok(ns) : err('beyond int64 nanoseconds');
  },
);
