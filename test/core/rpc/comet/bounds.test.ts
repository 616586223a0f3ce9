/** What one request over CometBFT's RPC may ask for, each bound on its own. */
import { beforeAll, expect, test } from 'vitest';
import { cometFeed } from '../../../../core/rpc/comet/feed.ts';
import { perPageOf } from '../../../../core/rpc/comet/heights.ts';
import { handleCometPost } from '../../../../core/rpc/comet/http.ts';
import { CometSession } from '../../../../core/rpc/comet/session.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { FakeSocket, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  for (let i = 0; i < 3; i++) await world.commit();
});

async function post(ctx: RpcContext, method: string, params?: unknown) {
  const { body } = await handleCometPost(ctx, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return JSON.parse(body);
}

test('a page has a hundred entries at most', () => {
  expect([undefined, 0n, 1n, 99n, 100n, 101n, 2n ** 63n].map(perPageOf)).toEqual([
    30, 30, 1, 99, 100, 100, 100,
  ]);
});

test('no height of a range of blocks is below zero', async () => {
  for (const range of [{ minHeight: '-1' }, { maxHeight: '-1' }, { minHeight: '-1', maxHeight: '-1' }])
    expect((await post(world.ctx, 'blockchain', range)).error.data).toBe('heights must be non-negative');
  expect(
    (await post(world.ctx, 'blockchain', { minHeight: '2', maxHeight: '3' })).result.block_metas,
  ).toHaveLength(2);
});

test('a subscription begins at a height that there can be', async () => {
  const socket = new FakeSocket();
  const session = new CometSession(world.ctx, socket, '127.0.0.1:1');
  const from = async (height: bigint) => {
    const params = { query: "tm.event='NewBlock'", from_height: String(height) };
    await session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }));
    return socket.take()[0].error?.data;
  };
  const [least, most] = [1n, BigInt(Number.MAX_SAFE_INTEGER)];
  expect(await from(least - 1n)).toBe('height must be greater than 0, but got 0');
  expect(await from(most + 1n)).toBe(`height must be greater than 0, but got ${most + 1n}`);
  expect(await from(most)).toBeUndefined();
  session.closed();
});

test('whoever waits for a block takes the place of a client with subscriptions', async () => {
  const ctx: RpcContext = {
    ...world.ctx,
    limits: { ...world.ctx.limits, comet: { subscriptionClientsMax: 2 } },
  };
  const clients = [{}, {}];
  const sent = async () =>
    (await post(ctx, 'broadcast_tx_commit', { tx: Buffer.from('no transaction').toString('base64') })).error
      ?.data;
  for (const client of clients) cometFeed(ctx).join(client);
  expect(await sent()).toBe('max_subscription_clients 2 reached');
  cometFeed(ctx).leave(clients[0] as object);
  expect(await sent()).toBeUndefined();
  expect(cometFeed(ctx).size).toBe(1);
});

test('a key of a store has as many bytes as one can have', async () => {
  const asked = async (bytes: number) =>
    (await post(world.ctx, 'abci_query', { path: '/store/modules/key', data: 'ab'.repeat(bytes) })).result
      .response.log;
  expect(await asked(128)).toBe('');
  expect(await asked(129)).toContain('key is longer than 128 bytes');
});
