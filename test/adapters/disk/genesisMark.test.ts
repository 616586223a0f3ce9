import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { genesisMarkOf, refuseOtherGenesis } from '../../../adapters/disk/genesisMark.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { BlockStore } from '../../../core/store/blockStore.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { testGenesis } from '../../core/app/support/chain.ts';
import { StoreChain } from '../../core/store/storeChain.ts';
import { tempDir } from '../tempDir.ts';

test('a home whose chain began with another genesis is refused, an empty one takes any', async () => {
  const dir = tempDir();
  const kv = new MemoryKv();
  const genesis = testGenesis({ accounts: [] });
  const other = { ...genesis, genesisTime: { seconds: 1, nanos: 0 } };
  const check = (one: typeof genesis): void => refuseOtherGenesis(kv, one, dir, nobleSuite);
  check(other);
  check(genesis);
  await new StoreChain().grow(new BlockStore(kv), [{}]);
  check(genesis);
  expect(() => check(other)).toThrow(
    /^the genesis of this home is not the one that its chain began with .*: restore genesis\.json; .*unsafe-reset-all$/,
  );
  // A home from before the mark existed gets one.
  rmSync(genesisMarkOf(dir));
  check(genesis);
  expect(() => check(other)).toThrow(/not the one/);
});
