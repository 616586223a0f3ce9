import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, test } from 'vitest';
import { encodeBlock } from '../../../core/codec/block.ts';
import { txHash } from '../../../core/codec/hashes.ts';
import { equalBytes } from '../../../core/lib/bytes.ts';
import { StorageFault } from '../../../core/lib/storageFault.ts';
import { BlockStore } from '../../../core/store/blockStore.ts';
import { HEAD_KEY, metaKey, partKey, resultsKey, validatorsKey } from '../../../core/store/keys.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { EMPTY_ROOTS } from '../../../core/store/roots.ts';
import type { Block } from '../../../core/types/block.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';
import { pubKeyOf, StoreChain, txResult } from './storeChain.ts';

const sameBlock = (a: Block | undefined, b: Block): boolean =>
  a !== undefined && equalBytes(encodeBlock(a), encodeBlock(b));
const bytes = (n: number, length = 8): Uint8Array => new Uint8Array(length).fill(n);

test('what a height wrote is read back by a store opened afresh', async () => {
  const kv = new MemoryKv();
  const chain = new StoreChain();
  const big = new Uint8Array(150_000).map((_, i) => i & 255);
  await chain.grow(new BlockStore(kv), [{}, { txs: [big, bytes(2)] }, {}]);
  const { reads } = new BlockStore(kv);
  expect([reads.base(), reads.head()]).toEqual([1, 3]);
  for (const input of chain.inputs) {
    const { height } = input.block.header;
    // Compared as bytes: a deep comparison of large arrays takes seconds.
    expect(sameBlock(reads.loadBlock(height), input.block)).toBe(true);
    expect(reads.loadMeta(height)).toMatchObject({ blockId: input.blockId, numTxs: input.block.txs.length });
    for (const part of input.parts) {
      const loaded = reads.loadPart(height, part.index);
      expect(loaded?.proof).toEqual(part.proof);
      expect(equalBytes(loaded?.bytes ?? bytes(0), part.bytes)).toBe(true);
    }
    expect(reads.loadPart(height, input.parts.length)).toBeUndefined();
    expect(reads.loadSeenCommit(height)).toEqual(input.seenCommit);
    expect(reads.loadResults(height)).toEqual(input.results);
    expect(reads.loadEthRecord(height)).toEqual(input.eth.record);
    expect(reads.heightOfBlockHash(input.blockId.hash)).toBe(height);
    expect(reads.heightOfEthHash(input.eth.hash)).toBe(height);
  }
  expect(chain.inputs[1]?.parts.length).toBe(3);
  expect(reads.loadCommit(1)).toEqual(chain.inputs[1]?.block.lastCommit);
  expect(reads.loadCommit(3)).toBeUndefined();
  expect(reads.loadMeta(4)).toBeUndefined();
  expect(reads.loadMeta(0)).toBeUndefined();
});

test('height 0 holds the genesis state and the Ethereum genesis block', async () => {
  const store = new BlockStore(new MemoryKv());
  const chain = new StoreChain();
  await chain.grow(store, []);
  expect([store.reads.base(), store.reads.head()]).toEqual([0, 0]);
  expect(store.reads.loadRoots(0)).toEqual(EMPTY_ROOTS);
  expect(store.reads.loadEthRecord(0)).toEqual(chain.genesis.eth.record);
  expect(store.reads.heightOfEthHash(chain.genesis.eth.hash)).toBe(0);
  expect(store.reads.loadValidators(1)).toEqual(chain.state.validators);
  expect(store.reads.loadValidators(2)).toEqual(chain.state.nextValidators);
  expect(() => store.genesisOps(chain.genesis)).toThrow('written once');
});

test('a chain may begin at a later height', async () => {
  const store = new BlockStore(new MemoryKv());
  const chain = new StoreChain(500);
  await chain.grow(store, [{}, {}]);
  expect([store.reads.base(), store.reads.head()]).toEqual([500, 501]);
  expect(store.reads.loadBlock(500)).toEqual(chain.inputs[0]?.block);
  expect(store.reads.loadMeta(499)).toBeUndefined();
});

describe('validators and params by height', () => {
  test('are exact with their priorities, though a full set is stored only when the members change', async () => {
    const kv = new MemoryKv();
    const chain = new StoreChain();
    const sets = [chain.state.validators, chain.state.nextValidators];
    const store = new BlockStore(kv);
    await chain.grow(store, []);
    for (let height = 1; height <= 12; height++) {
      const validatorUpdates = height === 5 ? [{ pubKey: pubKeyOf(4), power: 7n }] : [];
      await chain.grow(store, [{ reply: { validatorUpdates } }]);
      sets.push(chain.state.nextValidators);
    }
    const { reads } = new BlockStore(kv);
    for (const [i, set] of sets.entries()) expect(reads.loadValidators(i + 1)).toEqual(set);
    expect(reads.loadValidators(15)).toBeUndefined();
    expect([2, 3, 6, 7, 8, 14].map((height) => reads.fullValidatorsHeight(height))).toEqual([
      2, 2, 2, 7, 7, 7,
    ]);
    const full = kv.get(validatorsKey(7))?.length ?? 0;
    expect(kv.get(validatorsKey(8))?.length).toBeLessThan(full / 2);
  });

  test('params point to the height that changed them', async () => {
    const store = new BlockStore(new MemoryKv());
    const chain = new StoreChain();
    const changed = { ...DEFAULT_PARAMS, block: { maxBytes: 2_000_000, maxGas: 30_000_000 } };
    await chain.grow(store, [{}, { reply: { paramUpdates: changed } }, {}, {}]);
    const { reads } = store;
    expect([1, 2, 3, 4, 5].map((height) => reads.loadParams(height)?.block.maxGas)).toEqual([
      -1, -1, 30_000_000, 30_000_000, 30_000_000,
    ]);
    expect(reads.fullParamsHeight(5)).toBe(3);
    expect(reads.loadParams(6)).toBeUndefined();
  });
});

describe('transactions', () => {
  test('are found by both hashes, with their place among the Ethereum transactions', async () => {
    const store = new BlockStore(new MemoryKv());
    const txs = [bytes(1), bytes(2), bytes(3)];
    const ethHashes = [keccak_256(bytes(1)), undefined, keccak_256(bytes(3))];
    await new StoreChain().grow(store, [{}, { txs, ethHashes, codes: [0, 5, 0] }]);
    const { reads } = store;
    expect(txs.map((tx) => reads.txLocation(txHash(tx)))).toEqual([
      { height: 2, index: 0, ethIndex: 0 },
      { height: 2, index: 1, ethIndex: undefined },
      { height: 2, index: 2, ethIndex: 1 },
    ]);
    expect(reads.ethTxLocation(keccak_256(bytes(3)))).toEqual({ height: 2, index: 2, ethIndex: 1 });
    expect(reads.ethTxLocation(keccak_256(bytes(2)))).toBeUndefined();
    expect(reads.loadResults(2)?.txResults[1]).toEqual(txResult(5));
  });

  test('that failed do not hide the same bytes that succeeded before, in the block or in an older one', async () => {
    const store = new BlockStore(new MemoryKv());
    const chain = new StoreChain();
    const [a, b] = [bytes(1), bytes(2)];
    await chain.grow(store, [
      { txs: [a, a], codes: [0, 19] },
      { txs: [b], codes: [19] },
    ]);
    await chain.grow(store, [{ txs: [a, b], codes: [19, 0] }]);
    expect(store.reads.txLocation(txHash(a))).toMatchObject({ height: 1, index: 0 });
    expect(store.reads.txLocation(txHash(b))).toMatchObject({ height: 3, index: 1 });
  });
});

test('the head pointer is the last operation of a batch, after the state operations', () => {
  const chain = new StoreChain();
  const store = new BlockStore(new MemoryKv());
  expect(store.genesisOps(chain.genesis).at(-1)?.key).toEqual(HEAD_KEY);
  expect(store.commitOps(chain.next()).at(-1)?.key).toEqual(HEAD_KEY);
});

test('a height is readable only when its batch is durable', async () => {
  let finish: () => void = () => {};
  class SlowKv extends MemoryKv {
    override async batch(ops: Parameters<MemoryKv['batch']>[0]): Promise<void> {
      this.apply(ops);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    }
  }
  const kv = new SlowKv();
  const chain = new StoreChain();
  kv.apply(new BlockStore(kv).genesisOps(chain.genesis));
  const store = new BlockStore(kv);
  const input = chain.next();
  const committing = store.commit(input, []);
  expect(store.reads.head()).toBe(0);
  expect(store.reads.loadMeta(1)).toBeUndefined();
  expect(store.reads.heightOfBlockHash(input.blockId.hash)).toBeUndefined();
  finish();
  await committing;
  expect(store.reads.heightOfBlockHash(input.blockId.hash)).toBe(1);
});

test("a gap in heights, another block's state or missing parts fail an assertion", async () => {
  const chain = new StoreChain();
  const store = new BlockStore(new MemoryKv());
  await chain.grow(store, [{}]);
  const second = chain.next();
  const third = chain.next();
  expect(() => store.commitOps(third)).toThrow('one after another');
  expect(() => store.commitOps({ ...second, state: third.state })).toThrow(
    'the state is that after the block',
  );
  expect(() => store.commitOps({ ...second, seenCommit: third.seenCommit })).toThrow(
    'the commit is for the block',
  );
  expect(() => store.commitOps({ ...second, parts: [] })).toThrow('all parts');
});

describe('a faulty disk', () => {
  test('that alters one byte of a record, or returns the record of another key, causes a StorageFault', async () => {
    const chain = new StoreChain();
    const clean = new MemoryKv();
    await chain.grow(new BlockStore(clean), [{ txs: [bytes(1)] }, {}]);
    const read = (kv: MemoryKv): void => {
      const { reads } = new BlockStore(kv);
      reads.loadBlock(1);
      reads.loadResults(1);
      reads.loadValidators(3);
    };
    read(clean);
    for (const [key, other] of [
      [metaKey(1), metaKey(2)],
      [partKey(1, 0), partKey(2, 0)],
      [resultsKey(1), resultsKey(2)],
      [validatorsKey(3), validatorsKey(4)],
      [validatorsKey(2), validatorsKey(1)],
      [HEAD_KEY, metaKey(1)],
    ] as const) {
      const value = clean.get(key) as Uint8Array;
      for (const at of [0, 4, value.length - 1]) {
        const altered = new MemoryKv(clean);
        altered.apply([{ type: 'put', key, value: value.with(at, (value[at] as number) ^ 1) }]);
        expect(() => read(altered)).toThrow(StorageFault);
      }
      const misplaced = new MemoryKv(clean);
      misplaced.apply([{ type: 'put', key, value: clean.get(other) as Uint8Array }]);
      expect(() => read(misplaced)).toThrow(StorageFault);
    }
  });

  test('that lost a part makes loading the block fail', async () => {
    const kv = new MemoryKv();
    await new StoreChain().grow(new BlockStore(kv), [{}]);
    kv.apply([{ type: 'del', key: partKey(1, 0) }]);
    const { reads } = new BlockStore(kv);
    expect(reads.loadPart(1, 0)).toBeUndefined();
    expect(() => reads.loadBlock(1)).toThrow('block part missing or wrong');
  });
});
