/** Paths in the Merkle-Patricia trie: one nibble (0..15) per byte, and hex-prefix form (Yellow Paper, appendix C). */
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';

/** Nibble `index` of a key. */
export const nibbleAt = (key: Bytes, index: number): number =>
  (index & 1) === 0 ? (key[index >>> 1] as number) >>> 4 : (key[index >>> 1] as number) & 15;

/** The key's nibbles from `start` on. */
export function nibblesFrom(key: Bytes, start: number): Bytes {
  const path = new Uint8Array(key.length * 2 - start);
  for (let i = 0; i < path.length; i++) path[i] = nibbleAt(key, start + i);
  return path;
}

/** How many leading nibbles of `path` match the key from its nibble `start` on. */
export function sharedWithPath(key: Bytes, start: number, path: Bytes): number {
  const room = key.length * 2 - start;
  const most = path.length < room ? path.length : room;
  let shared = 0;
  while (shared < most && nibbleAt(key, start + shared) === path[shared]) shared++;
  return shared;
}

/** How many nibbles two keys share from nibble `start` on. */
export function sharedByKeys(a: Bytes, b: Bytes, start: number): number {
  const most = (a.length < b.length ? a.length : b.length) * 2;
  let at = start;
  while (at < most && nibbleAt(a, at) === nibbleAt(b, at)) at++;
  return at - start;
}

/** The key whose first `depth` nibbles are those of `like` and whose rest is `path`. */
export function joinKey(like: Bytes, depth: number, path: Bytes): Bytes {
  const count = depth + path.length;
  assert(count % 2 === 0, 'a key is whole bytes');
  const key = new Uint8Array(count / 2);
  for (let i = 0; i < count; i++) {
    const nibble = i < depth ? nibbleAt(like, i) : (path[i - depth] as number);
    key[i >>> 1] = (key[i >>> 1] as number) | ((i & 1) === 0 ? nibble << 4 : nibble);
  }
  return key;
}

/** `first` in front of `path`. */
export function prepend(first: number, path: Bytes): Bytes {
  const longer = new Uint8Array(path.length + 1);
  longer[0] = first;
  longer.set(path, 1);
  return longer;
}

export function encodeHexPrefix(path: Bytes, isLeaf: boolean): Bytes {
  const odd = path.length & 1;
  const out = new Uint8Array((path.length >>> 1) + 1);
  out[0] = (isLeaf ? 0x20 : 0) | (odd === 1 ? 0x10 | (path[0] as number) : 0);
  for (let i = odd, at = 1; i < path.length; i += 2)
    out[at++] = ((path[i] as number) << 4) | (path[i + 1] as number);
  return out;
}

/** Decodes the path in `raw` from `start` to `end`. */
export function decodeHexPrefix(raw: Bytes, start: number, end: number): { path: Bytes; isLeaf: boolean } {
  const flags = raw[start] as number;
  const odd = (flags >>> 4) & 1;
  const path = new Uint8Array((end - start - 1) * 2 + odd);
  if (odd === 1) path[0] = flags & 15;
  for (let i = start + 1, at = odd; i < end; i++) {
    path[at++] = (raw[i] as number) >>> 4;
    path[at++] = (raw[i] as number) & 15;
  }
  return { path, isLeaf: (flags & 0x20) !== 0 };
}
