import type { Bytes } from '../lib/bytes.ts';
import type { Flavor } from '../lib/flavor.ts';

/** Block height, a safe integer; 0 means "before the first block". int64 on the wire; larger values are refused. */
export type Height = Flavor<number, 'Height'>;
/** Consensus round, an int32 ≥ 0; -1 where the protocol says "none". */
export type Round = Flavor<number, 'Round'>;
/** Durations in milliseconds. */
export type Millis = Flavor<number, 'Millis'>;
/** The host's clock: microseconds since the Unix epoch, UTC, a safe integer. Not monotonic. */
export type Micros = Flavor<number, 'Micros'>;
/** 20 bytes. */
export type Address = Flavor<Bytes, 'Address'>;
/** 32 bytes, or empty where the protocol has no hash. */
export type Hash = Flavor<Bytes, 'Hash'>;
/** Name of a peer. In p2p: the node key's address in lower-case hex; in the simulator: the node's name. */
export type PeerId = Flavor<string, 'PeerId'>;

/** Seconds and nanoseconds since the Unix epoch, UTC; years 1 to 9999, nanos 0..999999999. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** Go's zero time, 0001-01-01T00:00:00Z: "no time" in absent signatures. */
export const ZERO_TIME: Timestamp = { seconds: -62135596800, nanos: 0 };

export const timestampOf = (now: Micros): Timestamp => {
  const seconds = Math.floor(now / 1_000_000);
  return { seconds, nanos: (now - seconds * 1_000_000) * 1000 };
};

export const compareTime = (a: Timestamp, b: Timestamp): number => a.seconds - b.seconds || a.nanos - b.nanos;

/** `time` plus whole milliseconds. */
export function addMillis(time: Timestamp, ms: Millis): Timestamp {
  const nanos = time.nanos + (ms % 1000) * 1_000_000;
  const carry = Math.floor(nanos / 1_000_000_000);
  return { seconds: time.seconds + Math.trunc(ms / 1000) + carry, nanos: nanos - carry * 1_000_000_000 };
}
