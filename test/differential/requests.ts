/** What one chain has to ask about: the same happened on every node, at addresses and in blocks of its own. */
export interface Facts {
  readonly from: string;
  readonly contract: string;
  /** The transaction that made the contract, and its block. */
  readonly creation: string;
  readonly block: string;
  readonly blockHash: string;
  readonly transfer: string;
  readonly failed: string;
}

export interface Request {
  readonly name: string;
  readonly method: string;
  readonly params: unknown;
}

export const NEVER = `0x${'ab'.repeat(32)}`;
const NOBODY = `0x${'1e'.repeat(20)}`;
const FAR = '0xffffff';
const VALUE = '0x3fa4f245';
/** increase(0), which reverts with a reason. */
const INCREASE_ZERO = `0x30f3f0db${'0'.repeat(64)}`;
const INCREASED = '0x9bf5a9f5e2e4e1e1f0ed6f1d50d3d6a59e4a1e1f0d3f4b5c6d7e8f9a0b1c2d3e';

/** Sensible calls of every method that other nodes have too. */
function good(f: Facts): readonly [string, readonly unknown[]][] {
  const call = { from: f.from, to: f.contract, data: VALUE };
  const reverting = { from: f.from, to: f.contract, data: INCREASE_ZERO };
  const pay = { from: f.from, to: NOBODY, value: '0x1' };
  const tags = ['latest', 'earliest', 'pending', 'safe', 'finalized', f.block];
  const perTag = tags.flatMap((tag): [string, readonly unknown[]][] => [
    ['eth_getBalance', [f.from, tag]],
    ['eth_getTransactionCount', [f.from, tag]],
    ['eth_getCode', [f.contract, tag]],
    ['eth_getStorageAt', [f.contract, '0x0', tag]],
    ['eth_getBlockByNumber', [tag, false]],
    ['eth_getBlockTransactionCountByNumber', [tag]],
    ['eth_call', [call, tag]],
  ]);
  return [
    ...perTag,
    ...['web3_clientVersion', 'net_version', 'net_listening', 'net_peerCount'].map(none),
    ...['eth_chainId', 'eth_syncing', 'eth_accounts', 'eth_blockNumber', 'eth_gasPrice'].map(none),
    ...['eth_maxPriorityFeePerGas', 'eth_blobBaseFee', 'eth_newBlockFilter', 'eth_config'].map(none),
    ...['eth_newPendingTransactionFilter', 'txpool_status', 'txpool_content', 'txpool_inspect'].map(none),
    ...['eth_coinbase', 'eth_mining', 'eth_hashrate', 'rpc_modules', 'eth_noSuchMethod', 'no_such'].map(none),
    ['web3_sha3', ['0x68656c6c6f']],
    ['eth_getBlockByHash', [f.blockHash, true]],
    ['eth_getBlockByHash', [NEVER, false]],
    ['eth_getBlockByNumber', [f.block, true]],
    ['eth_getBlockByNumber', [FAR, false]],
    ['eth_getBlockTransactionCountByHash', [f.blockHash]],
    ['eth_getBlockTransactionCountByHash', [NEVER]],
    ['eth_getUncleCountByBlockNumber', [f.block]],
    ['eth_getUncleCountByBlockHash', [f.blockHash]],
    ['eth_getBlockReceipts', [f.block]],
    ['eth_getBlockReceipts', [FAR]],
    ['eth_getTransactionByHash', [f.creation]],
    ['eth_getTransactionByHash', [f.transfer]],
    ['eth_getTransactionByHash', [NEVER]],
    ['eth_getTransactionByBlockHashAndIndex', [f.blockHash, '0x0']],
    ['eth_getTransactionByBlockHashAndIndex', [f.blockHash, '0x7']],
    ['eth_getTransactionByBlockNumberAndIndex', [f.block, '0x0']],
    ['eth_getRawTransactionByHash', [f.transfer]],
    ['eth_getTransactionReceipt', [f.creation]],
    ['eth_getTransactionReceipt', [f.failed]],
    ['eth_getTransactionReceipt', [NEVER]],
    ['eth_getBalance', [f.from]],
    ['eth_getBalance', [f.from, FAR]],
    ['eth_getBalance', [f.from, { blockHash: f.blockHash }]],
    ['eth_getBalance', [f.from, { blockHash: NEVER }]],
    ['eth_getBalance', [f.from, { blockNumber: f.block }]],
    ['eth_getStorageAt', [f.contract, `0x${'0'.repeat(64)}`, 'latest']],
    ['eth_getProof', [f.contract, ['0x0'], 'latest']],
    ['eth_getProof', [NOBODY, [], 'latest']],
    ['eth_call', [reverting, 'latest']],
    ['eth_call', [pay, 'latest']],
    ['eth_call', [{ ...call, gas: '0x1' }, 'latest']],
    ['eth_call', [call, 'latest', { [f.from]: { balance: '0x1' } }]],
    ['eth_call', [{ ...pay, from: NOBODY, value: '0xffffffffffffffffffffffff' }, 'latest']],
    ['eth_estimateGas', [pay]],
    ['eth_estimateGas', [call, 'latest']],
    ['eth_estimateGas', [reverting]],
    ['eth_estimateGas', [{ from: NOBODY, to: f.from, value: '0xffff' }]],
    ['eth_createAccessList', [call, 'latest']],
    ['eth_feeHistory', ['0x2', 'latest', [10, 50]]],
    ['eth_feeHistory', ['0x1', 'latest']],
    ['eth_feeHistory', ['0x2', 'latest', [50, 10]]],
    ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest', address: f.contract }]],
    ['eth_getLogs', [{ blockHash: f.blockHash }]],
    ['eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x1' }]],
    ['eth_getLogs', [{ blockHash: f.blockHash, fromBlock: '0x1' }]],
    ['eth_getLogs', [{ topics: [[INCREASED, NEVER], null] }]],
    ['eth_newFilter', [{ address: f.contract }]],
    ['eth_getFilterChanges', ['0xabcdef']],
    ['eth_getFilterLogs', ['0xabcdef']],
    ['eth_uninstallFilter', ['0xabcdef']],
    ['eth_sendRawTransaction', ['0x']],
    ['eth_sendRawTransaction', ['0x02c0']],
    ['eth_sendRawTransaction', ['0x03c0']],
    ['eth_sendRawTransaction', ['0xdeadbeef']],
    ['eth_sign', [f.from, '0x1234']],
    ['eth_sign', [NOBODY, '0x1234']],
    ['eth_sendTransaction', [{ from: NOBODY, to: f.from }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, 'latest']],
    ['debug_traceTransaction', [f.transfer]],
    ['debug_traceTransaction', [f.creation, { tracer: 'callTracer' }]],
    ['debug_traceTransaction', [f.failed, { tracer: 'callTracer' }]],
    ['debug_traceTransaction', [NEVER]],
    ['debug_traceCall', [call, 'latest', { tracer: 'callTracer' }]],
    ['debug_traceCall', [call, 'latest', { tracer: 'prestateTracer' }]],
    ['debug_traceBlockByNumber', [f.block, { tracer: 'callTracer' }]],
  ];
}

const none = (method: string): [string, readonly unknown[]] => [method, []];

/** Every way in which parameters are wrong in practice. */
function bad(f: Facts): readonly [string, unknown][] {
  const methods: readonly [string, readonly unknown[]][] = [
    ['eth_getBalance', [f.from, 'latest']],
    ['eth_getTransactionCount', [f.from, 'latest']],
    ['eth_getCode', [f.contract, 'latest']],
    ['eth_getStorageAt', [f.contract, '0x0', 'latest']],
    ['eth_getBlockByNumber', [f.block, false]],
    ['eth_getBlockByHash', [f.blockHash, false]],
    ['eth_getTransactionByHash', [f.transfer]],
    ['eth_getTransactionReceipt', [f.transfer]],
    ['eth_getBlockReceipts', [f.block]],
    ['eth_getTransactionByBlockNumberAndIndex', [f.block, '0x0']],
    ['eth_call', [{ to: f.contract, data: VALUE }, 'latest']],
    ['eth_estimateGas', [{ to: f.contract, data: VALUE }]],
    ['eth_getLogs', [{ fromBlock: 'latest' }]],
    ['eth_newFilter', [{}]],
    ['eth_getFilterChanges', ['0x1']],
    ['eth_feeHistory', ['0x1', 'latest', []]],
    ['eth_sendRawTransaction', ['0x00']],
    ['eth_getProof', [f.contract, [], 'latest']],
    ['web3_sha3', ['0x00']],
  ];
  const wrongs: readonly unknown[] = [
    null,
    7,
    true,
    {},
    [],
    'zz',
    '0x',
    '0xzz',
    '0x01',
    `0x${'f'.repeat(70)}`,
  ];
  return methods.flatMap(([method, params]): [string, unknown][] => [
    [method, []],
    [method, {}],
    [method, [...params, '0x0', '0x0', '0x0', '0x0']],
    ...wrongs.map((wrong): [string, unknown] => [method, [wrong, ...params.slice(1)]]),
  ]);
}

/** The facts by name: what is asked, without what differs between chains. */
const NAMES: Facts = {
  from: '<from>',
  contract: '<contract>',
  creation: '<creation>',
  block: '<block>',
  blockHash: '<blockHash>',
  transfer: '<transfer>',
  failed: '<failed>',
};

const callsOf = (facts: Facts): readonly [string, unknown][] => [...good(facts), ...bad(facts)];

/** The requests about a chain. A request's name is the same for every chain. */
export function requestsOf(facts: Facts): readonly Request[] {
  const texts = callsOf(NAMES).map(([, params]) => JSON.stringify(params));
  return callsOf(facts).map(([method, params], i) => ({
    name: `${i} ${method} ${texts[i]}`,
    method,
    params,
  }));
}
