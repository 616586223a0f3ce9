import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';

const WAYS = 4;
/** Number of sets in a new cache. It doubles as it fills, so a small chain needs little memory. */
const FIRST_SETS = 64;
/** Longer nodes are not cached, which bounds the cache's memory. A full branch has 532 bytes. */
const NODE_BYTES_MAX = 1024;

/**
 * Trie nodes by hash, at most `nodesMax` (rounded down to a power of two). A set-associative table: hashes are uniform,
 * so a few of their bytes choose a set of four nodes, kept in order of last use. Unlike a Map it makes no key strings
 * and no garbage, and it forgets the same nodes on every machine.
 */
export class NodeCache {
  readonly #setsMax: number;
  #mask: number;
  #hashes: (Bytes | undefined)[];
  #nodes: (Bytes | undefined)[];
  /** Number of puts until the table doubles. */
  #roomLeft: number;

  constructor(nodesMax: number) {
    assert(nodesMax >= WAYS && nodesMax <= 1 << 24, 'node cache size');
    let sets = 1;
    while (sets * 2 * WAYS <= nodesMax) sets *= 2;
    this.#setsMax = sets;
    const first = Math.min(sets, FIRST_SETS);
    this.#mask = first - 1;
    this.#hashes = emptyTable(first);
    this.#nodes = emptyTable(first);
    this.#roomLeft = first >> 1;
  }

  #set(bytes: Bytes, at: number): number {
    const word = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
    return (word & this.#mask) * WAYS;
  }

  /** The node whose hash is at `at` in `bytes`. */
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
    if (this.#roomLeft-- === 0) this.#double();
    this.#insert(hash, node);
  }

  /** Splits each set in two by one more bit of the hashes. The order of last use is kept. */
  #double(): void {
    const [hashes, nodes, sets] = [this.#hashes, this.#nodes, this.#mask + 1];
    if (sets === this.#setsMax) return;
    this.#mask = sets * 2 - 1;
    this.#hashes = emptyTable(sets * 2);
    this.#nodes = emptyTable(sets * 2);
    this.#roomLeft = sets >> 1;
    for (let i = hashes.length - 1; i >= 0; i--) {
      const hash = hashes[i];
      if (hash !== undefined) this.#insert(hash, nodes[i]);
    }
  }

  #insert(hash: Bytes, node: Bytes | undefined): void {
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

const emptyTable = (sets: number): (Bytes | undefined)[] =>
  new Array<Bytes | undefined>(sets * WAYS).fill(undefined);

function matches(hash: Bytes, bytes: Bytes, at: number): boolean {
  for (let i = 0; i < 32; i++) if (hash[i] !== bytes[at + i]) return false;
  return true;
}
