import { type Bytes, concat } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';

/** The module store as execution writes it; core/state's write set is one. */
export interface ModuleStore {
  module(key: Bytes): Bytes | undefined;
  /** undefined deletes. */
  putModule(key: Bytes, value: Bytes | undefined): void;
}

/** The module store as queries read it; a View is one. */
export interface ModuleReader {
  module(key: Bytes): Bytes | undefined;
}

/** `name/` and the module's own key. */
export const moduleKey = (name: string, key: Bytes): Bytes => concat(encodeUtf8(`${name}/`), key);
