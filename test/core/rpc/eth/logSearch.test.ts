import { beforeAll, expect, test } from 'vitest';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { deploying, STORE_AND_LOG, TOPIC, word } from '../../app/support/code.ts';
import { bytesHex, type JsonReply, RpcWorld } from '../support/rpcWorld.ts';

const BLOCKS_MAX = 3;
let world: RpcWorld;
let emitter: string;

beforeAll(async () => {
  world = await RpcWorld.open({ blockRangeMax: BLOCKS_MAX });
  const from = bytesHex(world.dev.address);
  await world.get('eth_sendTransaction', { from, data: deploying(STORE_AND_LOG) });
  await world.commit();
  emitter = (await world.get('eth_getBlockReceipts', 'latest'))[0].contractAddress;
  for (let height = 2; height <= 20; height++) {
    if (height % 7 === 0) await world.get('eth_sendTransaction', { from, to: emitter, data: word(height) });
    await world.commit();
  }
});

/** The same request to a node without an index. */
async function unindexed(filter: object): Promise<JsonReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] });
  return JSON.parse(
    (await handleEthRequest({ ...world.ctx, indexing: { kind: 'null' } }, body, 'http')) ?? '',
  );
}

const all = { fromBlock: 'earliest', toBlock: 'latest' };

test('an index lets a search span more blocks than one request may read', async () => {
  for (const filter of [
    {},
    { address: emitter },
    { topics: [`0x${TOPIC}`] },
    { address: [emitter], topics: [null] },
  ]) {
    const logs = await world.get('eth_getLogs', { ...all, ...filter });
    expect(logs.map(({ blockNumber }: { blockNumber: string }) => Number(blockNumber))).toEqual([7, 14]);
    const pieces: unknown[] = [];
    for (let from = 0; from <= 20; from += BLOCKS_MAX) {
      const range = {
        fromBlock: `0x${from.toString(16)}`,
        toBlock: `0x${Math.min(20, from + 2).toString(16)}`,
      };
      pieces.push(...(await unindexed({ ...range, ...filter })).result);
    }
    expect(logs).toEqual(pieces);
  }
  expect((await unindexed(all)).error).toEqual({ code: -32000, message: 'exceed maximum block range 3' });
  expect(await world.get('eth_getLogs', { ...all, topics: [word(1)] })).toEqual([]);
  expect(await world.get('eth_getLogs', { ...all, topics: [null, `0x${TOPIC}`] })).toEqual([]);
});

test('blocks that may match are counted', async () => {
  const from = bytesHex(world.dev.address);
  for (let i = 0; i < 2; i++) {
    await world.get('eth_sendTransaction', { from, to: emitter, data: word(i) });
    await world.commit();
  }
  expect((await world.rpc('eth_getLogs', { ...all, address: emitter })).error).toEqual({
    code: -32000,
    message: 'exceed maximum block range 3',
  });
  expect(await world.get('eth_getLogs', { ...all, fromBlock: '0x8', address: emitter })).toHaveLength(3);
});

test('a log filter continues after a block with more logs than one search may answer', async () => {
  const small = await RpcWorld.open({ logsMax: 2 });
  const from = bytesHex(small.dev.address);
  const log = () => small.get('eth_sendTransaction', { from, data: '0x5f5fa000', gas: '0x186a0' });
  const filter = await small.get('eth_newFilter', {});
  for (const logs of [1, 3, 1]) {
    for (let i = 0; i < logs; i++) await log();
    await small.commit();
  }
  const heights = async () =>
    (await small.get('eth_getFilterChanges', filter)).map((one: { blockNumber: string }) =>
      Number(one.blockNumber),
    );
  expect([await heights(), await heights(), await heights()]).toEqual([[1, 2, 2, 2], [3], []]);
  expect((await small.rpc('eth_getLogs', { ...all })).error?.message).toBe(
    'query returned more than 2 results',
  );
  const { hash } = await small.get('eth_getBlockByNumber', '0x2', false);
  expect((await small.rpc('eth_getLogs', { blockHash: hash })).error?.message).toBe(
    'query returned more than 2 results',
  );
});
