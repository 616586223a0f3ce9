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

/** What the keys of one kind of a module's entries begin with: `name/`. */
export const modulePrefix = (name: string): Bytes => encodeUtf8(`${name}/`);

/** The prefix and the module's own key. */
export const moduleKey = (prefix: Bytes, key: Bytes): Bytes => concat(prefix, key);
