import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { StateDb } from '../../../core/state/stateDb.ts';
import { WorldState } from '../../../core/state/worldState.ts';
import { BlockWriteSet } from '../../../core/state/writeSet.ts';
import { BlockStore } from '../../../core/store/blockStore.ts';
import * as keys from '../../../core/store/keys.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { openStore } from '../../../core/store/recovery.ts';
import { EMPTY_ROOTS } from '../../../core/store/roots.ts';
import { StoreChain } from './storeChain.ts';

async function grown(): Promise<{ kv: MemoryKv; chain: StoreChain }> {
  const kv = new MemoryKv();
  const chain = new StoreChain();
  await chain.grow(new BlockStore(kv), [{}, {}, {}]);
  return { kv, chain };
}

test('a new database has no chain yet', () => {
  expect(openStore(new MemoryKv())).toMatchObject({ ok: true, value: { chain: undefined } });
});

test('after genesis, and after a block, the state of the head is found', async () => {
  const kv = new MemoryKv();
  const chain = new StoreChain();
  for (const steps of [[], [{}], [{}, {}]]) {
    await chain.grow(new BlockStore(kv), steps);
    const opened = openStore(kv);
    expect(opened).toMatchObject({ ok: true, value: { chain: { state: chain.state, roots: EMPTY_ROOTS } } });
    expect(opened.ok && opened.value.blocks.reads.head()).toBe(chain.state.lastBlockHeight);
  }
});

test('a batch that was not written leaves the height before, whole', async () => {
  const { kv, chain } = await grown();
  const before = chain.state;
  new BlockStore(kv).commitOps(chain.next());
  expect(openStore(kv)).toMatchObject({ ok: true, value: { chain: { state: before } } });
});

test('a batch of which any record is lost is refused, naming the height and what to do', async () => {
  const { kv, chain } = await grown();
  const ops = new BlockStore(kv).commitOps(chain.next());
  // Indexes by hash and the commit of the height before are read by others; the head does not need them.
  const needed = ops.filter(({ key }) => !'hbk'.includes(String.fromCharCode(key[0] as number)));
  expect(needed.length).toBeGreaterThan(8);
  for (const lost of needed) {
    const torn = new MemoryKv(kv);
    torn.apply(ops.filter((op) => op !== lost));
    const opened = openStore(torn);
    expect(opened.ok, String.fromCharCode(lost.key[0] as number)).toBe(false);
    if (!opened.ok)
      expect(opened.error.message).toMatch(/height \d.*restore the data directory from a backup/);
  }
});

test('an altered record of the head is refused', async () => {
  const { kv } = await grown();
  for (const key of [
    keys.STATE_KEY,
    keys.HEAD_KEY,
    keys.metaKey(3),
    keys.partKey(3, 0),
    keys.resultsKey(3),
  ]) {
    const altered = new MemoryKv(kv);
    const value = kv.get(key) as Uint8Array;
    altered.apply([
      { type: 'put', key, value: value.with(value.length - 1, (value.at(-1) as number) ^ 0x80) },
    ]);
    expect(openStore(altered)).toMatchObject({ ok: false, error: { code: 'store-corrupt' } });
  }
});

test('an old chain state or an old head beside newer records is refused', async () => {
  const { kv, chain } = await grown();
  for (const key of [keys.STATE_KEY, keys.HEAD_KEY]) {
    const mixed = new MemoryKv(kv);
    const old = new MemoryKv();
    const shorter = new StoreChain();
    await shorter.grow(new BlockStore(old), [{}, {}]);
    mixed.apply([{ type: 'put', key, value: old.get(key) as Uint8Array }]);
    expect(openStore(mixed)).toMatchObject({ ok: false, error: { code: 'store-disagrees' } });
  }
  expect(chain.state.lastBlockHeight).toBe(3);
});

test('an old chain state and head below a stored block are refused', async () => {
  const { kv } = await grown();
  const old = new MemoryKv();
  await new StoreChain().grow(new BlockStore(old), [{}, {}]);
  kv.apply(
    [keys.STATE_KEY, keys.HEAD_KEY].map((key) => ({ type: 'put', key, value: old.get(key) as Uint8Array })),
  );
  expect(openStore(kv)).toMatchObject({ ok: false, error: { code: 'store-disagrees', height: 2 } });
});

test('roots whose nodes were not written are refused', async () => {
  const kv = new MemoryKv();
  const chain = new StoreChain();
  const store = new BlockStore(kv);
  await chain.grow(store, []);
  const writes = new BlockWriteSet(WorldState.open(new StateDb(kv, keccak_256), EMPTY_ROOTS));
  writes.putAccount(new Uint8Array(20), { balance: 1n });
  const sealed = writes.seal();
  const ops = store.commitOps({ ...chain.next(), roots: sealed });
  const whole = new MemoryKv(kv);
  whole.apply([...sealed.ops, ...ops]);
  expect(openStore(whole).ok).toBe(true);
  const torn = new MemoryKv(kv);
  torn.apply(ops);
  expect(openStore(torn)).toMatchObject({
    ok: false,
    error: { code: 'store-incomplete', missing: 'the state' },
  });
});
