import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { ok, type Result } from '../../../../core/lib/result.ts';
import type { DialOrder } from '../../../../core/p2p/peersContract.ts';
import { jsonArgs, uriArgs } from '../../../../core/rpc/comet/args.ts';
import { readRequest } from '../../../../core/rpc/comet/envelope.ts';
import { handleCometGet, handleCometPost } from '../../../../core/rpc/comet/http.ts';
import { COMET_METHODS } from '../../../../core/rpc/comet/table.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { type Json, parseJson } from '../../../../core/rpc/jsonText.ts';
import { signTx } from '../../app/support/wallet.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';

const vectors: Record<string, Loose[]> = JSON.parse(
  readFileSync(new URL('../../../vectors/cometbft/jsonrpc.json', import.meta.url), 'utf8'),
);
const ARGS = [
  { name: 'height', type: 'int64' },
  { name: 'name', type: 'string' },
] as const;
const json = (value: unknown): Json => {
  const parsed = parseJson(JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
};

let world: RpcWorld;
let txHash: string;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
  const tx = await signTx(world.dev, { nonce: 0, to: bytesHex(world.other.address), gas: 21_000n });
  const { result } = await post('broadcast_tx_sync', { tx: Buffer.from(tx).toString('base64') });
  txHash = result.hash;
  await world.commit();
  await world.commit();
});

async function post(method: string, params?: unknown) {
  const answer = await handleCometPost(world.ctx, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return { ...JSON.parse(answer.body), answer };
}

async function get(path: string, query = '') {
  const answer = await handleCometGet(world.ctx, path, query);
  return { ...JSON.parse(answer.body), answer };
}

describe('the golden transport vectors', () => {
  test.each(vectors.params_cases as Loose[])('params $params', ({ params, ok, values }: Loose) => {
    const args = jsonArgs(ARGS, json(params));
    expect(args.ok).toBe(ok);
    if (args.ok) expect([...args.value.values()].map(String)).toEqual(values);
  });

  test.each(vectors.uri_cases as Loose[])('query $query', ({ query, ok, values }: Loose) => {
    const args = uriArgs(ARGS, query);
    expect(args.ok).toBe(ok);
    if (args.ok) expect([...args.value.values()].map(String)).toEqual(values);
  });

  test('of a name that comes twice the first value counts, as in Go', () => {
    const args = uriArgs([{ name: 'height', type: 'int64?' }], 'height=1&height=2');
    expect(args.ok && args.value.get('height')).toBe(1n);
  });

  test.each(vectors.id_cases as Loose[])('id $id', ({ id, reply_id, invalid, notification }: Loose) => {
    const request = readRequest(json({ id, method: 'health' }));
    expect(request.ok).toBe(invalid !== true);
    if (request.ok && notification === true) expect(request.value.id).toBeUndefined();
    if (request.ok && notification !== true) expect(JSON.parse(request.value.id as string)).toEqual(reply_id);
  });

  test.each((vectors.batch_cases as Loose[]).filter((one: Loose) => Array.isArray(one.body)))(
    'batch $body',
    async ({ body, replies }: Loose) => {
      const answer = await handleCometPost(world.ctx, JSON.stringify(body));
      expect(answer.status).toBe(200);
      if (replies === 0) expect(answer.body).toBe('');
      else expect(Array.isArray(JSON.parse(answer.body))).toBe(replies > 1);
    },
  );
});

describe('errors', () => {
  test('eleven requests are one error without an id', async () => {
    const answer = await handleCometPost(
      world.ctx,
      JSON.stringify(Array(11).fill({ jsonrpc: '2.0', id: 1, method: 'health' })),
    );
    expect([answer.status, answer.body]).toEqual([
      200,
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":"batch request exceeds maximum (10) allowed number of requests"}}',
    ]);
  });

  test('ten requests are answered', async () => {
    const requests = Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'health' }));
    const { body } = await handleCometPost(world.ctx, JSON.stringify(requests));
    expect(JSON.parse(body).map(({ id, result }: Loose) => [id, result])).toEqual(
      requests.map(({ id }) => [id, {}]),
    );
  });

  test("an id beyond float64 is refused with Go's message", async () => {
    const answer = await handleCometPost(world.ctx, '{"jsonrpc":"2.0","id":-1e999,"method":"health"}');
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body).error).toEqual({
      code: -32700,
      message: 'Parse error. Invalid JSON',
      data: 'error unmarshaling request: json: cannot unmarshal number -1e999 into Go struct field .id of type float64',
    });
  });

  test('a body that is not JSON gets HTTP 500 without an id', async () => {
    const answer = await handleCometPost(world.ctx, 'not json');
    expect(answer.status).toBe(500);
    expect(answer.body).toMatch(
      /^\{"jsonrpc":"2.0","error":\{"code":-32700,"message":"Parse error. Invalid JSON","data":"error unmarshaling request: /,
    );
  });

  test.each([
    ['POST unknown', 'foo', {}, 200, { code: -32601, message: 'Method not found' }],
    [
      'POST of a websocket method',
      'subscribe',
      { query: "tm.event='Tx'" },
      200,
      { code: -32601, message: 'Method not found' },
    ],
    [
      'a number for a height',
      'block',
      { height: 5 },
      200,
      {
        code: -32602,
        message: 'Invalid params',
        data: 'error converting json params to arguments: invalid 64-bit integer encoding "5", expected string',
      },
    ],
    [
      'a list of the wrong length',
      'block',
      ['1', '2'],
      200,
      {
        code: -32602,
        message: 'Invalid params',
        data: 'error converting json params to arguments: expected 1 parameters ([height]), got 2 (["1" "2"])',
      },
    ],
    [
      'height 0',
      'block',
      { height: '0' },
      200,
      { code: -32603, message: 'Internal error', data: 'height must be greater than 0, but got 0' },
    ],
    [
      'a height to come',
      'block',
      { height: '99' },
      200,
      {
        code: -32603,
        message: 'Internal error',
        data: 'height 99 must be less than or equal to the current blockchain height 3',
      },
    ],
    [
      'a page to come',
      'validators',
      { page: '2' },
      200,
      { code: -32603, message: 'Internal error', data: 'page should be within [1, 1] range, given 2' },
    ],
    [
      'an unknown tx',
      'tx',
      { hash: Buffer.alloc(32, 1).toString('base64') },
      200,
      { code: -32603, message: 'Internal error', data: `tx (${'01'.repeat(32)}) not found` },
    ],
    [
      'a chunk to come',
      'genesis_chunked',
      { chunk: '1' },
      200,
      { code: -32603, message: 'Internal error', data: 'there are 0 chunks, 1 is invalid' },
    ],
    [
      'crossed heights',
      'blockchain',
      { minHeight: '3', maxHeight: '2' },
      200,
      { code: -32603, message: 'Internal error', data: "min height 3 can't be greater than max height 2" },
    ],
  ])('%s', async (_name, method, params, status, error) => {
    const reply = await post(method, params);
    expect([reply.answer.status, reply.id, reply.error]).toEqual([status, 1, error]);
  });

  // What CometBFT 0.38.26 answers, word for word.
  test.each([
    ['/tx_search', 'query=tx.height=5', "invalid character 'x' in literal true (expecting 'r')"],
    ['/tx_search', "query='tx.height=5'", "invalid character '\\'' looking for beginning of value"],
    ['/tx_search', 'query="tx.height=5', 'unexpected end of JSON input'],
    ['/tx_search', 'query="a="x""', "invalid character 'x' after top-level value"],
    ['/tx_search', 'query="a\t"', "invalid character '\\t' in string literal"],
    ['/tx_search', 'query="a\\\'"', "invalid character '\\'' in string escape code"],
    ['/tx_search', 'query="\\u00z1"', "invalid character 'z' in \\u hexadecimal character escape"],
    ['/tx_search', 'query="a=1"&prove=1', 'json: cannot unmarshal number into Go value of type bool'],
    ['/tx_search', 'query="a=1"&order_by=desc', "invalid character 'd' looking for beginning of value"],
    ['/block', 'height=x', 'invalid 64-bit integer encoding "x", expected string'],
    ['/block', 'height=01', "invalid character '1' after top-level value"],
    ['/block', 'height="x"', "invalid character 'x' looking for beginning of value"],
    ['/tx', 'hash=0x0', 'encoding/hex: odd length hex string'],
    ['/tx', 'hash=0xzz', "encoding/hex: invalid byte: U+007A 'z'"],
  ])('a URI value that cannot be read: %s?%s', async (path, query, why) => {
    const { answer, error } = await get(path, query);
    const data = `error converting http params to arguments: ${why}`;
    expect([answer.status, error]).toEqual([500, { code: -32602, message: 'Invalid params', data }]);
  });

  test.each([
    ['/tx', '', 'transaction hash cannot be empty'],
    ['/tx', 'hash=0x', 'transaction hash cannot be empty'],
    [
      '/tx_search',
      'query="tx.hash EXISTS"',
      'error while retrieving the result: transaction hash cannot be empty',
    ],
    [
      '/tx_search',
      'query="tx.hash=\'zz\'"',
      "error during searching for a hash in the query: encoding/hex: invalid byte: U+007A 'z'",
    ],
  ])('a hash that is none: %s?%s', async (path, query, data) => {
    const { answer, error } = await get(path, query);
    expect([answer.status, error]).toEqual([500, { code: -32603, message: 'Internal error', data }]);
  });

  test('over URI: id -1, HTTP 500 for errors, 404 for an unknown method', async () => {
    const late = await get('/block', 'height=99');
    expect([late.answer.status, late.id, late.error.code]).toEqual([500, -1, -32603]);
    const hexHeight = await get('/block', 'height=0x5');
    expect(hexHeight.error.data).toBe(
      "error converting http params to arguments: got a hex string arg, but expected 'int64'",
    );
    const ws = await get('/subscribe', '');
    expect([ws.answer.status, ws.error.code]).toEqual([404, -32601]);
    expect(await handleCometGet(world.ctx, '/nothing', '')).toMatchObject({
      status: 404,
      body: '404 page not found\n',
    });
  });
});

describe('answers', () => {
  test('carry the server time, and a day of caching when a height was given', async () => {
    const given = await post('block', { height: '1' });
    expect(given.answer.headers).toEqual({
      'content-type': 'application/json',
      'x-server-time': '1700000000',
      'cache-control': 'public, max-age=86400',
    });
    for (const [method, params] of [
      ['block', {}],
      ['status', {}],
      ['block', { height: '99' }],
    ] as const) {
      expect((await post(method, params)).answer.headers['cache-control']).toBeUndefined();
    }
    expect((await get('/abci_info')).answer.headers['cache-control']).toBeDefined();
  });

  test('a batch may be cached where each of its answers may', async () => {
    const cachingOf = async (...heights: readonly string[]) => {
      const requests = heights.map((height, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'block',
        params: { height },
      }));
      return (await handleCometPost(world.ctx, JSON.stringify(requests))).headers['cache-control'];
    };
    expect(await cachingOf('1', '2')).toBe('public, max-age=86400');
    for (const heights of [
      ['1', '99'],
      ['99', '1'],
      ['1', '0'],
    ])
      expect(await cachingOf(...heights)).toBeUndefined();
  });

  test('the root names what is served, in order, and the unsafe methods only where they are', async () => {
    const shown = async (ctx: typeof world.ctx) => {
      const { body, headers } = await handleCometGet(ctx, '/', '');
      expect(headers['content-type']).toBe('text/html');
      return [...body.matchAll(/<a href="([^"]*)">\1<\/a>/g)].map(([, path]) => path as string);
    };
    const paths = await shown(world.ctx);
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(expect.arrayContaining(['/health', '/block?height=_', '/tx?hash=_&prove=_']));
    expect(paths.filter((path) => /dial|unsafe/.test(path))).toEqual([]);
    const limits = { ...world.ctx.limits, comet: { unsafe: true } };
    const all = await shown({ ...world.ctx, limits });
    expect(all.filter((path) => !paths.includes(path))).toEqual([
      '/dial_peers?peers=_&persistent=_&unconditional=_&private=_',
      '/dial_seeds?seeds=_',
      '/unsafe_flush_mempool',
    ]);
  });

  test('the same call by POST object, POST list and URI gives the same result', async () => {
    const byName = (await post('block', { height: '2' })).result;
    expect((await post('block', ['2'])).result).toEqual(byName);
    for (const query of ['height=2', 'height=%222%22'])
      expect((await get('/block', query)).result).toEqual(byName);
    const hash = Buffer.from(byName.block_id.hash, 'hex');
    expect((await post('block_by_hash', { hash: hash.toString('base64') })).result).toEqual(byName);
    expect((await get('/block_by_hash', `hash=0x${byName.block_id.hash}`)).result).toEqual(byName);
    expect((await post('header_by_hash', { hash: byName.block_id.hash.toLowerCase() })).result).toEqual({
      header: byName.block.header,
    });
    expect((await post('header', { height: '2' })).result).toEqual({ header: byName.block.header });
    expect((await get('/block_by_hash', `hash=0x${'11'.repeat(32)}`)).result).toEqual({
      block_id: { hash: '', parts: { total: 0, hash: '' } },
      block: null,
    });
  });

  test('status, commit, validators and results fit together', async () => {
    const { result: status } = await post('status');
    expect(status.sync_info).toMatchObject({
      latest_block_height: '3',
      earliest_block_height: '1',
      catching_up: false,
    });
    expect(status.validator_info.voting_power).toBe('10');
    const { result: head } = await post('commit');
    expect(head.canonical).toBe(false);
    expect(head.signed_header.commit.block_id.hash).toBe(status.sync_info.latest_block_hash);
    const { result: second } = await post('commit', { height: '2' });
    expect(second.canonical).toBe(true);
    expect(second.signed_header.header.app_hash).not.toBe(status.sync_info.latest_app_hash);
    const { result: validators } = await post('validators', {});
    expect(validators).toMatchObject({ block_height: '4', count: '1', total: '1' });
    expect(validators.validators[0].pub_key).toEqual(status.validator_info.pub_key);
    const { result: results } = await post('block_results', { height: '2' });
    expect(results).toMatchObject({ height: '2', validator_updates: null });
    expect(results.txs_results).toHaveLength(1);
    expect((await post('block_results', { height: '1' })).result.txs_results).toBeNull();
    const { result: metas } = await post('blockchain', { minHeight: '0', maxHeight: '0' });
    expect(metas.block_metas.map((meta: Loose) => meta.header.height)).toEqual(['3', '2', '1']);
    const { result: params } = await post('consensus_params', {});
    expect(params.consensus_params.block.max_gas).toBe('40000000');
    expect((await post('health')).result).toEqual({});
    expect((await post('net_info')).result).toMatchObject({ n_peers: '0', peers: [] });
    expect((await post('num_unconfirmed_txs')).result).toEqual({
      n_txs: '0',
      total: '0',
      total_bytes: '0',
      txs: null,
    });
    expect((await post('genesis')).result.genesis.chain_id).toBe('chain_9000-1');
    const { result: chunk } = await post('genesis_chunked', { chunk: '0' });
    expect(JSON.parse(Buffer.from(chunk.data, 'base64').toString())).toEqual(
      (await post('genesis')).result.genesis,
    );
  });

  test('a transaction is found by its hash, with a proof under the data hash', async () => {
    const hash = Buffer.from(txHash, 'hex').toString('base64');
    const { result } = await post('tx', { hash, prove: true });
    expect(result).toMatchObject({ hash: txHash, height: '2', index: 0 });
    expect(result.proof.root_hash).toBe((await post('header', { height: '2' })).result.header.data_hash);
    expect((await get('/tx', `hash=0x${txHash}`)).result.proof).toBeUndefined();
    for (const odd of ['12', `${txHash}00`, txHash.slice(2)])
      expect((await get('/tx', `hash=0x${odd}`)).error.data).toBe(`tx (${odd}) not found`);
    expect((await get('/tx', 'hash=0x')).error.data).toBe('transaction hash cannot be empty');
    const indexedBy = async (indexing: RpcContext['indexing']) => {
      const ctx = { ...world.ctx, indexing } as RpcContext;
      return JSON.parse((await handleCometGet(ctx, '/tx', `hash=0x${txHash}`)).body);
    };
    expect((await indexedBy({ kind: 'psql' })).result.hash).toBe(txHash);
    expect((await indexedBy({ kind: 'null' })).error.data).toBe('transaction indexing is disabled');
    const again = await post('broadcast_tx_sync', { tx: result.tx });
    expect(again.error).toEqual({
      code: -32603,
      message: 'Internal error',
      data: 'tx already exists in cache',
    });
    const bad = await post('broadcast_tx_sync', { tx: 'AAAA' });
    expect(bad.result).toMatchObject({ code: 2, codespace: 'sdk', data: '' });
  });
});

test('no request throws', async () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('1', '0', '-1', '99999999999999999999', 'AAAA', '0x11'),
  );
  const name = fc.constantFrom(...COMET_METHODS.map(({ method }) => method));
  const argument = fc.constantFrom(
    'height',
    'hash',
    'page',
    'per_page',
    'tx',
    'path',
    'data',
    'prove',
    'chunk',
    'minHeight',
    'maxHeight',
  );
  await fc.assert(
    fc.asyncProperty(name, fc.dictionary(argument, value), fc.json(), async (method, params, junk) => {
      await handleCometPost(world.ctx, JSON.stringify({ id: 1, method, params }));
      await handleCometPost(world.ctx, junk);
      const query = Object.entries(params).map(([key, one]) => `${key}=${encodeURIComponent(String(one))}`);
      await handleCometGet(world.ctx, `/${method}`, query.join('&'));
      await handleCometGet(world.ctx, `/${method}`, junk);
      expect(world.notes).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('status tells whether transactions are indexed', async () => {
  const told = async (indexing: typeof world.ctx.indexing): Promise<unknown> => {
    const { body } = await handleCometGet(
      { ...world.ctx, indexing: indexing ?? { kind: 'null' } },
      '/status',
      '',
    );
    return JSON.parse(body).result.node_info.other.tx_index;
  };
  expect(await told(world.ctx.indexing)).toBe('on');
  expect(await told({ kind: 'psql' })).toBe('on');
  expect(await told({ kind: 'null' })).toBe('off');
});

test('every method of the reference is served, over all three transports where it is no subscription', () => {
  const served = COMET_METHODS.map(({ method }) => method);
  const wanted =
    `health status net_info blockchain genesis genesis_chunked block block_by_hash block_results commit
    header header_by_hash validators consensus_params consensus_state dump_consensus_state unconfirmed_txs
    num_unconfirmed_txs check_tx broadcast_tx_async broadcast_tx_sync broadcast_tx_commit tx tx_search block_search
    abci_info abci_query broadcast_evidence`.split(/\s+/);
  expect([...served].sort()).toEqual([...wanted].sort());
});

describe('the unsafe methods', () => {
  const unsafe = (dial?: (order: DialOrder) => Result<void, string>): RpcContext => ({
    ...world.ctx,
    limits: { ...world.ctx.limits, comet: { unsafe: true } },
    flushPool: async () => {},
    ...(dial === undefined ? {} : { network: { listeners: [], peerStatuses: () => [], dial } }),
  });
  const post = async (ctx: RpcContext, method: string, params: unknown) =>
    JSON.parse((await handleCometPost(ctx, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).body);
  const PEER = `${'ab'.repeat(20)}@10.0.0.1:26656`;

  test('do not exist unless the configuration says so', async () => {
    for (const method of ['dial_seeds', 'dial_peers', 'unsafe_flush_mempool']) {
      expect((await post(world.ctx, method, {})).error).toMatchObject({ code: -32601 });
      expect((await handleCometGet(world.ctx, `/${method}`, '')).status).toBe(404);
      expect((await handleCometGet(world.ctx, '/', '')).body).not.toContain(method);
      expect((await handleCometGet(unsafe(), '/', '')).body).toContain(method);
    }
  });

  test('dial what they are given, by name and by position', async () => {
    const orders: DialOrder[] = [];
    const ctx = unsafe((order) => {
      orders.push(order);
      return ok(undefined);
    });
    const log = (what: string) => ({ log: `Dialing ${what} in progress. See /net_info for details` });
    expect((await post(ctx, 'dial_seeds', { seeds: [PEER] })).result).toEqual(log('seeds'));
    expect((await post(ctx, 'dial_peers', [[PEER], true, false, true])).result).toEqual(log('peers'));
    const uri = `peers=${encodeURIComponent(`["${PEER}"]`)}&unconditional=true`;
    expect(JSON.parse((await handleCometGet(ctx, '/dial_peers', uri)).body).result).toEqual(log('peers'));
    const peers = [{ id: 'ab'.repeat(20), host: '10.0.0.1', port: 26656 }];
    expect(orders).toEqual([
      { peers, persistent: false, unconditional: false, isPrivate: false },
      { peers, persistent: true, unconditional: false, isPrivate: true },
      { peers, persistent: false, unconditional: true, isPrivate: false },
    ]);
  });

  test('say what is wrong with a request', async () => {
    const ctx = unsafe(() => ok(undefined));
    const dataOf = async (params: unknown): Promise<string> =>
      (await post(ctx, 'dial_peers', params)).error.data;
    expect(await dataOf({})).toBe('no peers provided');
    expect(await dataOf({ peers: ['10.0.0.1:26656'] })).toContain('is not an address like');
    expect(await dataOf({ peers: PEER })).toContain('cannot unmarshal');
    expect(await dataOf({ peers: [1] })).toContain('cannot unmarshal');
    expect(await dataOf({ peers: Array.from({ length: 101 }, () => PEER) })).toContain('too many');
    expect((await post(unsafe(), 'dial_seeds', { seeds: [PEER] })).error.data).toContain('no network');
    expect((await post(ctx, 'unsafe_flush_mempool', {})).result).toEqual({});
  });

  test('a flush is answered when the pool is empty', async () => {
    let isEmpty = false;
    const flushPool = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      isEmpty = true;
    };
    expect((await post({ ...unsafe(), flushPool }, 'unsafe_flush_mempool', {})).result).toEqual({});
    expect(isEmpty).toBe(true);
    const { flushPool: _, ...idle } = unsafe();
    expect((await post(idle, 'unsafe_flush_mempool', {})).error.data).toBe('no node is running');
  });
});
