/**
 * The state trie against @ethereumjs/mpt 10.1.3, both with noble's keccak256 and nodes in memory: filling it in
 * batches, reading, proving; and what the writes of an empty block cost (one EIP-2935 slot and its account).
 */
import { createHash } from 'node:crypto';
import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Bytes, compareBytes, toHex } from '../core/lib/bytes.ts';
import { NodeCache } from '../core/state/nodeCache.ts';
import { StateDb } from '../core/state/stateDb.ts';
import { Trie } from '../core/state/trie.ts';
import { WorldState } from '../core/state/worldState.ts';
import { BlockWriteSet } from '../core/state/writeSet.ts';
import { MemoryKv } from '../core/store/memoryKv.ts';
import { EMPTY_ROOT, EMPTY_ROOTS, type Roots } from '../core/store/roots.ts';
import type { Print } from './figure.ts';

const VS = '@ethereumjs/mpt 10.1.3';
const KEYS = 10_000;
const BATCH = 250;

/** Keys as uniform as keccak's, cheaper to make. */
const keyOf = (n: number): Bytes => new Uint8Array(createHash('sha256').update(String(n)).digest());

/** Microseconds an item, the best of three turns. */
async function perItem(items: number, work: () => void | Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 3; turn++) {
    const start = process.hrtime.bigint();
    await work();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / items);
  }
  return best;
}

async function compareTries(print: Print): Promise<void> {
  const nodes = new Map<string, Bytes>();
  const trie = new Trie(keccak_256, (hash) => nodes.get(toHex(hash)), new NodeCache(1 << 15));
  const keys = Array.from({ length: KEYS }, (_, n) => keyOf(n));
  const value = new Uint8Array(70).fill(0xab);
  let root = EMPTY_ROOT;
  let reference = new MerklePatriciaTrie();
  const ours = await perItem(KEYS, () => {
    root = EMPTY_ROOT;
    for (let from = 0; from < KEYS; from += BATCH) {
      const batch = keys.slice(from, from + BATCH).toSorted(compareBytes);
      const result = trie.update(
        root,
        batch.map((key) => ({ key, value })),
      );
      for (const [hash, raw] of result.nodes) nodes.set(toHex(hash), raw);
      root = result.root;
    }
  });
  const theirs = await perItem(KEYS, async () => {
    reference = new MerklePatriciaTrie();
    for (const key of keys) await reference.put(key, value);
  });
  if (toHex(root) !== toHex(reference.root())) throw new Error('the two tries differ');
  print({
    bench: 'trie',
    metric: `put, batches of ${BATCH}`,
    value: ours,
    unit: 'us',
    vs: VS,
    ratio: ours / theirs,
  });

  const getOurs = await perItem(KEYS, () => {
    for (const key of keys) trie.get(root, key);
  });
  const getTheirs = await perItem(KEYS, async () => {
    for (const key of keys) await reference.get(key);
  });
  print({ bench: 'trie', metric: 'get', value: getOurs, unit: 'us', vs: VS, ratio: getOurs / getTheirs });
  const prove = await perItem(KEYS, () => {
    for (const key of keys) trie.prove(root, key);
  });
  print({ bench: 'trie', metric: 'prove', value: prove, unit: 'us' });
}

/** Blocks that only write the parent hash into the history contract (EIP-2935), over a state with some accounts. */
async function emptyBlocks(print: Print): Promise<void> {
  const kv = new MemoryKv();
  const db = new StateDb(kv, keccak_256);
  let roots: Roots = EMPTY_ROOTS;
  const step = (write: (writes: BlockWriteSet) => void): void => {
    const writes = new BlockWriteSet(WorldState.open(db, roots));
    write(writes);
    const sealed = writes.seal();
    kv.apply(sealed.ops);
    roots = { stateRoot: sealed.stateRoot, modulesRoot: sealed.modulesRoot };
  };
  const history = keyOf(-1).slice(0, 20);
  const slot = (n: number): Bytes => {
    const bytes = new Uint8Array(32);
    bytes[30] = n >>> 8;
    bytes[31] = n & 255;
    return bytes;
  };
  step((writes) => {
    writes.putAccount(history, { nonce: 1n });
    for (let n = 0; n < 1000; n++) writes.putAccount(keyOf(n).slice(0, 20), { balance: BigInt(n + 1) });
    for (let n = 0; n < 8191; n++) writes.putStorage(history, slot(n), keyOf(n));
  });
  let height = 0;
  const perBlock = await perItem(2000, () => {
    for (let n = 0; n < 2000; n++) {
      height++;
      step((writes) => writes.putStorage(history, slot(height % 8191), keyOf(-height)));
    }
  });
  print({ bench: 'trie', metric: 'empty block, 8191 slots and 1000 accounts', value: perBlock, unit: 'us' });
}

export async function run(print: Print): Promise<void> {
  await compareTries(print);
  await emptyBlocks(print);
}
