/** What one request to the Cosmos services may hold, and one answer list. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Any } from '../../../../core/app/tx/tables.ts';
import { bytes as bytesField, repeatedString, string, uint64Big } from '../../../../core/codec/fields.ts';
import { encode, type Table, table } from '../../../../core/codec/proto.ts';
import type { TxPlace } from '../../../../core/events/index/search.ts';
import { toBase64 } from '../../../../core/lib/base64.ts';
import { EMPTY } from '../../../../core/lib/bytes.ts';
import { ok } from '../../../../core/lib/result.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { BASE_ACCOUNT } from '../../../../core/rpc/cosmos/accountTables.ts';
import { looseRead } from '../../../../core/rpc/cosmos/looseRead.ts';
import { anyJson, fromProtoJson } from '../../../../core/rpc/cosmos/protoJson.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { fieldsRequest } from '../../../../core/rpc/cosmos/restRequest.ts';
import { stdTxBytes, stdTxJson } from '../../../../core/rpc/cosmos/stdTx.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

const NOTE = table<{ readonly lines: readonly string[]; readonly title: string }>('Note', [
  repeatedString(1, 'lines', 8, 2),
  string(2, 'title', 4),
]);

const KEY = table<{ readonly key: Uint8Array }>('Key', [bytesField(1, 'key', 3)]);

const fromJson = (json: unknown) => fromProtoJson(NOTE as unknown as Table<unknown>, json);

describe('a repeated field with more entries than its limit is refused', () => {
  const note = (count: number) => ({ lines: Array.from({ length: count }, (_, i) => `${i}`), title: '' });

  test('in protobuf', () => {
    expect(looseRead(NOTE, encode(NOTE, note(2)))).toEqual(ok(note(2)));
    expect(looseRead(NOTE, encode(NOTE, note(3)))).toEqual({ ok: false, error: 'lines: too many' });
  });

  test('in JSON', () => {
    expect(fromJson(note(2))).toEqual(note(2));
    expect(() => fromJson(note(3))).toThrow('invalid value for lines: expected at most 2 entries');
  });
});

test('the byte limit of a text field holds in JSON as in protobuf', () => {
  for (const title of ['abcd', '€a']) {
    const value = { lines: [], title };
    expect(fromJson({ title })).toEqual(value);
    expect(looseRead(NOTE, encode(NOTE, value))).toEqual(ok(value));
  }
  for (const title of ['abcde', '€ab', '€€'])
    expect(() => fromJson({ title })).toThrow('invalid value for title: expected a text of at most 4 bytes');
});

test('the limit of a bytes field holds in JSON as in protobuf, for base64 and for lists of numbers', () => {
  const read = (key: unknown) => fromProtoJson(KEY as unknown as Table<unknown>, { key });
  for (const key of ['AQID', [1, 2, 3]]) expect(read(key)).toEqual({ key: Uint8Array.of(1, 2, 3) });
  for (const key of ['AQIDBA==', [1, 2, 3, 4]])
    expect(() => read(key)).toThrow('invalid value for key: expected at most 3 bytes');
});

describe('nested messages', () => {
  const typeUrl = '/cosmos.auth.v1beta1.BaseAccount';
  const account = (pubKey: Any | undefined) => ({ address: '', pubKey, accountNumber: 0n, sequence: 0n });
  /** An account whose key is an account, and so on. */
  const nested = (depth: number): Any => {
    let any: Any = { typeUrl, value: EMPTY };
    for (let i = 1; i < depth; i++) any = { typeUrl, value: encode(BASE_ACCOUNT, account(any)) };
    return any;
  };
  type Shown = { readonly pub_key?: Shown | null; readonly value?: string };
  const chain = (shown: Shown): readonly Shown[] => [shown, ...(shown.pub_key ? chain(shown.pub_key) : [])];

  test.each([
    [1, 1, undefined],
    [10, 10, undefined],
    [11, 11, ''],
    [5_000, 11, toBase64(nested(4_990).value)],
  ])('%i deep, of which %i are shown, the last one closed or open', (depth, shown, closed) => {
    const all = chain(anyJson(nested(depth)) as Shown);
    expect([all.length, all.at(-1)?.value]).toEqual([shown, closed]);
  });

  test('in JSON as well', () => {
    const json = (depth: number): Shown => {
      let any: object = { '@type': typeUrl };
      for (let i = 1; i < depth; i++) any = { '@type': typeUrl, pub_key: any };
      return { pub_key: any } as Shown;
    };
    const read = (depth: number) => fromProtoJson(BASE_ACCOUNT as unknown as Table<unknown>, json(depth));
    expect(read(10)).toEqual(account(nested(10)));
    for (const depth of [11, 5_000])
      expect(() => read(depth)).toThrow('expected at most 10 messages within each other');
  });
});

test('a JSON number that JavaScript cannot hold exactly is refused', () => {
  const COUNT = table<{ readonly count: bigint }>('Count', [uint64Big(1, 'count')]);
  const read = (text: string) => fromProtoJson(COUNT as unknown as Table<unknown>, JSON.parse(text));
  expect(read('{"count":9007199254740991}')).toEqual({ count: 9007199254740991n });
  expect(read('{"count":"9007199254740993"}')).toEqual({ count: 9007199254740993n });
  for (const text of ['{"count":9007199254740993}', '{"count":1e20}', '{"count":0.5}'])
    expect(() => read(text)).toThrow('invalid value for count: expected a whole number');
});

test('a query parameter is repeated at most as often as its field allows', () => {
  const lines = (count: number) => new Map([['lines', new Array<string>(count).fill('x')]]);
  const read = (count: number) => fieldsRequest(NOTE as unknown as Table<unknown>, lines(count), '');
  expect(read(2)).toEqual({ lines: ['x', 'x'], title: '' });
  expect(() => read(3)).toThrow('invalid value for lines: expected at most 2 entries');
});

test('a StdTx has at most 64 messages and 64 signatures', () => {
  const message = { type: 'cosmos-sdk/MsgSend', value: {} };
  const signature = { signature: 'AA==' };
  const stdTx = (msgs: number, signatures: number) =>
    JSON.stringify({
      type: 'cosmos-sdk/StdTx',
      value: { msg: Array(msgs).fill(message), signatures: Array(signatures).fill(signature) },
    });
  const { value } = JSON.parse(stdTxJson(stdTxBytes(stdTx(64, 64))));
  expect([value.msg.length, value.signatures.length]).toEqual([64, 64]);
  expect(() => stdTxBytes(stdTx(65, 0))).toThrow('msg: expected a list of at most 64');
  expect(() => stdTxBytes(stdTx(0, 65))).toThrow('signatures: expected a list of at most 64');
});

describe('a search for transactions', () => {
  let ctx: RpcContext;
  beforeAll(async () => {
    const world = await RpcWorld.open();
    const [from, to] = [world.dev, world.other].map(({ address }) => bytesHex(address));
    await world.get('eth_sendTransaction', { from, to, value: '0x1' });
    await world.commit();
    const places: readonly TxPlace[] = Array(101).fill({ height: 1, index: 0 });
    const search = { txs: async () => ok(places) };
    ctx = { ...world.ctx, indexing: { kind: 'kv', search } as never };
  });

  test.each([
    ['limit=2', 2],
    ['limit=2&page=51', 1],
    ['limit=0', 100],
    ['limit=100', 100],
    ['limit=101', 100],
    ['limit=101&page=2', 1],
  ])('lists as many as asked, at most a hundred: %s', async (asked, listed) => {
    const query = `query=tx.height%3D1&${asked}`;
    const request = { method: 'GET', path: '/cosmos/tx/v1beta1/txs', query, headers: {}, body: '' };
    let pauses = 0;
    const pause = async (): Promise<void> => void pauses++;
    const answer = await handleRest({ ...ctx, pause }, request);
    const { txs, tx_responses, total } = JSON.parse(answer.body);
    // Each is of a block to read.
    expect([txs.length, tx_responses.length, pauses, total]).toEqual([listed, listed, listed, '101']);
  });
});
