import { nobleSuite } from '../../../core/crypto/noble.ts';
import { type CoreNode, createNode } from '../../../core/node/assembly.ts';
import type { Effect } from '../../../core/node/contract.ts';
import type { CoreNodeOptions } from '../../../core/node/options.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { testGenesis } from '../app/support/chain.ts';

/** A new node that follows, on a host that does nothing but tell `perform`; its clock stands still. */
export const loneNode = (
  options: Pick<CoreNodeOptions, 'config'> & Partial<Pick<CoreNodeOptions, 'decodeFrame' | 'genesis'>>,
  perform: (effect: Effect) => void = () => {},
): Promise<CoreNode> =>
  createNode({
    genesis: testGenesis({ accounts: [] }),
    kv: new MemoryKv(),
    suite: nobleSuite,
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
    outside: () => ({ now: () => 0, append: (_, durable) => durable(), perform }),
    ...options,
  });
