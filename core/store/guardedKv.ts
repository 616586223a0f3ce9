import { AssertionError } from '../lib/assert.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { KvStore } from './kv.ts';

/** Turns every failed read into a StorageFault, which no caller (a client's library, the EVM) takes for a result. */
export function guardedKv(kv: KvStore): KvStore {
  return {
    get(key) {
      try {
        return kv.get(key);
      } catch (error) {
        throw faultOf(error, key);
      }
    },
    batch: (ops) => kv.batch(ops),
    async range(range) {
      try {
        return await kv.range(range);
      } catch (error) {
        throw faultOf(error, range.gte);
      }
    },
  };
}

const faultOf = (error: unknown, key: Uint8Array): unknown =>
  error instanceof AssertionError ? error : new StorageFault(`read failed: ${String(error)}`, key);
