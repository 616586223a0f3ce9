/** What methods of CometBFT's RPC say that they cannot answer. */
import { beforeAll, expect, test } from 'vitest';
import { err } from '../../../../core/lib/result.ts';
import { handleCometPost } from '../../../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
  await world.commit();
});

async function refusal(method: string, params: object, change: Partial<RpcContext> = {}): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { error } = JSON.parse((await handleCometPost({ ...world.ctx, ...change }, body)).body);
  return error?.data ?? 'answered';
}

/** The chain with some of its reads replaced. */
const chainWith = (change: Readonly<Record<string, unknown>>): Partial<RpcContext> => ({
  chain: new Proxy(world.ctx.chain, {
    get: (chain, name) => {
      const own = Reflect.get(chain, name) as unknown;
      return change[String(name)] ?? (typeof own === 'function' ? own.bind(chain) : own);
    },
  }),
});
const pruned = () => chainWith({ base: () => 2 });
const lost = () =>
  chainWith({ results: () => undefined, params: () => undefined, validators: () => undefined });

test('pruned heights, and missing records of heights that are kept', async () => {
  for (const method of ['block', 'commit', 'header', 'block_results', 'validators', 'consensus_params']) {
    expect(await refusal(method, { height: '2' })).toBe('answered');
    expect(await refusal(method, { height: '1' }, pruned())).toBe(
      'height 1 is not available, lowest height is 2',
    );
  }
  expect(await refusal('block_results', { height: '1' }, lost())).toBe(
    'could not find results for height #1',
  );
  expect(await refusal('validators', { height: '1' }, lost())).toBe(
    'could not find validator set for height #1',
  );
  expect(await refusal('consensus_params', { height: '1' }, lost())).toBe(
    'could not find consensus params for height #1',
  );
});

test('pages and chunks out of range', async () => {
  for (const page of ['0', '-1', '2'])
    expect(await refusal('validators', { page })).toBe(`page should be within [1, 1] range, given ${page}`);
  for (const chunk of ['1', '18446744073709551615'])
    expect(await refusal('genesis_chunked', { chunk })).toBe(`there are 0 chunks, ${chunk} is invalid`);
});

test('searches whose index cannot be read', async () => {
  const fault = async () => err({ code: 'index', message: 'the record of height 1 is damaged' });
  const broken = { indexing: { kind: 'kv', search: { txs: fault, blocks: fault } } } as never;
  const query = { query: 'tx.height = 1' };
  expect(await refusal('tx_search', query, broken)).toBe('the record of height 1 is damaged');
  expect(await refusal('block_search', { query: 'block.height = 1' }, broken)).toBe(
    'the record of height 1 is damaged',
  );
});

test('methods that this node does not serve', async () => {
  expect(await refusal('check_tx', { tx: 'AA==' }, { checkTx: undefined } as never)).toBe(
    'CheckTx is not served by this node',
  );
  const unsafe = {
    limits: { ...world.ctx.limits, comet: { unsafe: true } },
    network: { listeners: [], peerStatuses: () => [], dial: () => err('the network is not running') },
  } as never;
  const peer = `${'0'.repeat(40)}@127.0.0.1:26656`;
  expect(await refusal('dial_seeds', { seeds: [peer] }, unsafe)).toBe('the network is not running');
});
