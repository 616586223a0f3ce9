import { expect, test } from 'vitest';
import { refuseLogAhead } from '../../../adapters/disk/logAhead.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { planRollback } from '../../../core/node/rollback.ts';
import { BlockStore } from '../../../core/store/blockStore.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { StoreChain } from '../../core/store/storeChain.ts';

const record = (height: number) => [{ height, bytes: new Uint8Array(1) }];

test('a log above the chain is refused with what to do about it', () => {
  expect(() => refuseLogAhead(new MemoryKv(), record(51), 1, '/home/data')).toThrow(OperatingError);
  expect(() => refuseLogAhead(new MemoryKv(), record(51), 1, '/home/data')).toThrow(
    /database in \/home\/data is missing or an old copy: it ends at height 0, and the log goes on at 51\. .*keep priv_validator_state\.json/,
  );
});

test('a log of the height in progress, of the first height of a chain, or none, is taken', () => {
  refuseLogAhead(new MemoryKv(), record(1), 1, '/d');
  refuseLogAhead(new MemoryKv(), record(100), 100, '/d');
  refuseLogAhead(new MemoryKv(), [], 1, '/d');
});

test('a log above a state that was rolled back is taken: the block between waits to be executed again', async () => {
  const kv = new MemoryKv();
  await new StoreChain().grow(new BlockStore(kv), [{}, {}, {}]);
  const plan = planRollback(kv, nobleSuite, false);
  if (!plan.ok) throw new Error(plan.error);
  await kv.batch(plan.value.ops);
  expect(plan.value.height).toBe(2);
  refuseLogAhead(kv, record(4), 1, '/d');
  expect(() => refuseLogAhead(kv, record(5), 1, '/d')).toThrow(/ends at height 3, and the log goes on at 5/);
});
