/** One event, several faces: whoever subscribes, polls or searches is told the same. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { committedPublications } from '../../../core/events/eventModel.ts';
import { compileQuery } from '../../../core/events/query/query.ts';
import { handleCometPost } from '../../../core/rpc/comet/http.ts';
import { CometSession } from '../../../core/rpc/comet/session.ts';
import { EthSession } from '../../../core/rpc/eth/session.ts';
import { deploying, STORE_AND_LOG, word } from '../app/support/code.ts';
import { bytesHex, FakeSocket, type Loose, RpcWorld } from './support/rpcWorld.ts';

let world: RpcWorld;
const emitters: string[] = [];
beforeAll(async () => {
  world = await RpcWorld.open();
  const from = bytesHex(world.dev.address);
  for (let i = 0; i < 2; i++) {
    const hash = await world.get('eth_sendTransaction', { from, data: deploying(STORE_AND_LOG) });
    await world.commit();
    emitters.push((await world.get('eth_getTransactionReceipt', hash)).contractAddress);
  }
});

type Act =
  | { readonly kind: 'log'; readonly emitter: number; readonly value: number }
  | { readonly kind: 'pay' };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('log' as const), emitter: fc.nat(1), value: fc.integer({ min: 1, max: 3 }) }),
  fc.constant({ kind: 'pay' as const }),
);
const blocks = fc.array(fc.array(act, { maxLength: 3 }), { minLength: 1, maxLength: 4 });

async function perform(one: Act): Promise<void> {
  const from = bytesHex(world.dev.address);
  const tx =
    one.kind === 'pay'
      ? { from, to: bytesHex(world.other.address), value: '0x1' }
      : { from, to: emitters[one.emitter], data: word(one.value) };
  await world.get('eth_sendTransaction', tx);
}

/** Commits a block for each list, and gives the first height. */
async function build(lists: readonly (readonly Act[])[]): Promise<number> {
  const first = world.chain.reader.head() + 1;
  for (const list of lists) {
    for (const one of list) await perform(one);
    await world.commit();
  }
  return first;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('logs are the same by subscription, by polling, by search and by replay', async () => {
  const criteria = fc.constantFrom('none', 'first', 'second', 'both', 'topic');
  await fc.assert(
    fc.asyncProperty(blocks, criteria, async (lists, which) => {
      const address = {
        none: undefined,
        first: emitters[0],
        second: emitters[1],
        both: emitters,
        topic: undefined,
      }[which];
      const known = which === 'topic' ? await world.get('eth_getLogs', { fromBlock: 'earliest' }) : [];
      const topics = known.length > 0 ? [known[0].topics[0] ?? null] : undefined;
      const filter = {
        ...(address === undefined ? {} : { address }),
        ...(topics === undefined ? {} : { topics }),
      };
      const socket = new FakeSocket();
      const session = new EthSession(world.ctx, socket);
      session.receive(JSON.stringify({ id: 1, method: 'eth_subscribe', params: ['logs', filter] }));
      await session.settled();
      socket.take();
      const id = await world.get('eth_newFilter', filter);
      const first = await build(lists);
      const live = socket.take().map(({ params }) => params.result);
      const fromBlock = `0x${first.toString(16)}`;
      const searched = await world.get('eth_getLogs', { ...filter, fromBlock, toBlock: 'latest' });
      expect(live).toEqual(searched);
      expect(await world.get('eth_getFilterChanges', id)).toEqual(searched);
      session.receive(
        JSON.stringify({ id: 2, method: 'eth_subscribe', params: ['logs', filter, { fromBlock }] }),
      );
      await session.settled();
      await settled();
      expect(
        socket
          .take()
          .slice(1)
          .map(({ params }) => params.result),
      ).toEqual(searched);
      session.closed();
    }),
    { numRuns: 12 },
  );
});

test('transactions are the same by subscription, by search, by replay and by looking at all of them', async () => {
  const text = fc.constantFrom(
    () => `ethereum.recipient='${bytesHex(world.other.address)}'`,
    () => `ethereum.recipient='${emitters[0]}'`,
    () => `ethereum_tx.txIndex >= 1`,
    () => `ethereum.amount > 0`,
    () => `tx_log.txLog EXISTS`,
    () => `tx_log.txLog CONTAINS '${emitters[1]?.slice(2, 10)}'`,
  );
  await fc.assert(
    fc.asyncProperty(blocks, text, async (lists, make) => {
      const query = `tm.event='Tx' AND ${make()}`;
      const socket = new FakeSocket();
      const session = new CometSession(world.ctx, socket, '127.0.0.1:1');
      const ask = (params: unknown) =>
        session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }));
      await ask([query]);
      socket.take();
      const first = await build(lists);
      const places = (events: readonly Loose[]) =>
        events.map(({ result }) => [
          Number(result.data.value.TxResult.height),
          result.data.value.TxResult.index ?? 0,
        ]);
      const live = places(socket.take());
      expect(live).toEqual(lookedAt(query, first));
      const search = { query: `${query} AND tx.height >= ${first}`, per_page: '100' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tx_search', params: search });
      const { result } = JSON.parse((await handleCometPost(world.ctx, body)).body);
      expect(result.txs.map((tx: Loose) => [Number(tx.height), tx.index])).toEqual(live);
      session.closed();
      const again = new CometSession(world.ctx, socket, '127.0.0.1:2');
      await again.receive(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: [query, String(first)] }),
      );
      for (let i = 0; i <= lists.length; i++) await settled();
      expect(places(socket.take().slice(1))).toEqual(live);
      again.closed();
    }),
    { numRuns: 12 },
  );
});

function lookedAt(text: string, first: number): readonly (readonly number[])[] {
  const query = compileQuery(text);
  if (!query.ok) throw new Error(query.error);
  const found: number[][] = [];
  for (let height = first; height <= world.chain.reader.head(); height++) {
    const [block, meta] = [world.chain.reader.block(height), world.chain.reader.blockMeta(height)];
    const results = world.chain.reader.results(height);
    if (block === undefined || meta === undefined || results === undefined) throw new Error('a kept height');
    for (const { keys, position } of committedPublications(
      { block, blockId: meta.blockId, results },
      world.ctx.suite.sha256,
    ))
      if (query.value.matches(keys)) found.push([height, position?.txIndex ?? -1]);
  }
  return found;
}
