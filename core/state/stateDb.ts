import type { Bytes } from '../lib/bytes.ts';
import { Recent } from '../lib/recent.ts';
import type { Sizes } from '../lib/sizes.ts';
import { StorageFault } from '../lib/storageFault.ts';
import { codeKey, nodeKey } from '../store/keys.ts';
import type { Hash } from '../types/ids.ts';
import { EMPTY_CODE_HASH } from './account.ts';
import { NodeCache } from './nodeCache.ts';
import { packed } from './packed.ts';
import { type AuthenticatedMap, Trie } from './trie.ts';

/** Point reads of the database. `KvStore` implements it. */
export interface StateReader {
  get(key: Bytes): Bytes | undefined;
}

export interface StateCacheLimits {
  /** Most trie nodes; a full branch takes about 650 bytes. */
  readonly nodesMax: number;
  /** Most contract codes; each has up to 24 KiB, most far less. */
  readonly codesMax: number;
  /** Most keccak256 hashes of addresses and slots. */
  readonly keyHashesMax: number;
  /** Most accounts of each height that is being read. */
  readonly accountsMax: number;
}

const STATE_CACHE_LIMITS: StateCacheLimits = {
  nodesMax: 1 << 15,
  codesMax: 512,
  keyHashesMax: 1 << 15,
  // The mempool asks for the same accounts with each transaction and each query of its users.
  accountsMax: 4096,
};

/** The smallest cache of nodes is one set. */
const NODES_MIN = 4;

export const stateCacheLimits = (sizes: Sizes): StateCacheLimits => ({
  nodesMax: Math.max(NODES_MIN, sizes.kept(STATE_CACHE_LIMITS.nodesMax)),
  codesMax: sizes.kept(STATE_CACHE_LIMITS.codesMax),
  keyHashesMax: sizes.kept(STATE_CACHE_LIMITS.keyHashesMax),
  accountsMax: sizes.kept(STATE_CACHE_LIMITS.accountsMax),
});

const EMPTY_CODE = new Uint8Array(0);

/**
 * What all heights share: nodes and code by hash, and the caches for them. All names are hashes of the content, so no
 * cache entry can be stale.
 */
export class StateDb {
  readonly trie: AuthenticatedMap;
  readonly keccak256: (bytes: Bytes) => Hash;
  readonly #reader: StateReader;
  readonly #limits: StateCacheLimits;
  readonly #codes: Recent<Bytes>;
  readonly #keyHashes: Recent<Hash>;

  constructor(
    reader: StateReader,
    keccak256: (bytes: Bytes) => Hash,
    limits: StateCacheLimits = STATE_CACHE_LIMITS,
  ) {
    this.#reader = reader;
    this.keccak256 = keccak256;
    this.#limits = limits;
    this.trie = new Trie(keccak256, (hash) => reader.get(nodeKey(hash)), new NodeCache(limits.nodesMax));
    this.#codes = new Recent(limits.codesMax);
    this.#keyHashes = new Recent(limits.keyHashesMax);
  }

  /** Most cached accounts of each height that is being read. */
  get accountsMax(): number {
    return this.#limits.accountsMax;
  }

  /** A view that includes records never written to the database, for states built on one another that nobody keeps. */
  over(unwritten: StateReader): StateDb {
    const reader = { get: (key: Bytes): Bytes | undefined => unwritten.get(key) ?? this.#reader.get(key) };
    return new StateDb(reader, this.keccak256, this.#limits);
  }

  /** keccak256 of an address (20 bytes) or a slot (32 bytes), cached. */
  keyHash(key: Bytes): Hash {
    const name = packed(key);
    const known = this.#keyHashes.get(name);
    if (known !== undefined) return known;
    const hash = this.keccak256(key);
    this.#keyHashes.set(name, hash);
    return hash;
  }

  /** Whether the root node is in the database. The whole trie is then there too, since batches are atomic. */
  hasRoot(root: Hash): boolean {
    return this.#reader.get(nodeKey(root)) !== undefined;
  }

  /** The code that an account refers to. If it is missing or altered, that is a storage fault. */
  code(hash: Hash): Bytes {
    const name = packed(hash);
    if (name === EMPTY_NAME) return EMPTY_CODE;
    const cached = this.#codes.get(name);
    if (cached !== undefined) return cached;
    const found = this.#reader.get(codeKey(hash));
    if (found === undefined) throw new StorageFault('contract code missing', codeKey(hash));
    const code = new Uint8Array(found);
    if (packed(this.keccak256(code)) !== name) throw new StorageFault('contract code altered', codeKey(hash));
    this.#codes.set(name, code);
    return code;
  }
}

const EMPTY_NAME = packed(EMPTY_CODE_HASH);
