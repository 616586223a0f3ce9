/** Answers of many blocks, whose length somebody else has paid for: as much as fits in memory. */
import { beforeAll, expect, test } from 'vitest';
import { handleCometPost } from '../../../core/rpc/comet/http.ts';
import { handleRest } from '../../../core/rpc/cosmos/rest.ts';
import { handleEthRequest } from '../../../core/rpc/eth/jsonrpc.ts';
import { deploying, STORE_AND_LOG, word } from '../app/support/code.ts';
import { bytesHex, type Loose, RpcWorld } from './support/rpcWorld.ts';

let world: RpcWorld;
let store: string;
const send = (tx: object): Promise<string> =>
  world.get('eth_sendTransaction', { from: bytesHex(world.dev.address), ...tx });

beforeAll(async () => {
  world = await RpcWorld.open();
  await send({ data: deploying(STORE_AND_LOG) });
  await world.commit();
  store = (await world.get('eth_getBlockReceipts', 'latest'))[0].contractAddress;
  for (let i = 0; i < 3; i++) {
    await send({ to: store, data: word(i) });
    await world.commit();
  }
});

const contextOf = (answerCharsMax: number) => ({
  ...world.ctx,
  limits: { ...world.ctx.limits, answerCharsMax },
});

async function eth(charsMax: number, method: string, ...params: readonly unknown[]): Promise<Loose> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return JSON.parse((await handleEthRequest(contextOf(charsMax), body, 'http')) ?? '');
}

/** A log here counts for its 64 digits of data, their 0x, and 500 characters beside. */
const LOG = 566;

test('a search of logs ends where they are too long together, those of one block have room', async () => {
  const found = async (charsMax: number, toBlock: string) =>
    eth(charsMax, 'eth_getLogs', { fromBlock: '0x2', toBlock });
  expect((await found(2 * LOG, '0x3')).result).toHaveLength(2);
  expect((await found(2 * LOG - 1, '0x3')).error).toEqual({
    code: -32000,
    message: `query returned logs of more than ${2 * LOG - 1} characters`,
  });
  expect((await found(1, '0x2')).result).toHaveLength(1);
});

test('a filter whose logs exceed the answer limit returns the rest at the next poll', async () => {
  const ctx = contextOf(2 * LOG - 1);
  const ask = async (method: string, ...params: readonly unknown[]): Promise<Loose> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse((await handleEthRequest(ctx, body, 'http')) ?? '').result;
  };
  const id = await ask('eth_newFilter', {});
  const first = Number(await ask('eth_blockNumber')) + 1;
  for (let i = 0; i < 3; i++) {
    await send({ to: store, data: word(i) });
    await world.commit();
  }
  const polls: number[][] = [];
  for (let poll = 0; poll < 3; poll++)
    polls.push((await ask('eth_getFilterChanges', id)).map(({ blockNumber }: Loose) => Number(blockNumber)));
  expect(polls).toEqual([[first, first + 1], [first + 2], []]);
});

test('unconfirmed_txs lists as many as fit, one alone has room', async () => {
  const ask = async (charsMax: number, limit: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'unconfirmed_txs', params: { limit } });
    return JSON.parse((await handleCometPost(contextOf(charsMax), body)).body);
  };
  for (let i = 0; i < 2; i++) await send({ to: store, data: word(i) });
  const sizes = (world.ctx.pool.list?.(2) ?? []).map(({ length }) => length);
  const chars = 2 * sizes.reduce((sum, size) => sum + size, 0);
  expect((await ask(chars, '2')).result.n_txs).toBe('2');
  expect((await ask(chars - 1, '2')).error.data).toBe(
    `page of more than ${chars - 1} characters: ask for fewer at once`,
  );
  expect((await ask(1, '1')).result.n_txs).toBe('1');
  await world.commit();
});

test.each([
  ['tx_search', 'tx.height>1 AND tx.height<4'],
  ['block_search', 'block.height>1 AND block.height<4'],
])('a page of %s is as long as fits, one item alone has room', async (method, query) => {
  const ask = async (charsMax: number, per_page: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { query, per_page } });
    return JSON.parse((await handleCometPost(contextOf(charsMax), body)).body);
  };
  const data = 'page of more than 400 characters: ask for fewer at once';
  expect((await ask(400, '2')).error.data).toBe(data);
  expect((await ask(1, '1')).error).toBeUndefined();
  expect((await ask(100_000, '2')).result.total_count).toBe('2');
});

test('a page of the API is as long as fits', async () => {
  const ask = async (charsMax: number, limit: string) => {
    const query = `query=tx.height%3E1&limit=${limit}`;
    const path = '/cosmos/tx/v1beta1/txs';
    return handleRest(contextOf(charsMax), { method: 'GET', path, query, headers: {}, body: '' });
  };
  const refused = await ask(400, '2');
  expect([refused.status, refused.body]).toEqual([
    429,
    '{"code":8,"message":"page of more than 400 characters: ask for fewer at once","details":[]}',
  ]);
  expect((await ask(400, '1')).status).toBe(200);
  expect((await ask(100_000, '2')).status).toBe(200);
});

test.each([
  {},
  ...['callTracer', 'prestateTracer', 'flatCallTracer', '4byteTracer'].map((tracer) => ({ tracer })),
])('the transactions of a block are traced as long as the traces fit: %j', async (config) => {
  for (let i = 0; i < 3; i++) await send({ to: store, data: word(i) });
  await world.commit();
  const rows = async (charsMax: number) => {
    const { result } = await eth(charsMax, 'debug_traceBlockByNumber', 'latest', config);
    return result.map((row: Loose) => row.error ?? 'traced');
  };
  const refused = 'trace too large: trace the transactions of this block one by one';
  expect(await rows(100_000)).toEqual(['traced', 'traced', 'traced']);
  expect(await rows(1)).toEqual(['traced', refused, refused]);
});

test('a pool is told at once as long as it fits', async () => {
  await send({ to: store, data: word(7) });
  expect((await eth(2000, 'txpool_content')).result.pending).not.toEqual({});
  expect((await eth(1000, 'txpool_content')).error.message).toBe(
    'the pool is too large for one answer: use txpool_contentFrom',
  );
  await world.commit();
});

test('what tracers say of the length of their answers is about right', async () => {
  await send({ data: deploying(STORE_AND_LOG) });
  await world.commit();
  const length = async (config: object) =>
    JSON.stringify((await eth(1e9, 'debug_traceBlockByNumber', 'latest', config)).result).length;
  const fits = async (config: object, charsMax: number) => {
    await send({ to: store, data: word(1) });
    await send({ to: store, data: word(2) });
    await world.commit();
    const { result } = await eth(charsMax, 'debug_traceBlockByNumber', 'latest', config);
    return result[1].error === undefined;
  };
  for (const config of [{}, { tracer: 'callTracer' }, { tracer: 'prestateTracer' }]) {
    await fits(config, 1);
    const half = (await length(config)) / 2;
    expect([await fits(config, half / 8), await fits(config, half * 8)]).toEqual([false, true]);
  }
});
