import { beforeAll, expect, test } from 'vitest';
import { toEip55 } from '../../../../core/address/eip55.ts';
import { StorageFault } from '../../../../core/lib/storageFault.ts';
import { cometFeed } from '../../../../core/rpc/comet/feed.ts';
import { CometSession, OUTBOX_BYTES_MAX } from '../../../../core/rpc/comet/session.ts';
import { bytesHex, FakeSocket, RpcWorld, readerWith } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
});

function open() {
  const socket = new FakeSocket();
  const session = new CometSession(world.ctx, socket, '127.0.0.1:1');
  const ask = async (id: unknown, method: string, params?: unknown) => {
    await session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return socket.take()[0];
  };
  return { socket, session, ask };
}

/** More turns of the loop than any replay of this test's short chain takes, one pause a height. */
const TURNS = 100;
const settled = async () => {
  for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
};

const transfer = () =>
  world.get('eth_sendTransaction', {
    from: bytesHex(world.dev.address),
    to: bytesHex(world.other.address),
    value: '0x1',
  });

test('a header subscription tells every block under the id of its request', async () => {
  const { ask, session, socket } = open();
  expect(await ask('s1', 'subscribe', { query: "tm.event='NewBlockHeader'" })).toEqual({
    jsonrpc: '2.0',
    id: 's1',
    result: {},
  });
  await world.commit();
  const { block } = await world.commit();
  const events = socket.take();
  expect(events.map((event) => event.id)).toEqual(['s1', 's1']);
  expect(events[1].result).toMatchObject({
    query: "tm.event='NewBlockHeader'",
    events: { 'tm.event': ['NewBlockHeader'] },
  });
  expect(events[1].result.data.type).toBe('tendermint/event/NewBlockHeader');
  expect(events[1].result.data.value.header.height).toBe(String(block.header.height));
  session.closed();
});

test('a query without subscribers is removed, by unsubscribe, unsubscribe_all or a closed session', async () => {
  const feed = cometFeed(world.ctx);
  const before = feed.queries;
  const [one, other] = [open(), open()];
  for (const height of [1, 2, 3]) await one.ask(height, 'subscribe', [`tx.height=${height}`]);
  await other.ask(1, 'subscribe', ['tx.height=1']);
  expect(feed.queries).toBe(before + 3);
  await one.ask(4, 'unsubscribe', ['tx.height=3']);
  expect(feed.queries).toBe(before + 2);
  await one.ask(5, 'unsubscribe_all');
  expect(feed.queries).toBe(before + 1);
  other.session.closed();
  expect(feed.queries).toBe(before);
  one.session.closed();
});

test('a subscription by recipient matches in any letter case, and only that recipient', async () => {
  const { ask, session, socket } = open();
  const { ask: askOther, session: sessionOther, socket: socketOther } = open();
  const lower = bytesHex(world.other.address);
  await ask(1, 'subscribe', [`tm.event='Tx' AND ethereum.recipient='${lower}'`]);
  await askOther(1, 'subscribe', [`tm.event='Tx' AND ethereum.recipient='${bytesHex(world.dev.address)}'`]);
  const ethHash = await transfer();
  const { block } = await world.commit();
  const [event, ...rest] = socket.take();
  expect(rest).toEqual([]);
  expect(socketOther.sent).toEqual([]);
  const { data, events } = event.result;
  expect(data.type).toBe('tendermint/event/Tx');
  expect(data.value.TxResult).toMatchObject({
    height: String(block.header.height),
    tx: Buffer.from(block.txs[0] as Uint8Array).toString('base64'),
  });
  expect(data.value.TxResult.index).toBeUndefined();
  expect(data.value.TxResult.result.code).toBeUndefined();
  expect(events['ethereum.recipient']).toEqual([toEip55(world.other.address)]);
  expect(events['ethereum_tx.ethereumTxHash']).toContain(ethHash);
  expect(events['tx.height']).toEqual([String(block.header.height)]);
  expect(events['tx.hash'][0]).toMatch(/^[0-9A-F]{64}$/);
  session.closed();
  sessionOther.closed();
});

test("events of a block come in CometBFT's order", async () => {
  const { ask, session, socket } = open();
  await ask(1, 'subscribe', { query: 'tm.event EXISTS' });
  await transfer();
  await world.commit();
  const types = socket.take().map((event) => event.result.data.type.replace('tendermint/event/', ''));
  expect(types).toEqual(['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'Tx']);
  session.closed();
});

test('the same query twice, an unknown one, a bad one and too many are refused', async () => {
  const { ask, session } = open();
  const data = async (method: string, query: string) => (await ask(1, method, { query })).error?.data;
  expect(await data('subscribe', "tm.event='Tx'")).toBeUndefined();
  expect(await data('subscribe', "tm.event  =  'Tx'")).toBe('already subscribed');
  expect(await data('unsubscribe', "tm.event='Vote'")).toBe('subscription not found');
  expect(await data('subscribe', 'malformed query')).toMatch(
    /^failed to parse query: offset 10: got tag, wanted /,
  );
  expect(await data('subscribe', `a.b='${'x'.repeat(507)}'`)).toBe('maximum query length exceeded');
  expect(await data('subscribe', `a.b='${'ä'.repeat(254)}'`)).toBe('maximum query length exceeded');
  expect(await data('subscribe', `a.b='${'x'.repeat(506)}'`)).toBeUndefined();
  expect(await data('unsubscribe', `a.b='${'x'.repeat(506)}'`)).toBeUndefined();
  for (const height of [1, 2, 3, 4]) expect(await data('subscribe', `tx.height=${height}`)).toBeUndefined();
  expect(await data('subscribe', 'tx.height=5')).toBe('max_subscriptions_per_client 5 reached');
  expect((await ask(2, 'unsubscribe_all')).result).toEqual({});
  expect((await ask(2, 'unsubscribe_all')).error.data).toBe('subscription not found');
  expect((await ask(3, 'foo')).error).toEqual({ code: -32601, message: 'Method not found' });
  expect((await ask(3, 'block', { height: 5 })).error).toEqual({
    code: -32603,
    message: 'Internal error',
    data: 'error converting json params to arguments: invalid 64-bit integer encoding "5", expected string',
  });
  expect((await ask(4, 'health')).result).toEqual({});
  session.closed();
});

test('bad JSON is answered and the session stays open', async () => {
  const { ask, session, socket } = open();
  await session.receive('{');
  expect(socket.take()[0].error.code).toBe(-32700);
  await session.receive('{"jsonrpc":"2.0","method":"health"}');
  expect(socket.sent).toEqual([]);
  expect((await ask(1, 'health')).result).toEqual({});
  session.closed();
});

test('a slow reader gets the height at which to resume on each subscription, and is closed', async () => {
  const { ask, socket } = open();
  await ask('a', 'subscribe', { query: "tm.event='NewBlock'" });
  await ask('b', 'subscribe', { query: "tm.event='Tx'" });
  socket.unread = OUTBOX_BYTES_MAX;
  const { block } = await world.commit();
  const reason = `slow client, resume from height ${block.header.height}`;
  const error = {
    code: -32000,
    message: 'Server error',
    data: `subscription was canceled (reason: ${reason})`,
  };
  expect(socket.take()).toEqual(['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, error })));
  expect(socket.closedWith).toEqual({ code: 1013, reason });
  await world.commit();
  expect(socket.sent).toEqual([]);
});

test('the hundred and first client that subscribes is refused', async () => {
  const clients = Array.from({ length: 100 }, open);
  for (const { ask } of clients) expect((await ask(1, 'subscribe', ["tm.event='Vote'"])).result).toEqual({});
  const late = open();
  const refusal = 'max_subscription_clients 100 reached';
  expect((await late.ask(1, 'subscribe', ["tm.event='Vote'"])).error.data).toBe(refusal);
  for (const { session } of clients) session.closed();
  expect((await late.ask(1, 'subscribe', ["tm.event='Vote'"])).result).toEqual({});
  late.session.closed();
});

const sendOne = async () => {
  await transfer();
  return (await world.commit()).block.header.height;
};

test('history from a height on comes before the live events, each once, in order, with its position', async () => {
  const { ask, session, socket } = open();
  const first = await sendOne();
  const second = await sendOne();
  const query = "tm.event='Tx'";
  expect((await ask('r', 'subscribe', { query, from_height: String(first) })).result).toEqual({});
  await settled();
  const third = await sendOne();
  const told = socket.take();
  expect(told.map(({ id }) => id)).toEqual(['r', 'r', 'r']);
  expect(told.map(({ result }) => result.data.value.TxResult.height)).toEqual(
    [first, second, third].map(String),
  );
  expect(told.map(({ result }) => result.position)).toEqual(
    [first, second, third].map((height) => ({ height: String(height), tx_index: 0, event_index: 3 })),
  );
  session.closed();
});

test('history of a recipient is found by the index: blocks without it are not read', async () => {
  const { ask, session, socket } = open();
  const nobody = `0x${'4e'.repeat(20)}`;
  const read: number[] = [];
  const { block } = world.ctx.chain;
  world.ctx.chain.block = (height) => {
    read.push(height);
    return block.call(world.ctx.chain, height);
  };
  try {
    const sent = await sendOne();
    await world.commit();
    read.length = 0;
    const recipient = bytesHex(world.other.address);
    await ask(1, 'subscribe', { query: `ethereum.recipient='${recipient}'`, from_height: String(sent) });
    await ask(2, 'subscribe', { query: `ethereum.recipient='${nobody}'`, from_height: '1' });
    await settled();
    expect(read).toEqual([sent]);
    expect(socket.take().map(({ id, result }) => [id, result.position.height])).toEqual([[1, String(sent)]]);
    await sendOne();
    expect(socket.take().map(({ id }) => id)).toEqual([1]);
  } finally {
    world.ctx.chain.block = block;
    session.closed();
  }
});

test('a block committed while history is sent is neither lost nor doubled', async () => {
  const { ask, session, socket } = open();
  await ask(1, 'subscribe', ["tm.event='NewBlockHeader'", '1']);
  // No turn of the loop in between: the replay has only begun.
  await world.commit();
  await settled();
  await world.commit();
  const heights = socket.take().map(({ result }) => Number(result.data.value.header.height));
  expect(heights).toEqual(Array.from({ length: world.chain.reader.head() }, (_, i) => i + 1));
  session.closed();
});

test('a slow reader of history gets the height at which to resume for each subscription', async () => {
  const { ask, socket } = open();
  await ask('live', 'subscribe', { query: "tm.event='NewBlock'" });
  socket.unread = 256 * 1024;
  await ask('past', 'subscribe', { query: "tm.event='NewBlockHeader'", from_height: '1' });
  socket.unread = OUTBOX_BYTES_MAX;
  const { block } = await world.commit();
  expect(socket.take().map(({ id, error }) => [id, error.data])).toEqual([
    ['live', `subscription was canceled (reason: slow client, resume from height ${block.header.height})`],
    ['past', 'subscription was canceled (reason: slow client, resume from height 1)'],
  ]);
  expect(socket.closedWith).toEqual({ code: 1013, reason: 'slow client, resume from height 1' });
});

test('history is sent only as fast as the client reads', async () => {
  const { ask, session, socket } = open();
  await ask(1, 'subscribe', { query: "tm.event='NewBlockHeader'", from_height: '1' });
  socket.unread = 256 * 1024;
  await settled();
  const before = socket.take().length;
  expect(before).toBeLessThan(world.chain.reader.head());
  socket.unread = 0;
  session.drained();
  await settled();
  expect(before + socket.take().length).toBe(world.chain.reader.head());
  expect(socket.closedWith).toBeUndefined();
  session.closed();
});

test('a past that the drive does not give back ends the subscription alone, and the operator hears why', async () => {
  const socket = new FakeSocket();
  const chain = readerWith(world.ctx.chain, {
    block() {
      throw new StorageFault('record altered', Uint8Array.of(1));
    },
  });
  const session = new CometSession({ ...world.ctx, chain }, socket, '127.0.0.1:1');
  const notes: string[] = [];
  const leave = world.ctx.hub.listen((event) => {
    if (event.kind === 'note') notes.push(`${event.level} ${event.text}`);
  });
  const subscribe = (id: number, params: object) =>
    session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params }));
  await subscribe(1, { query: "tm.event='NewBlockHeader'" });
  await subscribe(2, { query: "tm.event='NewBlock'", from_height: '1' });
  await settled();
  leave();
  expect(session.isReplaying).toBe(false);
  expect(socket.take().map(({ id, error }) => [id, error?.data])).toEqual([
    [1, undefined],
    [2, undefined],
    [2, 'subscription was canceled (reason: the past cannot be read)'],
  ]);
  expect(notes).toEqual(['error subscribe: storage fault: record altered (record 01)']);
  await world.commit();
  expect(socket.take().map(({ id }) => id)).toEqual([1]);
  session.closed();
});

test('a height that is no number of a block to come is refused', async () => {
  const { ask, session } = open();
  const refusal = async (from_height: unknown) =>
    (await ask(1, 'subscribe', { query: "tm.event='Tx'", from_height })).error?.data;
  expect(await refusal('0')).toBe('height must be greater than 0, but got 0');
  expect(await refusal('-1')).toBe('height must be greater than 0, but got -1');
  expect(await refusal('9007199254740992')).toBe('height 9007199254740992 is too large');
  expect(await refusal(5)).toMatch(/^error converting json params to arguments: invalid 64-bit integer/);
  expect((await ask(1, 'subscribe', ["tm.event='Tx'", null])).result).toEqual({});
  expect((await ask(1, 'subscribe', ["tm.event='Vote'", '9007199254740991'])).result).toEqual({});
  session.closed();
});

test('a standard subscriber never meets the extension', async () => {
  const { ask, session, socket } = open();
  await ask(1, 'subscribe', ["tm.event='NewBlockHeader'"]);
  await world.commit();
  expect(Object.keys(socket.take()[0].result)).toEqual(['query', 'data', 'events']);
  session.closed();
});
