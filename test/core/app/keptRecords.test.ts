import { beforeAll, describe, expect, test } from 'vitest';
import { fillIndex } from '../../../core/events/index/indexer.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import { StorageFault } from '../../../core/lib/storageFault.ts';
import { ethRecordKey, INDEX_KEY, metaKey, resultsKey } from '../../../core/store/keys.ts';
import { TestChain, testGenesis } from './support/chain.ts';

const HEIGHT = 2;

/** A chain of three blocks whose drive has forgotten one record, opened again. */
async function without(key: Bytes): Promise<TestChain> {
  const chain = await TestChain.open(testGenesis({ accounts: [] }));
  for (let i = 0; i < 3; i++) await chain.commit([]);
  await chain.kv.batch([{ type: 'del', key }]);
  return TestChain.open(testGenesis({ accounts: [] }), chain.kv);
}

describe('what the head says is there, and is not', () => {
  let whole: TestChain;
  beforeAll(async () => {
    whole = await without(INDEX_KEY);
  });

  const reads = [
    ['block', metaKey],
    ['blockMeta', metaKey],
    ['results', resultsKey],
    ['ethBlock', ethRecordKey],
  ] as const;

  test.each(reads)('makes %s a storage fault, not an answer', async (name, key) => {
    const { reader } = (await without(key(HEIGHT))).created;
    expect(() => reader[name](HEIGHT)).toThrow(StorageFault);
    expect(reader[name](HEIGHT - 1)).toBeDefined();
  });

  test.each(reads)('%s of other heights is simply not there', (name) => {
    const { reader } = whole.created;
    expect(reader[name](HEIGHT)).toBeDefined();
    expect(reader[name](4)).toBeUndefined();
    expect(reader[name](-1)).toBeUndefined();
  });

  test('stops filling the event index', async () => {
    const { kv, created } = await without(resultsKey(HEIGHT));
    await kv.batch([{ type: 'del', key: INDEX_KEY }]);
    const filling = fillIndex(kv, created.reader, async () => {});
    await expect(filling).rejects.toThrow(StorageFault);
  });
});
