/** Forms of parameters that clients send and geth takes, refuses or understands in its own way. */
import { beforeAll, describe, expect, test } from 'vitest';
import { EthSession } from '../../../../core/rpc/eth/session.ts';
import { deploying, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, FakeSocket, type Loose, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let dev: string;
let other: string;
let store: string;
let latest: Loose;

beforeAll(async () => {
  world = await RpcWorld.open();
  [dev, other] = [bytesHex(world.dev.address), bytesHex(world.other.address)];
  const send = async (nonce: number, fields: object): Promise<string> =>
    world.get(
      'eth_sendRawTransaction',
      bytesHex(await signRaw(world.dev, { nonce, gas: 1_000_000n, ...fields })),
    );
  await send(0, { data: deploying(STORE_AND_LOG) });
  await world.commit();
  store = (await world.get('eth_getBlockReceipts', 'latest'))[0].contractAddress;
  await send(1, { to: store, data: word(5) });
  await send(2, { to: store, data: word(6) });
  await world.commit();
  latest = await world.get('eth_getBlockByNumber', 'latest', false);
});

const upper = (text: string): string => `0X${text.slice(2).toUpperCase()}`;

describe('forms that are taken', () => {
  test('a block by tag, number, hash, object, uppercase digits, null or not at all', async () => {
    const balance = await world.get('eth_getBalance', dev, latest.number);
    for (const block of [
      null,
      'latest',
      'safe',
      'finalized',
      latest.hash,
      upper(latest.hash),
      { blockNumber: latest.number },
      { blockNumber: 'latest' },
      { blockHash: latest.hash },
      { blockHash: latest.hash, requireCanonical: true },
      { blockHash: latest.hash, requireCanonical: null, blockNumber: null },
    ])
      expect(await world.get('eth_getBalance', dev, block), JSON.stringify(block)).toBe(balance);
    expect(await world.get('eth_getBalance', dev)).toBe(balance);
    expect(await world.get('eth_getBalance', upper(dev))).toBe(balance);
  });

  test('an empty text is no quantity of a block, but zero as a quantity of a transaction', async () => {
    const call = { from: dev, to: other, value: '', gasPrice: '', data: '' };
    expect(await world.get('eth_call', call)).toBe('0x');
    expect(await world.get('eth_estimateGas', { ...call, gas: '' })).toBe('0x5208');
    expect((await world.rpc('eth_getBalance', dev, '')).error?.message).toBe(
      'invalid argument 1: empty hex string',
    );
  });

  test('data and input alike, either alone, and members that are null or unknown', async () => {
    const data = word(7);
    const plain = await world.get('eth_estimateGas', { from: dev, to: store, data });
    for (const call of [
      { from: dev, to: store, input: data },
      { from: dev, to: store, data, input: data },
      { from: dev, to: store, data, input: null },
      { from: dev, to: store, data, type: '0x2', gasLimit: 5, chainId: '0x2328', accessList: null },
      { from: dev, to: store, data, nonce: null, value: null, gas: null, maxFeePerGas: null },
      {
        from: dev,
        to: store,
        data,
        authorizationList: null,
        blobVersionedHashes: null,
        maxFeePerBlobGas: null,
      },
    ])
      expect(await world.get('eth_estimateGas', call), JSON.stringify(call)).toBe(plain);
    expect(await world.get('eth_call', {})).toBe('0x');
  });

  test('null for an account of which nothing is pretended', async () => {
    expect(await world.get('eth_call', { to: other }, 'latest', { [dev]: null })).toBe('0x');
  });

  test('a count of blocks as a number, hex or decimal text', async () => {
    const two = await world.get('eth_feeHistory', '0x2', 'latest', []);
    for (const count of [2, '2', '0X2', '0x02', '02'])
      expect(await world.get('eth_feeHistory', count, 'latest', null)).toEqual(two);
    expect(await world.get('eth_feeHistory', '', 'latest', [])).toEqual({
      oldestBlock: '0x0',
      gasUsedRatio: null,
    });
    for (const [count, shown] of [
      ['0x1ffffffffffffffff', '"0x1ffffffffffffffff"'],
      ['18446744073709551616', '"18446744073709551616"'],
      ['many', '"many"'],
      [true, '"true"'],
    ])
      expect((await world.rpc('eth_feeHistory', count, 'latest', [])).error?.message).toBe(
        `invalid argument 0: invalid hex or decimal integer ${shown}`,
      );
  });

  test('topics by position, as lists, with holes; addresses alone, as a list, or none', async () => {
    const topic = `0x${'ab'.repeat(32)}`;
    const range = { fromBlock: 'earliest', toBlock: 'latest' };
    const all = await world.get('eth_getLogs', range);
    expect(all).toHaveLength(2);
    for (const filter of [
      { topics: [] },
      { topics: [[]] },
      { topics: [null] },
      { topics: [[null]] },
      { topics: [[null, topic]] },
      { topics: [topic] },
      { topics: [[topic, word(1)]] },
      { topics: [upper(topic)], address: null },
      { topics: null, address: [] },
      { address: store },
      { address: [store, other] },
      { address: upper(store) },
    ])
      expect(await world.get('eth_getLogs', { ...range, ...filter }), JSON.stringify(filter)).toEqual(all);
    for (const filter of [
      { topics: [null, null] },
      { topics: [[], topic] },
      { address: other },
      { topics: [word(1)] },
    ])
      expect(await world.get('eth_getLogs', { ...range, ...filter }), JSON.stringify(filter)).toEqual([]);
  });

  test('blocks, transactions and receipts that are not there are null', async () => {
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0xffff', false],
      ['eth_getBlockByNumber', '0x7fffffffffffffff', true],
      ['eth_getBlockByHash', word(1), false],
      ['eth_getBlockReceipts', '0xffff'],
      ['eth_getTransactionByHash', word(1)],
      ['eth_getTransactionReceipt', word(1)],
      ['eth_getTransactionByBlockNumberAndIndex', 'latest', '0x63'],
      ['eth_getTransactionByBlockNumberAndIndex', '0xffff', '0x0'],
      ['eth_getBlockTransactionCountByHash', word(1)],
      ['eth_getHeaderByNumber', '0xffff'],
    ])
      expect(await world.get(method as string, ...params), String(method)).toBe(null);
  });

  test('a call that debug_traceCall runs before a transaction of the block', async () => {
    const tracer = { tracer: 'prestateTracer' };
    const slotBefore = async (config: object) =>
      (
        await world.get('debug_traceCall', { from: dev, to: store, data: word(9) }, 'latest', {
          ...tracer,
          ...config,
        })
      )[store].storage?.[word(0)];
    expect(await slotBefore({})).toBe(word(6));
    expect(await slotBefore({ txIndex: '0x1' })).toBe(word(5));
    expect(await slotBefore({ txIndex: '0x0' })).toBe(word(0));
    const far = await world.rpc('debug_traceCall', { to: store }, 'latest', { txIndex: '0x2' });
    expect(far.error?.message).toBe(`transaction index 2 out of range for block ${latest.hash}`);
  });
});

const GO_TEXT = 'json: cannot unmarshal';

describe('forms that are refused in the words of geth', () => {
  test.each<[string, number, string, readonly unknown[]]>([
    [
      'eth_getBalance',
      -32602,
      `invalid argument 1: ${GO_TEXT} number into Go value of type string`,
      ['A', 5],
    ],
    ['eth_getBalance', -32602, 'invalid argument 1: hex string without 0x prefix', ['A', '5']],
    ['eth_getBalance', -32602, 'invalid argument 1: hex number with leading zero digits', ['A', '0x01']],
    ['eth_getBalance', -32602, 'invalid argument 1: blocknumber too high', ['A', '0x8000000000000000']],
    ['eth_getBalance', -32602, 'invalid argument 1: hex number > 64 bits', ['A', '0x10000000000000000']],
    [
      'eth_getBalance',
      -32602,
      `invalid argument 1: ${GO_TEXT} object into Go value of type string`,
      ['A', { blockHash: '0x12' }],
    ],
    [
      'eth_getBalance',
      -32602,
      `invalid argument 1: ${GO_TEXT} object into Go value of type string`,
      ['A', { blockNumber: 'zz' }],
    ],
    [
      'eth_getBalance',
      -32602,
      `invalid argument 1: ${GO_TEXT} object into Go value of type string`,
      ['A', { blockNumber: '0x1', requireCanonical: 1 }],
    ],
    [
      'eth_getBalance',
      -32602,
      'invalid argument 0: hex string has length 38, want 40 for common.Address',
      [`0x${'11'.repeat(19)}`, 'latest'],
    ],
    [
      'eth_getBalance',
      -32602,
      `invalid argument 0: ${GO_TEXT} non-string into Go value of type common.Address`,
      [5, 'latest'],
    ],
    ['eth_getBalance', -32602, 'missing value for required argument 0', []],
    ['eth_getBalance', -32602, 'too many arguments, want at most 2', ['A', 'latest', 1]],
    ['eth_getBalance', -32000, 'header not found', ['A', '0xffff']],
    [
      'eth_getBalance',
      -32000,
      'header for hash not found',
      ['A', { blockHash: word(1), requireCanonical: true }],
    ],
    [
      'eth_getBlockByNumber',
      -32602,
      'invalid argument 0: block number larger than int64',
      ['0x8000000000000000', false],
    ],
    [
      'eth_getBlockByNumber',
      -32602,
      'invalid argument 0: hex string without 0x prefix',
      [{ blockNumber: '0x1' }, false],
    ],
    ['eth_getBlockByNumber', -32602, 'missing value for required argument 1', ['latest']],
    [
      'eth_getBlockByNumber',
      -32602,
      `invalid argument 1: ${GO_TEXT} string into Go value of type bool`,
      ['latest', 'true'],
    ],
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} non-string into Go struct field TransactionArgs.gas of type hexutil.Uint64`,
      [{ gas: 21000 }],
    ],
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} hex string "0x" into Go struct field TransactionArgs.value of type *hexutil.Big`,
      [{ value: '0x' }],
    ],
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} hex string of odd length into Go struct field TransactionArgs.data of type hexutil.Bytes`,
      [{ data: '0x1' }],
    ],
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} string into Go value of type ethapi.TransactionArgs`,
      ['0x'],
    ],
    [
      'eth_call',
      -32602,
      "invalid argument 0: missing required field 'storageKeys' for AccessTuple",
      [{ accessList: [{ address: `0x${'11'.repeat(20)}` }] }],
    ],
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} object into Go struct field TransactionArgs.accessList of type types.AccessList`,
      [{ accessList: {} }],
    ],
    [
      'eth_call',
      -32602,
      "invalid argument 0: missing required field 'chainId' for SetCodeAuthorization",
      [{ authorizationList: [{}] }],
    ],
    [
      'eth_call',
      -32000,
      `err: EIP-7702 transaction with empty auth list (sender 0x${'0'.repeat(40)}) (supplied gas 21000)`,
      [{ to: `0x${'11'.repeat(20)}`, gas: '0x5208', authorizationList: [] }],
    ],
    [
      'eth_call',
      -32000,
      'EIP-7702 transaction cannot be used to create contract',
      [{ data: '0x00', authorizationList: [] }],
    ],
    [
      'eth_sendTransaction',
      -32000,
      'authorizationList provided for contract creation, but "to" field is missing',
      [{ from: 'DEV', data: '0x00', authorizationList: [] }],
    ],
    [
      'eth_fillTransaction',
      -32000,
      'both gasPrice and authorizationList specified',
      [{ from: 'DEV', to: 'DEV', gasPrice: '0x77359400', authorizationList: [] }],
    ],
    [
      'debug_traceCall',
      -32000,
      'tracing failed: intrinsic gas too low: have 20000, want 21000',
      [{ to: `0x${'11'.repeat(20)}`, gas: '0x4e20' }],
    ],
    ['eth_call', -32000, "chainId does not match node's (have=1, want=9000)", [{ chainId: '0x1' }]],
    [
      'eth_fillTransaction',
      -32000,
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
      [{ data: '0x01', input: '0x02' }],
    ],
    [
      'eth_call',
      -32000,
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      [{ gasPrice: '0x1', maxPriorityFeePerGas: '0x1' }],
    ],
    [
      'eth_call',
      -32000,
      'transaction type not supported',
      [{ to: `0x${'11'.repeat(20)}`, blobVersionedHashes: [word(1)] }],
    ],
    [
      'eth_call',
      -32000,
      'block override "beaconRoot" is not supported for this RPC method',
      [{}, 'latest', {}, { beaconRoot: word(1) }],
    ],
    [
      'eth_call',
      -32000,
      'block override "withdrawals" is not supported for this RPC method',
      [{}, 'latest', null, { withdrawals: [] }],
    ],
    [
      'eth_sendTransaction',
      -32000,
      'gasPrice must be non-zero after london fork',
      [{ from: 'DEV', to: 'DEV', gasPrice: '0x0' }],
    ],
    [
      'eth_sendTransaction',
      -32000,
      'maxFeePerGas must be non-zero',
      [{ from: 'DEV', to: 'DEV', maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }],
    ],
    [
      'eth_sendTransaction',
      -32000,
      'maxFeePerGas (0x1) < maxPriorityFeePerGas (0xa)',
      [{ from: 'DEV', to: 'DEV', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0xa' }],
    ],
    [
      'eth_sendTransaction',
      -32000,
      'transaction type not supported',
      [{ from: 'DEV', to: 'DEV', blobVersionedHashes: [word(1)] }],
    ],
    ['eth_sendTransaction', -32000, 'contract creation without any data provided', [{ from: 'DEV' }]],
    ['eth_sendRawTransaction', -32000, 'typed transaction too short', ['0x']],
    [
      'eth_getLogs',
      -32602,
      'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      [{ blockHash: word(1), fromBlock: '0x1' }],
    ],
    ['eth_getLogs', -32000, 'unknown block', [{ blockHash: word(1) }]],
    ['eth_getLogs', -32602, 'invalid argument 0: invalid topic(s)', [{ topics: [5] }]],
    ['eth_getLogs', -32602, 'invalid argument 0: invalid addresses in query', [{ address: {} }]],
    ['eth_getLogs', -32602, 'invalid argument 0: invalid address: invalid hex string', [{ address: '0xzz' }]],
    ['eth_getLogs', -32602, 'invalid argument 0: non-string address at index 0', [{ address: [5] }]],
    [
      'eth_getLogs',
      -32602,
      'invalid argument 0: exceed max topics',
      [{ topics: [null, null, null, null, null] }],
    ],
    ['eth_getLogs', -32602, 'invalid block range params', [{ fromBlock: 'latest', toBlock: 'earliest' }]],
    ['eth_getLogs', -32602, 'missing value for required argument 0', [null]],
    ['eth_newFilter', -32602, 'missing value for required argument 0', [null]],
    // Of several faults, the one that stands first.
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} hex string of odd length into Go struct field TransactionArgs.data of type hexutil.Bytes`,
      [{ data: '0x0', maxFeePerGas: 'zz' }],
    ],
    [
      'eth_call',
      -32602,
      `invalid argument 0: ${GO_TEXT} hex string without 0x prefix into Go struct field TransactionArgs.maxFeePerGas of type *hexutil.Big`,
      [{ maxFeePerGas: 'zz', data: '0x0' }],
    ],
    [
      'eth_estimateGas',
      -32602,
      `invalid argument 0: ${GO_TEXT} hex number with leading zero digits into Go struct field TransactionArgs.maxFeePerBlobGas of type *hexutil.Big`,
      [{ maxFeePerBlobGas: '0x01' }],
    ],
    [
      'eth_getTransactionByBlockNumberAndIndex',
      -32602,
      `invalid argument 1: ${GO_TEXT} hex string "0x" into Go value of type hexutil.Uint`,
      ['earliest', '0x'],
    ],
    [
      'eth_call',
      -32000,
      'err: max priority fee per gas higher than max fee per gas: address 0x0000000000000000000000000000000000000000, maxPriorityFeePerGas: 1, maxFeePerGas: 0 (supplied gas 50000000)',
      [{ maxPriorityFeePerGas: '0x1' }],
    ],
    ['eth_sendRawTransaction', -32000, 'rlp: value size exceeds available input length', ['0xf8']],
    ['eth_uninstallFilter', -32602, 'missing value for required argument 0', [null]],
    ['eth_getProof', -32602, 'missing value for required argument 1', ['DEV', null, 'latest']],
    ['eth_call', -32602, 'missing value for required argument 0', [null]],
    [
      'eth_getBalance',
      -32602,
      'invalid argument 1: must specify either BlockHash or BlockNumber',
      ['DEV', {}],
    ],
    [
      'debug_traceCall',
      -32602,
      `invalid argument 2: ${GO_TEXT} hex string without 0x prefix into Go struct field BlockOverrides.Number of type *hexutil.Big`,
      [{}, 'latest', { blockOverrides: { number: '7' } }],
    ],
    [
      'eth_getProof',
      -32602,
      'too many storage keys requested (max 1024, got 1025)',
      ['DEV', Array.from({ length: 1025 }, () => '0x0'), 'latest'],
    ],
    [
      'eth_getLogs',
      -32602,
      'block range extends beyond current head block',
      [{ fromBlock: '0x0', toBlock: '0xffff' }],
    ],
    ['eth_getLogs', -32602, 'invalid block range params', [{ fromBlock: '0x2', toBlock: '0x1' }]],
    [
      'eth_getFilterChanges',
      -32602,
      `invalid argument 0: ${GO_TEXT} number into Go value of type rpc.ID`,
      [1],
    ],
    [
      'eth_getProof',
      -32602,
      `invalid argument 1: ${GO_TEXT} string into Go value of type []string`,
      ['A', '0x0', 'latest'],
    ],
    ['eth_unsubscribe', -32000, 'subscription not found', ['0x1']],
    [
      'debug_traceTransaction',
      -32602,
      `invalid argument 1: ${GO_TEXT} number into Go struct field TraceConfig.tracer of type string`,
      [word(1), { tracer: 5 }],
    ],
    [
      'debug_traceTransaction',
      -32602,
      `invalid argument 1: ${GO_TEXT} string into Go struct field TraceConfig.limit of type int`,
      [word(1), { limit: '5' }],
    ],
    [
      'debug_traceCall',
      -32602,
      `invalid argument 2: ${GO_TEXT} string into Go struct field TraceConfig.disableStack of type bool`,
      [{}, 'latest', { disableStack: 'yes' }],
    ],
    [
      'debug_traceTransaction',
      -32602,
      `invalid argument 1: ${GO_TEXT} number 1.5 into Go struct field TraceConfig.limit of type int`,
      [word(1), { limit: 1.5 }],
    ],
    [
      'debug_traceTransaction',
      -32000,
      'transaction not found',
      [word(1), { tracer: null, reexec: 128, timeout: '10s' }],
    ],
    ['eth_subscribe', -32601, 'notifications not supported', ['newHeads']],
  ])('%s: %i %s', async (method, code, message, params) => {
    const named = JSON.parse(
      JSON.stringify(params).replaceAll('"A"', `"${dev}"`).replaceAll('"DEV"', `"${dev}"`),
    );
    expect((await world.rpc(method, ...named)).error).toEqual({ code, message });
  });
});

describe('envelopes', () => {
  const answer = async (body: string) => {
    const text = await world.text(body);
    return text === undefined ? undefined : JSON.parse(text);
  };

  test.each(['null', '1.5', '"x"', '""', 'true', '-0', '1e3', '12345678901234567890'])(
    'an id of %s comes back as it was',
    async (id) => {
      const text = await world.text(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`);
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x2328"}`);
    },
  );

  test('a request without an id is not answered, whatever becomes of it', async () => {
    expect(await answer('{"jsonrpc":"2.0","method":"eth_chainId"}')).toBe(undefined);
    expect(await answer('{"jsonrpc":"2.0","method":"nothing_here","params":{}}')).toBe(undefined);
    expect(await answer('[{"jsonrpc":"2.0","method":"eth_chainId"}]')).toBe(undefined);
  });

  test('a batch answers good and bad in order, and leaves notifications out', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'eth_chainId' },
      { jsonrpc: '2.0', method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 'b', method: 'nothing_here' },
      { id: 3, method: 'eth_chainId' },
      5,
      null,
      { jsonrpc: '2.0', id: {}, method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 4, method: 'eth_chainId', params: {} },
      { jsonrpc: '2.0', id: 4, result: 1 },
      { jsonrpc: '2.0', id: 5, method: 'eth_chainId', params: null },
    ];
    const replies = await answer(JSON.stringify(batch));
    expect(replies.map(({ id, result, error }: Loose) => [id, result ?? error.code])).toEqual([
      [1, '0x2328'],
      ['b', -32601],
      [3, -32600],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [4, -32602],
      [5, '0x2328'],
    ]);
    expect(replies[6].error.message).toBe('non-array args');
  });

  test('an unknown subscription is not found, over the websocket too', async () => {
    const socket = new FakeSocket();
    const session = new EthSession(world.ctx, socket);
    session.receive('{"id":1,"method":"eth_subscribe","params":["nothing"]}');
    session.receive('{"id":2,"method":"eth_subscribe","params":["logs"]}');
    session.receive('{"id":3,"method":"eth_unsubscribe","params":[5]}');
    await session.settled();
    expect(
      socket
        .take()
        .sort((a, b) => a.id - b.id)
        .map(({ error }) => error),
    ).toEqual([
      { code: -32601, message: 'no "nothing" subscription in eth namespace' },
      { code: -32602, message: 'missing value for required argument 1' },
      { code: -32602, message: `invalid argument 0: ${GO_TEXT} number into Go value of type rpc.ID` },
    ]);
    session.closed();
  });
});
