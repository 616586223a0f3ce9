import { AssertionError } from './assert.ts';
import { type Bytes, toHex } from './bytes.ts';

/**
 * The database gave back something that we did not write: a missing or altered record. Nothing that the node could
 * say after this would be true, so nobody catches it but the root: the process (or simulated node) stops. Only what is
 * read for a client alone ends with that client's request or subscription.
 */
export class StorageFault extends AssertionError {
  /** Database key of the record. */
  readonly key: Bytes;

  constructor(what: string, key: Bytes) {
    super(`storage fault: ${what} (record ${toHex(key)})`);
    this.key = key;
  }
}

/** What the database must have, because another record says so. */
export function kept<T>(value: T | undefined, what: string, key: Bytes): T {
  if (value === undefined) throw new StorageFault(`${what} is missing`, key);
  return value;
}
