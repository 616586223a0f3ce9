/** What one request over REST and gRPC may ask for, each bound on its own. */
import { beforeAll, expect, test } from 'vitest';
import { repeatedString, string } from '../../../../core/codec/fields.ts';
import { encode, type Table, table } from '../../../../core/codec/proto.ts';
import { ok } from '../../../../core/lib/result.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { looseRead } from '../../../../core/rpc/cosmos/looseRead.ts';
import { fromProtoJson } from '../../../../core/rpc/cosmos/protoJson.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { stdTxBytes } from '../../../../core/rpc/cosmos/stdTx.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  const [from, to] = [world.dev, world.other].map(({ address }) => bytesHex(address));
  await world.get('eth_sendTransaction', { from, to, value: '0x1' });
  await world.commit();
});

interface Named {
  readonly names: readonly string[];
  readonly text: string;
}
const tableOf = (textMax: number, namesMax: number) =>
  table<Named>('test.Named', [repeatedString(1, 'names', 8, namesMax), string(2, 'text', textMax)]);
const NAMED = tableOf(4, 2);
const fromJson = (json: unknown) => fromProtoJson(NAMED as unknown as Table<unknown>, json);

test('a message has so many entries of a list, in bytes and as JSON, and texts of so many letters', () => {
  const bytes = (names: readonly string[]) => encode(tableOf(4, 9), { names, text: '' });
  expect(looseRead(NAMED, bytes(['a', 'b']))).toEqual(ok({ names: ['a', 'b'], text: '' }));
  expect(looseRead(NAMED, bytes(['a', 'b', 'c']))).toMatchObject({ ok: false });
  expect(fromJson({ names: ['a', 'b'], text: 'four' })).toEqual({
    names: ['a', 'b'],
    text: 'four',
  });
  expect(() => fromJson({ names: ['a', 'b', 'c'] })).toThrow('names: expected at most 2 entries');
  expect(() => fromJson({ text: 'fives' })).toThrow('text: expected a text');
});

test('a StdTx has so many messages', () => {
  const msgs = (count: number) => () =>
    stdTxBytes(JSON.stringify({ type: 'cosmos-sdk/StdTx', value: { msg: new Array(count).fill({}) } }));
  expect(msgs(64)).toThrow('msg[0]');
  expect(msgs(65)).toThrow('expected a list of at most 64');
});

test('a search shows as many transactions as it is asked for, a hundred at most', async () => {
  const places = new Array(150).fill({ height: 1, index: 0 });
  const search = { txs: async () => ok(places) };
  const indexing = { kind: 'kv', search } as unknown as NonNullable<RpcContext['indexing']>;
  const shown = async (limit: number): Promise<number> => {
    const request = { method: 'GET', path: '/cosmos/tx/v1beta1/txs', headers: {}, body: '' } as const;
    const query = `query=${encodeURIComponent("message.module='evm'")}&limit=${limit}`;
    const { body } = await handleRest({ ...world.ctx, indexing }, { ...request, query });
    return JSON.parse(body).tx_responses.length;
  };
  expect(await Promise.all([0, 1, 99, 100, 101, 150].map(shown))).toEqual([100, 1, 99, 100, 100, 100]);
});
