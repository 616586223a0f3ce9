import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ed25519Address } from '../../../core/crypto/addresses.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { CHANNEL_SPECS } from '../../../core/p2p/channels.ts';
import { Connection } from '../../../core/p2p/connection.ts';
import type { ConnectionEvent, ConnectionOptions } from '../../../core/p2p/connectionContract.ts';
import { DelimitedReader, delimited } from '../../../core/p2p/delimited.ts';
import { connectionSecrets, nobleKeyExchange } from '../../../core/p2p/handshake.ts';
import { decodeKey, encodeKey } from '../../../core/p2p/packets.ts';
import { Sealer } from '../../../core/p2p/sealed.ts';
import type { NodeInfo } from '../../../core/types/peer.ts';

const seedOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const idOf = (n: number): string => toHex(ed25519Address(nobleSuite.ed25519PublicKey(seedOf(n))));

const infoOf = (n: number, change: Partial<NodeInfo> = {}): NodeInfo => ({
  protocol: { p2p: 8, block: 11, app: 0 },
  id: idOf(n),
  listenAddress: 'tcp://0.0.0.0:26656',
  network: 'chain_9000-1',
  version: '0.1.0',
  channels: Uint8Array.from(CHANNEL_SPECS.map((spec) => spec.id)),
  moniker: `node${n}`,
  other: { txIndex: 'on', rpcAddress: '' },
  ...change,
});

const connect = (n: number, change: Partial<ConnectionOptions> = {}): Connection =>
  new Connection(0, {
    suite: nobleSuite,
    nodeSeed: seedOf(n),
    ephemeralSecret: seedOf(100 + n),
    self: infoOf(n),
    expectedId: undefined,
    channels: CHANNEL_SPECS,
    sendRate: 5_120_000,
    receiveRate: 5_120_000,
    ...change,
  });

/** Carries bytes both ways, `cut` at a time, until both are silent. */
function talk(
  a: Connection,
  b: Connection,
  cut = 100_000,
  now = 0,
): { a: ConnectionEvent[]; b: ConnectionEvent[] } {
  const events = { a: [] as ConnectionEvent[], b: [] as ConnectionEvent[] };
  for (let silent = false; !silent; ) {
    silent = true;
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const bytes = from.take(now, 20_000);
      if (bytes === undefined) continue;
      silent = false;
      for (let at = 0; at < bytes.length; at += cut) to.onBytes(now, bytes.slice(at, at + cut));
    }
    events.a.push(...a.events());
    events.b.push(...b.events());
  }
  return events;
}

test('two nodes shake hands and know each other by their keys', () => {
  const events = talk(connect(1, { expectedId: idOf(2) }), connect(2));
  expect(events.a).toMatchObject([{ kind: 'ready', peer: idOf(2), info: { moniker: 'node2' } }]);
  expect(events.b).toMatchObject([{ kind: 'ready', peer: idOf(1) }]);
});

test('messages of any size arrive whole and in order on their channels, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 8 }),
      fc.integer({ min: 7, max: 4000 }),
      (sizes, cut) => {
        const [a, b] = [connect(1), connect(2)];
        talk(a, b, cut);
        for (const [i, size] of sizes.entries())
          expect(a.send(0x22, new Uint8Array(size).fill(i))).toBe(true);
        const got = talk(a, b, cut).b;
        expect(got).toEqual(
          sizes.map((size, i) => ({ kind: 'message', channel: 0x22, bytes: new Uint8Array(size).fill(i) })),
        );
      },
    ),
    { numRuns: 15 },
  );
});

test('no more is taken at once than was asked for, but for the end of a packet', () => {
  const [a, b] = [connect(1), connect(2)];
  talk(a, b);
  for (let i = 0; i < 3; i++) a.send(0x22, new Uint8Array(10).fill(i));
  for (const left of [2, 1, 0]) {
    b.onBytes(0, a.take(0, 1) as Uint8Array);
    expect(a.queued).toBe(left);
    expect(b.events()).toEqual([
      { kind: 'message', channel: 0x22, bytes: new Uint8Array(10).fill(2 - left) },
    ]);
  }
  expect(a.take(0, 1)).toBe(undefined);
});

test('a channel of higher priority overtakes one that has already sent much', () => {
  const [a, b] = [connect(1), connect(2)];
  talk(a, b);
  a.send(0x30, new Uint8Array(200_000));
  a.send(0x22, new Uint8Array(10));
  const order = talk(a, b).b.map((event) => (event.kind === 'message' ? event.channel : event));
  expect(order).toEqual([0x22, 0x30]);
});

const refused: readonly [string, () => [Connection, Connection], RegExp][] = [
  [
    'another chain',
    () => [connect(1), connect(2, { self: infoOf(2, { network: 'other-1' }) })],
    /network "other-1"/,
  ],
  [
    'another chain of almost that name',
    () => [connect(1), connect(2, { self: infoOf(2, { network: 'chain_9000-2' }) })],
    /network "chain_9000-2"/,
  ],
  [
    'another block protocol',
    () => [connect(1), connect(2, { self: infoOf(2, { protocol: { p2p: 8, block: 10, app: 0 } }) })],
    /block protocol 10/,
  ],
  ['a false node id', () => [connect(1), connect(2, { self: infoOf(2, { id: idOf(3) }) })], /claims node id/],
  ['itself', () => [connect(1), connect(1, { ephemeralSecret: seedOf(9) })], /this node itself/],
  ['not whom we dialled', () => [connect(1, { expectedId: idOf(3) }), connect(2)], /was dialled/],
  [
    'no common channel',
    () => [connect(1), connect(2, { self: infoOf(2, { channels: new Uint8Array([0x99]) }) })],
    /no channel in common/,
  ],
  [
    'on one channel twice',
    () => [connect(1), connect(2, { self: infoOf(2, { channels: new Uint8Array([0x20, 0x20]) }) })],
    /names a channel twice/,
  ],
  [
    'on more channels than there are',
    () => [
      connect(1),
      connect(2, { self: infoOf(2, { channels: new Uint8Array(17).map((_, i) => 0x20 + i) }) }),
    ],
    /17 channels, at most 16/,
  ],
  [
    'without a name',
    () => [connect(1), connect(2, { self: infoOf(2, { moniker: ' ' }) })],
    /moniker is empty/,
  ],
  [
    'of an odd name',
    () => [connect(1), connect(2, { self: infoOf(2, { moniker: 'ä' }) })],
    /moniker is empty or/,
  ],
  [
    'of an odd version',
    () => [connect(1), connect(2, { self: infoOf(2, { version: 'ä' }) })],
    /version is not/,
  ],
  [
    'of an odd index',
    () => [connect(1), connect(2, { self: infoOf(2, { other: { txIndex: 'yes', rpcAddress: '' } }) })],
    /tx_index is neither/,
  ],
  [
    'at an odd address',
    () => [connect(1), connect(2, { self: infoOf(2, { other: { txIndex: 'off', rpcAddress: 'ä' } }) })],
    /rpc_address is not/,
  ],
];

test('a peer need not say whether it has an index', () => {
  const silent = connect(2, { self: infoOf(2, { version: '', other: { txIndex: '', rpcAddress: '' } }) });
  expect(talk(connect(1), silent).a).toMatchObject([{ kind: 'ready' }]);
});

test('messages that just fill their packets arrive, whatever packets carry', () => {
  for (const payloadBytesMax of [1024, 65_536]) {
    const [a, b] = [connect(1, { payloadBytesMax }), connect(2, { payloadBytesMax })];
    talk(a, b);
    const sizes = [payloadBytesMax, payloadBytesMax + 1, 3 * payloadBytesMax];
    for (const size of sizes) a.send(0x40, new Uint8Array(size));
    expect(talk(a, b).b.map((event) => (event.kind === 'message' ? event.bytes.length : event))).toEqual(
      sizes,
    );
  }
});

test('each stage of a handshake has three seconds of its own', () => {
  const [a, b] = [connect(1), connect(2)];
  a.onBytes(2_900_000, b.take(2_900_000, 20_000) as Uint8Array);
  expect(a.deadline()).toBe(5_900_000);
  a.onTime(3_000_000);
  expect(a.events()).toEqual([]);
  a.onTime(5_900_000);
  expect(a.events()).toEqual([{ kind: 'closed', reason: 'no auth message within 3 s', isFault: false }]);
});

test('a peer that pings and does not read is cut off before the answers pile up', () => {
  const [a, b] = [connect(1), connect(2)];
  talk(a, b);
  const pinged = (times: number): void => {
    for (let i = 0; i < times; i++) {
      a.onTime((a.deadline() ?? 0) + 60_000_000);
      b.onBytes(0, a.take(0, 20_000) ?? new Uint8Array(0));
    }
  };
  pinged(64);
  expect(b.events()).toEqual([]);
  pinged(1);
  expect(b.events()).toEqual([{ kind: 'closed', reason: 'does not read what it asks for', isFault: true }]);
});

test.each(refused)('a peer that is %s is refused with a reason', (_name, make, reason) => {
  const [a, b] = make();
  const closed = talk(a, b).a.find((event) => event.kind === 'closed');
  expect(closed?.reason).toMatch(reason);
});

test('garbage, silence, an oversize message and an unknown channel close the connection', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 40, maxLength: 3000 }), (garbage) => {
      const victim = connect(1);
      victim.onBytes(0, garbage);
      victim.onTime(3_000_000);
      victim.onTime(6_000_000);
      expect(victim.events().at(-1)).toMatchObject({ kind: 'closed' });
    }),
  );
  const small = [{ id: 0x22, priority: 1, queueMax: 10, messageBytesMax: 1000 }];
  const [a, b] = [connect(1), connect(2, { channels: small })];
  talk(a, b);
  a.send(0x22, new Uint8Array(1001));
  expect(talk(a, b).b).toMatchObject([
    { kind: 'closed', reason: expect.stringMatching(/exceeds 1000 bytes/) },
  ]);
  const [c, d] = [connect(1), connect(2, { channels: small })];
  talk(c, d);
  c.send(0x30, new Uint8Array(1));
  expect(talk(c, d).b).toMatchObject([{ kind: 'closed', reason: 'unknown channel 48' }]);
});

test('a peer that stops answering pings is closed, one that answers stays', () => {
  const [a, b] = [connect(1), connect(2)];
  talk(a, b);
  a.onTime(60_000_000);
  talk(a, b, 100_000, 60_000_000);
  a.onTime(105_000_000);
  expect(a.events()).toEqual([]);
  a.onTime(121_000_000);
  a.onTime(166_000_000);
  expect(a.events()).toEqual([{ kind: 'closed', reason: 'no pong within 45 s', isFault: false }]);
});

test('a host that was held up, or does not read, looks once more before it calls a peer gone', () => {
  const [a, b] = [connect(1, { pingMs: 1000, pongMsMax: 2000 }), connect(2)];
  talk(a, b);
  a.onTime(1_000_000);
  a.onTime(3_000_000, false);
  expect(a.events()).toEqual([]);
  // Stopped for a minute: the pong has been waiting in the socket.
  a.onTime(60_000_000);
  expect(a.events()).toEqual([]);
  talk(a, b, 100_000, 60_000_000);
  a.onTime(61_500_000);
  expect(a.events()).toEqual([]);
  a.onTime(63_500_000);
  expect(a.events()).toEqual([{ kind: 'closed', reason: 'no pong within 2 s', isFault: false }]);
});

test('the send rate is kept and the receiver asks for a pause', () => {
  const [a, b] = [connect(1, { sendRate: 10_000 }), connect(2, { receiveRate: 10_000 })];
  talk(a, b);
  a.send(0x22, new Uint8Array(60_000));
  talk(a, b);
  expect(a.sendPauseMicros(0)).toBeGreaterThan(0);
  expect(b.readPauseMicros(0)).toBeGreaterThan(0);
  expect(b.readPauseMicros(60_000_000)).toBe(0);
});

test('a peer may announce no more than a message that says who it is before it has said so', () => {
  const b = connect(2);
  const secret = seedOf(9);
  const reader = new DelimitedReader();
  reader.push(b.take(0, 1000) as Uint8Array);
  const theirs = reader.next(1000);
  if (!theirs.ok) throw new Error(theirs.error);
  const key = decodeKey(theirs.value as Uint8Array);
  const secrets = key.ok ? connectionSecrets(secret, key.value.value) : key;
  if (!secrets.ok) throw new Error('no keys');
  b.onBytes(0, delimited(encodeKey(nobleKeyExchange.publicKey(secret))));
  expect(b.events()).toEqual([]);
  // The first two bytes of a message of 1025.
  b.onBytes(0, new Sealer(secrets.value.sendKey).seal(delimited(new Uint8Array(1025)).subarray(0, 2)));
  const reason = 'message of 1025 bytes, at most 1024 are allowed';
  expect(b.events()).toEqual([{ kind: 'closed', reason, isFault: true }]);
});

test('packets count against the receive rate even if nothing is in them', () => {
  const [a, b] = [connect(1), connect(2, { receiveRate: 20_000 })];
  talk(a, b);
  for (let i = 0; i < 1000; i++) a.send(0x40, new Uint8Array(0));
  expect(talk(a, b).b).toHaveLength(1000);
  // 64 bytes each, of which the burst of a second is free.
  expect(b.readPauseMicros(0)).toBeGreaterThan(2_000_000);
});
