import { AssertionError } from './assert.ts';
import { type Bytes, toHex } from './bytes.ts';

/**
 * The database returned something that we did not write: a record is missing or altered. Nothing that the node says
 * afterwards could be trusted, so only the root catches this, and the process (or simulated node) stops. A fault in
 * data read only for a client just ends that client's request or subscription.
 */
export class StorageFault extends AssertionError {
  /** Database key of the record. */
  readonly key: Bytes;

  constructor(what: string, key: Bytes) {
    super(`storage fault: ${what} (record ${toHex(key)})`);
    this.key = key;
  }
}

/** A value that the database must have, because another record refers to it. */
export function kept<T>(value: T | undefined, what: string, key: Bytes): T {
  if (value === undefined) throw new StorageFault(`${what} is missing`, key);
  return value;
}
