import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';

const WAYS = 4;
/** A longer node is not kept, so that the cache's memory is bounded too: a full branch has 532 bytes. */
const NODE_BYTES_MAX = 1024;

/**
 * Trie nodes by hash, at most `nodesMax` (rounded to a power of two). A set-associative table: hashes are uniform, so
 * a few of their bytes choose a set of four, kept in order of last use. It makes no key strings and no garbage, which
 * a Map would, and forgets the same nodes on every machine.
 */
export class NodeCache {
  readonly #mask: number;
  readonly #hashes: (Bytes | undefined)[];
  readonly #nodes: (Bytes | undefined)[];

  constructor(nodesMax: number) {
    assert(nodesMax >= WAYS && nodesMax <= 1 << 24, 'node cache size');
    let sets = 1;
    while (sets * 2 * WAYS <= nodesMax) sets *= 2;
    this.#mask = sets - 1;
    this.#hashes = new Array<Bytes | undefined>(sets * WAYS).fill(undefined);
    this.#nodes = new Array<Bytes | undefined>(sets * WAYS).fill(undefined);
  }

  #set(bytes: Bytes, at: number): number {
    const word = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
    return (word & this.#mask) * WAYS;
  }

  /** The node whose hash is the 32 bytes of `bytes` from `at` on. */
  get(bytes: Bytes, at: number): Bytes | undefined {
    const set = this.#set(bytes, at);
    for (let i = set; i < set + WAYS; i++) {
      const hash = this.#hashes[i];
      if (hash === undefined) return undefined;
      if (!matches(hash, bytes, at)) continue;
      const node = this.#nodes[i];
      if (i !== set) this.#toFront(set, i, hash, node);
      return node;
    }
    return undefined;
  }

  put(hash: Bytes, node: Bytes): void {
    if (node.length > NODE_BYTES_MAX || this.get(hash, 0) !== undefined) return;
    const set = this.#set(hash, 0);
    this.#toFront(set, set + WAYS - 1, hash, node);
  }

  #toFront(set: number, from: number, hash: Bytes, node: Bytes | undefined): void {
    for (let i = from; i > set; i--) {
      this.#hashes[i] = this.#hashes[i - 1];
      this.#nodes[i] = this.#nodes[i - 1];
    }
    this.#hashes[set] = hash;
    this.#nodes[set] = node;
  }
}

function matches(hash: Bytes, bytes: Bytes, at: number): boolean {
  for (let i = 0; i < 32; i++) if (hash[i] !== bytes[at + i]) return false;
  return true;
}
