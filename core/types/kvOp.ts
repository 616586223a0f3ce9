import type { Bytes } from '../lib/bytes.ts';

/** One change of the node's database; batches of them are atomic (store/kv.ts). */
export type KvOp =
  | { readonly type: 'put'; readonly key: Bytes; readonly value: Bytes }
  | { readonly type: 'del'; readonly key: Bytes };
