import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { ETH_METHODS } from '../../../../core/rpc/eth/table.ts';
import { type JsonObject, parseJson } from '../../../../core/rpc/jsonText.ts';
import { RpcWorld, readerWith } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open({
    batchMax: 3,
    batchResponseBytesMax: 100,
    namespaces: ['eth', 'web3', 'net'],
  });
});

const error = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;

describe('the envelope answers word for word as geth does', () => {
  test.each([
    ['what is not JSON', '{', error('null', -32700, 'parse error')],
    ['an empty batch', '[]', error('null', -32600, 'empty batch')],
    ['an empty object', '{}', error('null', -32600, 'invalid request')],
    ['a scalar', '1', error('null', -32600, 'invalid request')],
    ['a scalar in a batch', '[1]', `[${error('null', -32600, 'invalid request')}]`],
    [
      'a wrong version',
      '{"jsonrpc":"1.0","method":"eth_chainId","id":1}',
      error('1', -32600, 'invalid request'),
    ],
    ['a missing version over HTTP', '{"method":"eth_chainId","id":1}', error('1', -32600, 'invalid request')],
    [
      'an object as id',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":{}}',
      error('null', -32600, 'invalid request'),
    ],
    [
      'a method that is no text',
      '{"jsonrpc":"2.0","method":5,"id":1}',
      error('1', -32600, 'invalid request'),
    ],
    ['a notification', '{"jsonrpc":"2.0","method":"eth_chainId"}', undefined],
    ['a batch of notifications', '[{"jsonrpc":"2.0","method":"eth_chainId"}]', undefined],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":5}', undefined],
    [
      'a null id, which is echoed',
      '{"jsonrpc":"2.0","id":null,"method":"net_version"}',
      '{"jsonrpc":"2.0","id":null,"result":"9000"}',
    ],
    [
      'a text id',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":"a"}',
      '{"jsonrpc":"2.0","id":"a","result":"0x2328"}',
    ],
    [
      'an id beyond a double',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":12345678901234567890}',
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":"0x2328"}',
    ],
    [
      'an id with a fraction',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":1.50}',
      '{"jsonrpc":"2.0","id":1.50,"result":"0x2328"}',
    ],
    [
      'null params',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":1,"params":null}',
      '{"jsonrpc":"2.0","id":1,"result":"0x2328"}',
    ],
    [
      'params that are an object',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":1,"params":{}}',
      error('1', -32602, 'non-array args'),
    ],
    [
      'too many params',
      '{"jsonrpc":"2.0","method":"eth_chainId","id":1,"params":[1]}',
      error('1', -32602, 'too many arguments, want at most 0'),
    ],
    [
      'too few params',
      '{"jsonrpc":"2.0","method":"eth_getBalance","id":1,"params":[]}',
      error('1', -32602, 'missing value for required argument 0'),
    ],
    [
      'an unknown method',
      '{"jsonrpc":"2.0","method":"eth_foo","id":1}',
      error('1', -32601, 'the method eth_foo does not exist/is not available'),
    ],
    [
      'a method of a disabled namespace',
      '{"jsonrpc":"2.0","method":"personal_listAccounts","id":1}',
      error('1', -32601, 'the method personal_listAccounts does not exist/is not available'),
    ],
    [
      'a subscription over HTTP',
      '{"jsonrpc":"2.0","method":"eth_subscribe","id":1,"params":["newHeads"]}',
      error('1', -32601, 'notifications not supported'),
    ],
    [
      'a method name beyond 2048 characters',
      `{"jsonrpc":"2.0","method":"${'x'.repeat(2049)}","id":1}`,
      error('1', -32600, 'method name too long: 2049 > 2048'),
    ],
  ])('%s', async (_name, body, reply) => {
    expect(await world.text(body)).toBe(reply);
  });

  test('a batch keeps the order and leaves notifications out', async () => {
    const call = (id: number) => `{"jsonrpc":"2.0","method":"net_version","id":${id}}`;
    const body = `[${call(2)},{"jsonrpc":"2.0","method":"net_version"},${call(1)}]`;
    expect(JSON.parse((await world.text(body)) as string).map((reply: { id: number }) => reply.id)).toEqual([
      2, 1,
    ]);
  });

  test('a batch beyond the limit gets one error with the first id', async () => {
    const call = '{"jsonrpc":"2.0","method":"net_version","id":7}';
    expect(await world.text(`[${[call, call, call, call].join(',')}]`)).toBe(
      `[${error('7', -32600, 'batch too large')}]`,
    );
  });

  test('a batch beyond the limit is refused without a look at its other calls', async () => {
    const body = `[{},{},${Array.from({ length: 10 }, (_, i) => `{"id":"call ${i}"}`).join(',')}]`;
    const rendered = vi.spyOn(JSON, 'stringify');
    expect(await world.text(body)).toBe(`[${error('"call 0"', -32600, 'batch too large')}]`);
    const ids = rendered.mock.calls.filter(([value]) => String(value).startsWith('call'));
    expect(ids).toEqual([['call 0']]);
    rendered.mockRestore();
    expect(await world.text('[{},{},{},{}]')).toBe(`[${error('null', -32600, 'batch too large')}]`);
  });

  test('other work may run after each call of a batch', async () => {
    const order: string[] = [];
    const { chain } = world.ctx;
    const ethBlock = (height: number) => {
      order.push('block');
      return chain.ethBlock(height);
    };
    const pause = async (): Promise<void> => void order.push('pause');
    const ctx = { ...world.ctx, chain: readerWith(chain, { ethBlock }), pause };
    const one = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockTransactionCountByNumber', params: ['0x0'] };
    await handleEthRequest(ctx, JSON.stringify([one, one, one]), 'http');
    expect(order).toEqual(['block', 'pause', 'block', 'pause', 'block', 'pause']);
  });

  test('all empty objects of a body are one', () => {
    const parsed = parseJson('[{},{"a":{ }}]');
    const [first, second] = (parsed.ok ? parsed.value : []) as readonly JsonObject[];
    expect(second?.get('a')).toBe(first);
  });

  test('once the answers of a batch are too large the rest is refused unrun', async () => {
    const call = (id: number) => `{"jsonrpc":"2.0","method":"web3_sha3","params":["0x"],"id":${id}}`;
    const replies = JSON.parse((await world.text(`[${call(1)},${call(2)},${call(3)}]`)) as string);
    // Each of 68 bytes: the second goes over, and is told all the same.
    for (const { result } of replies.slice(0, 2)) expect(result).toMatch(/^0x[0-9a-f]{64}$/);
    expect(replies[2].error).toEqual({ code: -32003, message: 'response too large' });
  });

  test('the websocket takes requests without `jsonrpc`, as the specification writes them', async () => {
    const reply = await handleEthRequest(world.ctx, '{"id":1,"method":"eth_chainId","params":[]}', 'ws');
    expect(reply).toBe('{"jsonrpc":"2.0","id":1,"result":"0x2328"}');
  });
});

describe('parameter errors carry the texts of geth', () => {
  const address = '0x0000000000000000000000000000000000000001';
  test.each([
    [
      'eth_getBalance',
      ['0x12', 'latest'],
      'invalid argument 0: hex string has length 2, want 40 for common.Address',
    ],
    [
      'eth_getBalance',
      ['12'.repeat(20), 'latest'],
      'invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type common.Address',
    ],
    [
      'eth_getBalance',
      [5, 'latest'],
      'invalid argument 0: json: cannot unmarshal non-string into Go value of type common.Address',
    ],
    ['eth_getBalance', [null], 'missing value for required argument 0'],
    ['eth_getLogs', [{ topics: [null, null, null, null, null] }], 'invalid argument 0: exceed max topics'],
    ['eth_getBalance', [address, '3'], 'invalid argument 1: hex string without 0x prefix'],
    ['eth_getBalance', [address, '0x01'], 'invalid argument 1: hex number with leading zero digits'],
    ['eth_getBalance', [address, '0x8000000000000000'], 'invalid argument 1: blocknumber too high'],
    [
      'eth_getBalance',
      [address, { blockNumber: '0x1', blockHash: `0x${'11'.repeat(32)}` }],
      'invalid argument 1: cannot specify both BlockHash and BlockNumber, choose one or the other',
    ],
    ['eth_getBlockByNumber', ['latest'], 'missing value for required argument 1'],
    [
      'eth_getBlockByNumber',
      ['latest', 'yes'],
      'invalid argument 1: json: cannot unmarshal string into Go value of type bool',
    ],
    [
      'eth_call',
      [{ to: '0x1' }],
      'invalid argument 0: json: cannot unmarshal hex string of odd length into Go struct field TransactionArgs.to of type common.Address',
    ],
    [
      'eth_call',
      [{ to: address, gas: '0x00' }],
      'invalid argument 0: json: cannot unmarshal hex number with leading zero digits into Go struct field TransactionArgs.gas of type hexutil.Uint64',
    ],
    ['eth_getStorageAt', [address, '0xasdf'], 'invalid hex in storage key: "0xasdf"'],
    [
      'eth_getStorageAt',
      [address, `0x${'0'.repeat(65)}`],
      `storage key too long (want at most 32 bytes): "0x${'0'.repeat(65)}"`,
    ],
    [
      'eth_getLogs',
      [{ blockHash: `0x${'11'.repeat(32)}`, fromBlock: '0x1' }],
      'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    ],
    ['eth_getLogs', [{ fromBlock: 'pending' }], 'pending logs are not supported'],
    ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }], 'invalid block range params'],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x99' }], 'block range extends beyond current head block'],
    [
      'eth_getLogs',
      [{ topics: ['0x11'] }],
      'invalid argument 0: hex has invalid length 1 after decoding; expected 32 for topic',
    ],
    ['eth_getLogs', [{ topics: [5] }], 'invalid argument 0: invalid topic(s)'],
    [
      'eth_getLogs',
      [{ address: ['0x11'] }],
      'invalid argument 0: invalid address at index 0: hex has invalid length 1 after decoding; expected 20 for address',
    ],
    ['eth_getLogs', [{ address: 5 }], 'invalid argument 0: invalid addresses in query'],
  ])('%s %j', async (method, params, message) => {
    expect((await world.rpc(method, ...params)).error).toEqual({ code: -32602, message });
  });

  test.each([
    ['eth_getBalance', [address, '0x99'], 'header not found'],
    ['eth_getBalance', [address, `0x${'11'.repeat(32)}`], 'header for hash not found'],
    ['eth_getLogs', [{ blockHash: `0x${'11'.repeat(32)}` }], 'unknown block'],
    ['eth_getFilterChanges', ['0x1234'], 'filter not found'],
    ['eth_getFilterLogs', ['0x1234'], 'filter not found'],
    [
      'eth_call',
      [{ gasPrice: '0x1', maxFeePerGas: '0x1' }],
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    ],
    ['eth_call', [{ to: address, chainId: '0x1' }], "chainId does not match node's (have=1, want=9000)"],
    [
      'eth_call',
      [{ to: address }, 'latest', { [address]: { state: {}, stateDiff: {} } }],
      `account ${address} has both 'state' and 'stateDiff'`,
    ],
    [
      'eth_call',
      [{ to: address }, 'latest', { [`0x${'ab'.repeat(20)}`]: { state: {}, stateDiff: {} } }],
      "account 0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB has both 'state' and 'stateDiff'",
    ],
    ['eth_feeHistory', ['0x1', '0x99'], 'request beyond head block: requested 153, head 0'],
    [
      'eth_feeHistory',
      ['0x1', 'latest', [50, 20]],
      'invalid reward percentile: #0:50.000000 >= #1:20.000000',
    ],
    ['eth_sendRawTransaction', ['0x'], 'typed transaction too short'],
    ['eth_sendRawTransaction', ['0x03aa'], 'transaction type not supported'],
    ['eth_sendTransaction', [{ from: address }], 'unknown account'],
  ])('%s %j', async (method, params, message) => {
    expect((await world.rpc(method, ...params)).error).toEqual({ code: -32000, message });
  });
});

test('every row of the table has a name, a namespace, a result and a description', () => {
  const names = ETH_METHODS.map(({ method }) => method);
  expect(new Set(names).size).toBe(names.length);
  for (const row of ETH_METHODS) {
    expect(row.method.split(/[._]/)[0]).toBe(row.namespace);
    expect(row.result.length * row.doc.length).toBeGreaterThan(0);
  }
});

test('no request makes a handler throw anything but an RpcError', async () => {
  const scalar = fc.oneof(
    fc.constantFrom('latest', '0x', '0x1', '0x01', `0x${'00'.repeat(20)}`, `0x${'ab'.repeat(32)}`),
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const object = fc.dictionary(
    fc.constantFrom('to', 'from', 'data', 'fromBlock', 'toBlock', 'address', 'topics', 'blockHash', 'gas'),
    fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
  );
  const params = fc.array(fc.oneof(scalar, object, fc.array(scalar, { maxLength: 3 })), { maxLength: 4 });
  const name = fc.constantFrom(...ETH_METHODS.map(({ method }) => method));
  const call = fc.record(
    { jsonrpc: fc.constant('2.0'), id: scalar, method: fc.oneof(name, fc.string()), params },
    { requiredKeys: ['method'] },
  );
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(call, { maxLength: 4 }).map((list) => JSON.stringify(list)),
    call.map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const reply = await world.text(text);
      if (reply !== undefined) JSON.parse(reply);
      expect(world.notes).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
