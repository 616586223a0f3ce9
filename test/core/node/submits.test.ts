import { expect, test } from 'vitest';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { createNode } from '../../../core/node/assembly.ts';
import { DEFAULT_NODE_CONFIG } from '../../../core/node/nodeConfig.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { testGenesis } from '../app/support/chain.ts';

/** More than a node lets wait at once. */
const MANY = 10_000;

test('whoever has its answer waits no more: there is room for the next one', async () => {
  const { mempool } = DEFAULT_NODE_CONFIG;
  const { rpc } = await createNode({
    genesis: testGenesis({ accounts: [] }),
    kv: new MemoryKv(),
    suite: nobleSuite,
    config: { ...DEFAULT_NODE_CONFIG, mempool: { ...mempool, txBytesMax: 1 } },
    log: [],
    identity: {
      nodeId: 'node',
      moniker: 'node',
      version: '1.0.0',
      listenAddress: '',
      rpcAddress: '',
      validator: undefined,
    },
    keys: { addresses: [], secret: () => undefined },
    pause: async () => {},
    randomId: () => new Uint8Array(16),
    clock: () => 0,
    outside: () => ({ now: () => 0, append: (_, durable) => durable(), perform: () => {} }),
  });
  const tx = new Uint8Array(2);
  for (let i = 0; i < MANY; i++)
    expect(await rpc.submit(tx)).toMatchObject({ kind: 'refused', refusal: { code: 'too-large' } });
});
