import { beforeAll, expect, test } from 'vitest';
import { ETH_METHODS } from '../../../../core/rpc/eth/table.ts';
import { deploying, REVERTER, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';
import { faultsOf, specMethods } from './support/schema.ts';

let world: RpcWorld;
let calls: Record<string, readonly (readonly unknown[])[]>;

/** Of the specification, but not of this node: what for is said here. */
const ABSENT: Readonly<Record<string, string>> = {
  eth_getBlockAccessList: 'of a fork that is not out',
  debug_getRawBlockAccessList: 'of a fork that is not out',
};

beforeAll(async () => {
  world = await RpcWorld.open();
  const dev = bytesHex(world.dev.address);
  const other = bytesHex(world.other.address);
  await world.get('eth_sendTransaction', { from: dev, data: deploying(STORE_AND_LOG), gas: '0xf4240' });
  await world.get('eth_sendTransaction', { from: dev, data: deploying(REVERTER), gas: '0xf4240' });
  await world.commit();
  const [store, reverter] = (await world.get('eth_getBlockReceipts', 'latest')).map(
    ({ contractAddress }: { contractAddress: string }) => contractAddress,
  );
  const hash = await world.get('eth_sendTransaction', { from: dev, to: store, data: word(5) });
  await world.get('eth_sendTransaction', { from: dev, to: reverter, gas: '0xf4240' });
  await world.get('eth_sendTransaction', { from: dev, to: other, value: '0x1', gasPrice: '0x77359400' });
  await world.commit();
  const block = await world.get('eth_getBlockByNumber', 'latest', false);
  await world.get('eth_sendTransaction', { from: dev, to: other, value: '0x1' });
  const gap = await signRaw(world.other, { nonce: 5, to: dev, value: 1n, gas: 21_000n });
  await world.get('eth_sendRawTransaction', bytesHex(gap));
  const next = await signRaw(world.other, { nonce: 0, to: dev, value: 1n, gas: 21_000n });
  const newFilter = () => world.get('eth_newFilter', { fromBlock: '0x0' });
  const call = { from: dev, to: store, data: word(6) };
  const complete = {
    from: dev,
    to: other,
    value: '0x1',
    gas: '0x5208',
    nonce: '0x9',
    gasPrice: '0x77359400',
  };
  calls = {
    eth_getBlockByHash: [
      [block.hash, false],
      [block.hash, true],
      [word(1), true],
    ],
    eth_getBlockByNumber: [
      ['latest', false],
      ['latest', true],
      ['0x0', true],
      ['0xfff', true],
    ],
    eth_getBlockTransactionCountByHash: [[block.hash], [word(1)]],
    eth_getBlockTransactionCountByNumber: [['latest'], ['0xfff']],
    eth_getUncleCountByBlockHash: [[block.hash]],
    eth_getUncleCountByBlockNumber: [['latest']],
    eth_getBlockReceipts: [['latest'], ['0x0'], ['0xfff']],
    eth_chainId: [[]],
    eth_syncing: [[]],
    eth_coinbase: [[]],
    eth_accounts: [[]],
    eth_blockNumber: [[]],
    net_version: [[]],
    eth_config: [[]],
    eth_capabilities: [[]],
    eth_call: [[call], [call, 'latest', {}, {}]],
    eth_estimateGas: [[call], [call, 'latest']],
    eth_createAccessList: [[call], [{ from: dev, to: reverter }]],
    eth_simulateV1: [
      [{ blockStateCalls: [{ calls: [call] }, {}] }],
      [
        { blockStateCalls: [{ calls: [call] }], returnFullTransactions: true, traceTransfers: true },
        'latest',
      ],
    ],
    eth_gasPrice: [[]],
    eth_baseFee: [[]],
    eth_blobBaseFee: [[]],
    eth_maxPriorityFeePerGas: [[]],
    eth_feeHistory: [
      ['0x3', 'latest', [10, 90]],
      ['0x1', '0x0'],
    ],
    eth_fillTransaction: [[{ from: dev, to: other, value: '0x1' }]],
    eth_newFilter: [[{ fromBlock: '0x0' }]],
    eth_newBlockFilter: [[]],
    eth_newPendingTransactionFilter: [[]],
    eth_getFilterChanges: [[await newFilter()]],
    eth_getFilterLogs: [[await newFilter()]],
    eth_uninstallFilter: [[await newFilter()], ['0x1']],
    eth_getLogs: [[{ fromBlock: '0x0' }]],
    eth_sign: [[dev, '0x1234']],
    eth_signTransaction: [[complete]],
    eth_getBalance: [[dev], [dev, 'latest']],
    eth_getStorageAt: [[store, '0x0', 'latest']],
    eth_getStorageValues: [[{ [store]: [word(0)] }, 'latest']],
    eth_getTransactionCount: [[dev, 'pending']],
    eth_getCode: [
      [store, 'latest'],
      [dev, 'latest'],
    ],
    eth_getProof: [[store, ['0x0', word(3)], 'latest']],
    eth_sendTransaction: [[{ from: dev, to: other, value: '0x2' }]],
    eth_sendRawTransaction: [[bytesHex(next)]],
    eth_getTransactionByHash: [[hash], [word(1)]],
    eth_getTransactionByBlockHashAndIndex: [
      [block.hash, '0x0'],
      [block.hash, '0x9'],
    ],
    eth_getTransactionByBlockNumberAndIndex: [
      ['latest', '0x2'],
      ['latest', '0x9'],
    ],
    eth_getTransactionReceipt: [[hash], [word(1)]],
    txpool_status: [[]],
    txpool_content: [[]],
    txpool_contentFrom: [[other]],
    debug_getRawHeader: [['latest']],
    debug_getRawBlock: [['latest']],
    debug_getRawTransaction: [[hash]],
    debug_getRawReceipts: [['latest']],
    debug_getBadBlocks: [[]],
    debug_traceTransaction: [[hash], [hash, { enableMemory: true, enableReturnData: true }]],
    debug_traceBlockByNumber: [['latest', { enableMemory: true }]],
    debug_traceBlockByHash: [[block.hash]],
  };
});

const served = new Set(ETH_METHODS.map(({ method }) => method));

test('every method of the specification is there, or it is said why not', () => {
  const absent = [...specMethods.keys()].filter((name) => !served.has(name));
  expect(absent).toEqual(Object.keys(ABSENT));
  for (const name of specMethods.keys()) expect(ABSENT[name] ?? calls[name], name).toBeDefined();
});

test('the check sees what does not fit', () => {
  const schema = specMethods.get('eth_getBlockTransactionCountByHash') ?? {};
  expect(faultsOf('0x01', schema)).not.toEqual([]);
  expect(faultsOf('0x1', schema)).toEqual([]);
  const block = specMethods.get('eth_getBlockByHash') ?? {};
  expect(faultsOf({ number: '0x1' }, block)).not.toEqual([]);
});

test.each([...specMethods.keys()].filter((name) => served.has(name)))(
  '%s answers what the specification says',
  async (name) => {
    const schema = specMethods.get(name);
    for (const params of calls[name] ?? []) {
      const faults = faultsOf(await world.get(name, ...params), schema ?? {});
      expect(faults, JSON.stringify(params)).toEqual([]);
    }
  },
);
