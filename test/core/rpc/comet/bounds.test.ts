/** What one question to the consensus RPC may ask for, and what one answer may hold. */
import { beforeAll, describe, expect, test } from 'vitest';
import { genesisJson } from '../../../../core/codec/genesis.ts';
import { compileQuery } from '../../../../core/events/query/query.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import type { ArgValue } from '../../../../core/rpc/comet/args.ts';
import { broadcastCommit } from '../../../../core/rpc/comet/broadcastCommit.ts';
import { CometFeed, cometFeed, type NewsBatch } from '../../../../core/rpc/comet/feed.ts';
import { pageOf } from '../../../../core/rpc/comet/heights.ts';
import { handleCometGet } from '../../../../core/rpc/comet/http.ts';
import { findCometMethod } from '../../../../core/rpc/comet/table.ts';
import { NO_RESULT } from '../../../../core/rpc/comet/txJson.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { type Loose, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

const REJECTED = {
  kind: 'rejected',
  code: 1,
  codespace: 'sdk',
  log: '',
  ethMessage: '',
  gasWanted: 0n,
  gasUsed: 0n,
} as const;

const call = (method: string, args: Readonly<Record<string, ArgValue>> = {}, ctx = world.ctx): Loose =>
  findCometMethod(ctx, method)?.run(ctx, new Map(Object.entries(args)));

test('a waiting broadcast_tx_commit counts against max_subscription_clients', async () => {
  const clients: number[] = [];
  const ctx: RpcContext = {
    ...world.ctx,
    limits: { ...world.ctx.limits, comet: { subscriptionClientsMax: 2 } },
    async submit() {
      clients.push(feed.size);
      return { kind: 'checked', hash: new Uint8Array(32), result: REJECTED };
    },
  };
  const feed = cometFeed(ctx);
  feed.join({});
  expect(await broadcastCommit(ctx, Uint8Array.of(1))).toMatchObject({ height: '0' });
  feed.join({});
  await expect(broadcastCommit(ctx, Uint8Array.of(1))).rejects.toThrow('max_subscription_clients 2 reached');
  expect(clients).toEqual([2]);
});

test('Tx events of a block are delivered in batches of 32, in order', async () => {
  const feed = new CometFeed(world.ctx);
  const told: NewsBatch[] = [];
  const query = compileQuery("tm.event='Tx'");
  if (!query.ok) throw new Error(query.error);
  const listener = { onNews: (batch: NewsBatch) => told.push(batch) };
  feed.subscribe(query.value, listener);
  const { block, blockId, reply } = await world.commit();
  const txs = Array.from({ length: 70 }, (_, i) => Uint8Array.of(i));
  world.hub.publish({
    kind: 'committed',
    block: { ...block, txs },
    blockId,
    results: { ...reply, txResults: txs.map(() => NO_RESULT) },
    state: world.chain.state,
  });
  feed.unsubscribe(query.value, listener);
  const texts = told.map((batch) => batch.texts(true).texts);
  expect(texts.map(({ length }) => length)).toEqual([32, 32, 6]);
  expect(texts.flat().map((text) => Number(/"tx_index":(\d+)/.exec(text)?.[1]))).toEqual([...txs.keys()]);
});

test('a page has at most 100 entries, whatever per_page says', () => {
  const list = Array.from({ length: 101 }, (_, i) => i);
  expect(pageOf(list, undefined, 100n)).toHaveLength(100);
  expect(pageOf(list, undefined, 101n)).toHaveLength(100);
  expect(pageOf(list, 2n, 101n)).toEqual([100]);
});

test('blockchain refuses negative heights', () => {
  const negative = 'heights must be non-negative';
  expect(() => call('blockchain', { minHeight: -1n, maxHeight: 0n })).toThrow(negative);
  expect(() => call('blockchain', { minHeight: 0n, maxHeight: -1n })).toThrow(negative);
});

describe('a genesis document', () => {
  const MAX = 16 * 1024 * 1024;
  /** Of so many bytes, most of them of letters that take three. */
  const ofSize = (size: number): RpcContext => {
    const within = (text: string) => ({ ...world.ctx.genesis, appState: text });
    const room = size - encodeUtf8(JSON.stringify(genesisJson(within('')))).length;
    return { ...world.ctx, genesis: within('€'.repeat(room / 3) + 'x'.repeat(room % 3)) };
  };

  test('of at most 16 MiB is answered whole, and a larger one only in chunks', () => {
    const largest = ofSize(MAX);
    const { genesis } = JSON.parse(call('genesis', {}, largest).text);
    expect(genesis.chain_id).toBe(world.ctx.genesis.chainId);
    expect(() => call('genesis_chunked', { chunk: 1n }, largest)).toThrow('there are 0 chunks, 1 is invalid');
    const larger = ofSize(MAX + 1);
    expect(() => call('genesis', {}, larger)).toThrow(
      'genesis response is large, please use the genesis_chunked API instead',
    );
    const last = call('genesis_chunked', { chunk: 1n }, larger);
    expect(last).toMatchObject({ total: '2', data: Buffer.from('}').toString('base64') });
  });

  test('is rendered once for all requests', async () => {
    let renderings = 0;
    const genesis = {
      ...world.ctx.genesis,
      get chainId() {
        renderings++;
        return world.ctx.genesis.chainId;
      },
    };
    const ctx = { ...world.ctx, genesis };
    const asked = async (): Promise<unknown> =>
      JSON.parse((await handleCometGet(ctx, '/genesis', '')).body).result;
    const expected = { genesis: JSON.parse(JSON.stringify(genesisJson(world.ctx.genesis))) };
    for (let i = 0; i < 3; i++) expect(await asked()).toEqual(expected);
    expect(renderings).toBe(1);
  });
});
