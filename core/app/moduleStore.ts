import { type Bytes, concat } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';

/** The module store as execution writes it. The write set of core/state implements it. */
export interface ModuleStore {
  module(key: Bytes): Bytes | undefined;
  /** undefined deletes. */
  putModule(key: Bytes, value: Bytes | undefined): void;
}

/** The module store as queries read it. A View implements it. */
export interface ModuleReader {
  module(key: Bytes): Bytes | undefined;
}

/** Key prefix of one kind of a module's entries: `name/`. */
export const modulePrefix = (name: string): Bytes => encodeUtf8(`${name}/`);

/** The prefix followed by the module's own key. */
export const moduleKey = (prefix: Bytes, key: Bytes): Bytes => concat(prefix, key);
