import { beforeAll, expect, test, vi } from 'vitest';
import { present } from '../../../../core/lib/assert.ts';
import { hex } from '../../../../core/lib/bytes.ts';
import { StorageFault } from '../../../../core/lib/storageFault.ts';
import { CriteriaRoom } from '../../../../core/rpc/eth/criteriaRoom.ts';
import { HeadNews } from '../../../../core/rpc/eth/feed.ts';
import { ethServices } from '../../../../core/rpc/eth/services.ts';
import { EthSession, OUTBOX_BYTES_MAX } from '../../../../core/rpc/eth/session.ts';
import { EthSubscription, type EthSubscriptionParts } from '../../../../core/rpc/eth/subscription.ts';
import { Outbox } from '../../../../core/rpc/outbox.ts';
import { Pacer } from '../../../../core/rpc/pacer.ts';
import { deploying, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { bytesHex, FakeSocket, RpcWorld, readerWith } from '../support/rpcWorld.ts';

let world: RpcWorld;
let emitter: string;
beforeAll(async () => {
  world = await RpcWorld.open();
  const hash = await world.get('eth_sendTransaction', {
    from: bytesHex(world.dev.address),
    data: deploying(STORE_AND_LOG),
  });
  await world.commit();
  emitter = (await world.get('eth_getTransactionReceipt', hash)).contractAddress;
});

async function open() {
  const socket = new FakeSocket();
  const session = new EthSession(world.ctx, socket);
  const ask = async (method: string, ...params: unknown[]) => {
    session.receive(JSON.stringify({ id: 1, method, params }));
    await session.settled();
    return socket.take();
  };
  return { socket, session, ask };
}

const emit = (value: number) =>
  world.get('eth_sendTransaction', { from: bytesHex(world.dev.address), to: emitter, data: word(value) });

test('newHeads gives each block once, equal to what eth_getHeaderByNumber says', async () => {
  const { ask, session, socket } = await open();
  const [reply] = await ask('eth_subscribe', 'newHeads', {});
  expect(reply).toEqual({ jsonrpc: '2.0', id: 1, result: expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/) });
  await world.commit();
  const [head, ...rest] = socket.take();
  expect(rest).toEqual([]);
  const params = { subscription: reply.result, result: await world.get('eth_getHeaderByNumber', 'latest') };
  expect(head).toEqual({ jsonrpc: '2.0', method: 'eth_subscription', params });
  expect(await ask('eth_unsubscribe', reply.result)).toEqual([{ jsonrpc: '2.0', id: 1, result: true }]);
  expect((await ask('eth_unsubscribe', reply.result))[0].error).toEqual({
    code: -32000,
    message: 'subscription not found',
  });
  await world.commit();
  expect(socket.sent).toEqual([]);
  session.closed();
});

test('the reply comes before the first notification even when a block is committed in between', async () => {
  const { session, socket } = await open();
  session.receive('{"jsonrpc":"2.0","id":"s","method":"eth_subscribe","params":["newHeads"]}');
  // The request is still being answered when the block arrives.
  await world.commit();
  await session.settled();
  const sent = socket.take();
  expect(sent.map((message) => message.id ?? message.method)).toEqual(['s', 'eth_subscription']);
  session.closed();
});

test('logs by subscription, by filter and by search are the same', async () => {
  const { ask, session, socket } = await open();
  await ask('eth_subscribe', 'logs', { address: emitter });
  await ask('eth_subscribe', 'logs', { address: bytesHex(world.other.address) });
  const filter = await world.get('eth_newFilter', { address: emitter });
  const from = Number(await world.get('eth_blockNumber')) + 1;
  await emit(1);
  await emit(2);
  await world.commit();
  await emit(3);
  await world.commit();
  const told = socket.take().map((message) => message.params.result);
  expect(told.map((log) => log.data)).toEqual([1, 2, 3].map(word));
  expect(await world.get('eth_getFilterChanges', filter)).toEqual(told);
  expect(await world.get('eth_getLogs', { fromBlock: `0x${from.toString(16)}`, address: emitter })).toEqual(
    told,
  );
  session.closed();
});

test('a subscription to pending transactions gets hashes or whole transactions before they are in a block', async () => {
  const { ask, session, socket } = await open();
  await ask('eth_subscribe', 'newPendingTransactions');
  await ask('eth_subscribe', 'newPendingTransactions', true);
  const hash = await emit(4);
  const [short, full] = socket.take().map((message) => message.params.result);
  expect(short).toBe(hash);
  expect(full).toMatchObject({ hash, blockHash: null });
  await world.commit();
  session.closed();
});

test('a pending transaction is rendered once for all subscribers of whole transactions', async () => {
  const clients = [await open(), await open()];
  for (const { ask } of clients)
    for (let i = 0; i < 2; i++) await ask('eth_subscribe', 'newPendingTransactions', true);
  const hash = await emit(5);
  for (const { socket } of clients) socket.take();
  const reads = vi.spyOn(world.ctx.pool, 'byEthHash');
  const ethHash = hex(hash.slice(2));
  world.ctx.hub.publish({ kind: 'pendingTx', tx: ethHash, ethHash });
  expect(reads).toHaveBeenCalledTimes(1);
  reads.mockRestore();
  const told = clients.flatMap(({ socket }) => socket.take().map((message) => message.params.result.hash));
  expect(told).toEqual([hash, hash, hash, hash]);
  await world.commit();
  for (const { session } of clients) session.closed();
});

test('the reply to eth_subscribe comes before the first pending transaction', async () => {
  const { session, socket } = await open();
  session.receive('{"jsonrpc":"2.0","id":"p","method":"eth_subscribe","params":["newPendingTransactions"]}');
  let isAnswered = false;
  void session.settled().then(() => {
    isAnswered = true;
  });
  let told = 0;
  // At every point at which the answer waits for something.
  while (!isAnswered) {
    const ethHash = new Uint8Array(32).fill(++told);
    world.ctx.hub.publish({ kind: 'pendingTx', tx: ethHash, ethHash });
    await Promise.resolve();
  }
  const sent = socket.take();
  expect(sent[0].id).toBe('p');
  expect(sent.length).toBeGreaterThan(1);
  expect(new Set(sent.slice(1).map(({ params }) => params.subscription))).toEqual(new Set([sent[0].result]));
  session.closed();
});

test.each([
  [['newfoo'], -32601, 'no "newfoo" subscription in eth namespace'],
  [[], -32602, 'expected subscription name as first argument'],
  [['newHeads', {}, 5], -32602, 'too many arguments, want at most 2'],
  [['logs'], -32602, 'missing value for required argument 1'],
  [['logs', { fromBlock: 'pending' }], -32602, 'pending logs are not supported'],
  [['logs', { fromBlock: 'safe' }], -32602, 'invalid block range params'],
  [['logs', { fromBlock: 'latest', toBlock: '0x1' }], -32602, 'invalid block range params'],
])('a subscription to %j is refused', async (params, code, message) => {
  const { ask, session } = await open();
  expect((await ask('eth_subscribe', ...(params as unknown[])))[0].error).toEqual({ code, message });
  session.closed();
});

test('a slow reader of history that falls behind the head gets the height at which to resume', async () => {
  const { ask, socket } = await open();
  await ask('eth_subscribe', 'newHeads');
  socket.unread = 256 * 1024;
  await ask('eth_subscribe', 'newHeads', { fromBlock: '0x1' });
  socket.unread = OUTBOX_BYTES_MAX;
  await world.commit();
  expect(socket.closedWith).toEqual({ code: 1013, reason: 'slow reader: resume from block 1' });
});

test('a reader that falls behind is closed with the block to resume from, the others go on', async () => {
  const slow = await open();
  const quick = await open();
  await slow.ask('eth_subscribe', 'newHeads');
  await quick.ask('eth_subscribe', 'newHeads');
  slow.socket.unread = OUTBOX_BYTES_MAX;
  const { block } = await world.commit();
  expect(slow.socket.closedWith).toEqual({
    code: 1013,
    reason: `slow reader: resume from block ${block.header.height}`,
  });
  expect(slow.socket.sent).toEqual([]);
  expect(quick.socket.take()).toHaveLength(1);
  quick.session.closed();
});

test('when all sessions are gone nothing listens any more', () => {
  expect(ethServices(world.ctx).feed.size).toBe(0);
});

const emits = async (value: number) => {
  await emit(value);
  return (await world.commit()).block.header.height;
};

test('history from a block on comes before the live blocks, each once and in order', async () => {
  const { ask, session, socket } = await open();
  const first = await emits(1);
  const second = await emits(2);
  const from = { fromBlock: `0x${first.toString(16)}` };
  const heads = await ask('eth_subscribe', 'newHeads', from);
  const logs = await ask('eth_subscribe', 'logs', { address: emitter }, from);
  const [headsId, logsId] = [heads[0].result, logs[0].result];
  const third = await emits(3);
  const told = [...heads.slice(1), ...logs.slice(1), ...socket.take()].map(({ params }) => params);
  const numbers = (id: string, field: string) =>
    told.filter(({ subscription }) => subscription === id).map(({ result }) => Number(result[field]));
  expect(numbers(headsId, 'number')).toEqual([first, second, third]);
  expect(numbers(logsId, 'blockNumber')).toEqual([first, second, third]);
  session.closed();
});

/** A block of so many transfers. */
const commitOf = async (txs: number): Promise<number> => {
  const self = bytesHex(world.dev.address);
  for (let i = 0; i < txs; i++)
    await world.get('eth_sendTransaction', { from: self, to: self, gas: '0x5208' });
  return (await world.commit()).block.header.height;
};

/** All receipts from a block on. */
const receiptsFrom = (height: number, ctx: EthSubscriptionParts['ctx'], socket: FakeSocket) =>
  new EthSubscription({
    ctx,
    request: {
      kind: 'transactionReceipts',
      hashes: [],
      fromBlock: { kind: 'number', number: BigInt(height) },
    },
    outbox: new Outbox(socket, OUTBOX_BYTES_MAX, new Pacer(undefined)),
    id: '0x1',
    onFull: () => {},
    onGap: () => {},
    criteriaRoom: new CriteriaRoom(),
  });

test('history rests by the work done, not by the number of blocks', async () => {
  const told = async (from: number, to: number): Promise<number> => {
    let pauses = 0;
    const socket = new FakeSocket();
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    // The head stands still, so that just these blocks are history.
    const chain = {
      ...world.ctx.chain,
      head: () => to,
      genesisNumber: () => 0,
      ethBlock: (at: number) => world.ctx.chain.ethBlock(at),
    };
    const ctx = { ...world.ctx, chain: Object.setPrototypeOf(chain, world.ctx.chain), pause };
    const subscription = receiptsFrom(from, ctx, socket);
    await subscription.release();
    subscription.end();
    return pauses;
  };
  const first = (await world.commit()).block.header.height;
  for (let i = 0; i < 5; i++) await world.commit();
  expect(await told(first, first + 5)).toBe(0);
  for (let block = 0; block < 2; block++) await commitOf(30);
  expect(await told(first + 6, first + 7)).toBe(1);
});

test('a block committed while history is sent follows the history, once', async () => {
  const socket = new FakeSocket();
  const heights: number[] = [];
  const commit = async (txs: number): Promise<number> => {
    const height = await commitOf(txs);
    heights.push(height);
    return height;
  };
  for (let block = 0; block < 4; block++) await commit(30);
  const pause = async (): Promise<void> => {
    if (heights.length > 4) return;
    const block = present(world.ctx.chain.ethBlock(await commit(1)), 'the block just committed');
    subscription.onHead(new HeadNews(block));
  };
  const subscription = receiptsFrom(heights[0] as number, { ...world.ctx, pause }, socket);
  await subscription.release();
  subscription.end();
  expect(heights).toHaveLength(5);
  expect(socket.take().map(({ params }) => Number(params.result[0].blockNumber))).toEqual(heights);
});

test('a past that the drive does not give back closes the session, and the operator hears why', async () => {
  const chain = readerWith(world.ctx.chain, {
    ethBlock(height) {
      if (height === 2) throw new StorageFault('record altered', Uint8Array.of(1));
      return world.ctx.chain.ethBlock(height);
    },
  });
  const socket = new FakeSocket();
  const session = new EthSession({ ...world.ctx, chain }, socket);
  const notes: string[] = [];
  const leave = world.ctx.hub.listen((event) => {
    if (event.kind === 'note') notes.push(`${event.level} ${event.text}`);
  });
  session.receive('{"id":1,"method":"eth_subscribe","params":["newHeads",{"fromBlock":"0x1"}]}');
  await session.settled();
  for (let i = 0; i < 10; i++) await undefined;
  leave();
  expect(socket.closedWith).toEqual({ code: 1013, reason: 'the past cannot be read' });
  expect(notes).toEqual(['error eth_subscribe: storage fault: record altered (record 01)']);
});

test('a block that is yet to come may be named as the start', async () => {
  const { ask, session, socket } = await open();
  const head = world.chain.reader.head();
  await ask('eth_subscribe', 'newHeads', { fromBlock: `0x${(head + 2).toString(16)}` });
  await world.commit();
  expect(socket.take()).toEqual([]);
  await world.commit();
  expect(socket.take().map(({ params }) => Number(params.result.number))).toEqual([head + 2]);
  session.closed();
});

test('history ends where nothing is left to tell, and live blocks follow', async () => {
  const { ask, session, socket } = await open();
  const told = await emits(7);
  for (let i = 0; i < 3; i++) await world.commit();
  const from = { fromBlock: `0x${told.toString(16)}` };
  const [, ...logs] = await ask('eth_subscribe', 'logs', { address: emitter }, from);
  const next = await emits(8);
  const heights = [...logs, ...socket.take()].map(({ params }) => Number(params.result.blockNumber));
  expect(heights).toEqual([told, next]);
  session.closed();
});

test("a log filter's own fromBlock asks for no history", async () => {
  const { ask, session } = await open();
  await emits(5);
  expect(await ask('eth_subscribe', 'logs', { address: emitter, fromBlock: '0x0' })).toHaveLength(1);
  session.closed();
});

test('receipts of a block come as one list, those asked for alone', async () => {
  const { ask, session, socket } = await open();
  await ask('eth_subscribe', 'transactionReceipts');
  const hash = await emit(6);
  await ask('eth_subscribe', 'transactionReceipts', { transactionHashes: [hash] });
  await ask('eth_subscribe', 'transactionReceipts', { transactionHashes: [`0x${'11'.repeat(32)}`] });
  const many = (count: number) => ({ transactionHashes: Array(count).fill(`0x${'11'.repeat(32)}`) });
  expect((await ask('eth_subscribe', 'transactionReceipts', many(200)))[0].error).toBeUndefined();
  expect((await ask('eth_subscribe', 'transactionReceipts', many(201)))[0].error).toEqual({
    code: -32602,
    message: 'invalid argument 1: more than 200 items',
  });
  await world.commit();
  const receipt = await world.get('eth_getTransactionReceipt', hash);
  expect(socket.take().map(({ params }) => params.result)).toEqual([[receipt], [receipt]]);
  await world.commit();
  expect(socket.take()).toEqual([]);
  session.closed();
});

test('a burst that the socket cannot take at once goes out as it drains, in order', async () => {
  const { ask, session, socket } = await open();
  await ask('eth_subscribe', 'newHeads');
  socket.unread = 256 * 1024;
  for (let i = 0; i < 3; i++) await world.commit();
  expect(socket.take()).toEqual([]);
  socket.unread = 0;
  session.drained();
  const head = world.chain.reader.head();
  const numbers = socket.take().map(({ params }) => Number(params.result.number));
  expect(numbers).toEqual([head - 2, head - 1, head]);
  expect(socket.closedWith).toBeUndefined();
  session.closed();
});

test('a reader of traces that falls behind the head resumes after the last block that was told', async () => {
  const { session, socket, ask } = await open();
  const start = Number(await world.get('eth_blockNumber'));
  for (let i = 0; i < 3; i++) {
    await emit(1);
    await world.commit();
  }
  await ask('eth_subscribe', 'newHeads');
  const send = socket.send.bind(socket);
  socket.send = (text) => {
    send(text);
    if (text.includes('debug_subscription')) socket.unread = 256 * 1024;
  };
  const range = [start, start + 3].map((height) => `0x${height.toString(16)}`);
  session.receive(JSON.stringify({ id: 1, method: 'debug_subscribe', params: ['traceChain', ...range] }));
  await session.settled();
  while (socket.unread === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.unread = OUTBOX_BYTES_MAX;
  await world.commit();
  expect(socket.closedWith).toEqual({ code: 1013, reason: `slow reader: resume from block ${start + 2}` });
});

test('debug_subscribe traces a range of blocks: each with transactions, and the last one', async () => {
  const { session, socket, ask } = await open();
  // Has a transaction, and is not told: what the start left behind is traced on.
  await emit(3);
  await world.commit();
  const start = Number(await world.get('eth_blockNumber'));
  await emit(1);
  await world.commit();
  await world.commit();
  await emit(2);
  await world.commit();
  await world.commit();
  const hex = (height: number) => `0x${height.toString(16)}`;
  const config = { tracer: 'callTracer' };
  session.receive(
    JSON.stringify({
      id: 1,
      method: 'debug_subscribe',
      params: ['traceChain', hex(start), hex(start + 4), config],
    }),
  );
  await session.settled();
  while (socket.sent.length < 4) await new Promise((resolve) => setImmediate(resolve));
  const [reply, ...notes] = socket.take();
  expect(notes.map(({ method, params }) => [method, params.subscription, params.result.block])).toEqual(
    [1, 3, 4].map((after) => ['debug_subscription', reply.result, hex(start + after)]),
  );
  for (const { params } of notes) {
    const { block, hash, traces } = params.result;
    expect(hash).toBe((await world.get('eth_getBlockByNumber', block, false)).hash);
    expect(traces).toEqual(await world.get('debug_traceBlockByNumber', block, config));
  }
  expect((await ask('debug_unsubscribe', reply.result))[0].result).toBe(true);
  const refused = async (...params: unknown[]) => (await ask('debug_subscribe', ...params))[0].error;
  expect(await refused('traceChain', hex(start), hex(start))).toEqual({
    code: -32000,
    message: `end block (#${start}) needs to come after start block (#${start})`,
  });
  expect((await refused('traceChain', '0x1', '0xffff')).message).toBe('block #65535 not found');
  expect(await refused('newHeads')).toEqual({
    code: -32601,
    message: 'no "newHeads" subscription in debug namespace',
  });
  session.closed();
});

test('512 requests of a client run at once; the socket is not read until one of them is answered', async () => {
  const { session, socket } = await open();
  const received = Array.from({ length: 513 }, (_, id) =>
    session.receive(JSON.stringify({ id, method: 'eth_blockNumber' })),
  );
  expect(received.findIndex((waits) => waits !== undefined)).toBe(511);
  await received[511];
  await session.settled();
  expect(socket.take()).toHaveLength(513);
  expect(session.receive('{"id":1,"method":"eth_blockNumber"}')).toBeUndefined();
  session.closed();
});

test('requests of a client that run at once have a limited total length', async () => {
  const { session } = await open();
  const request = JSON.stringify({ id: 1, method: 'eth_blockNumber' }).padEnd(4 * 1024 * 1024);
  const received = [request, request, '{"id":2,"method":"eth_blockNumber"}'].map((text) =>
    session.receive(text),
  );
  expect(received.map((waits) => waits !== undefined)).toEqual([false, true, true]);
  await session.settled();
  expect(session.receive(request)).toBeUndefined();
  session.closed();
});

test('a client has at most 1024 subscriptions', async () => {
  const { session, ask } = await open();
  for (let i = 0; i < 1024; i++) expect((await ask('eth_subscribe', 'newHeads'))[0].error).toBeUndefined();
  expect((await ask('eth_subscribe', 'newHeads'))[0].error.message).toBe(
    'max subscriptions per client 1024 reached',
  );
  expect(session.subscriptionCount).toBe(1024);
  session.closed();
});
