import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { type Bytes, joined } from '../../../core/lib/bytes.ts';
import type { Result } from '../../../core/lib/result.ts';
import { CHANNEL_SPECS } from '../../../core/p2p/channels.ts';
import { Connection } from '../../../core/p2p/connection.ts';
import { DelimitedReader, delimited } from '../../../core/p2p/delimited.ts';
import { decodeNodeInfo, encodeNodeInfo } from '../../../core/p2p/nodeInfo.ts';
import {
  decodeAuth,
  decodeKey,
  decodePacket,
  encodeAuth,
  encodeKey,
  encodePacket,
} from '../../../core/p2p/packets.ts';
import { decodePexMessage, encodePexMessage, type PexMessage } from '../../../core/p2p/pexMessages.ts';
import type { NodeInfo } from '../../../core/types/peer.ts';

type Decoder = readonly [string, (bytes: Bytes) => Result<unknown, unknown>, readonly Bytes[]];

const INFO: NodeInfo = {
  protocol: { p2p: 8, block: 11, app: 1 },
  id: 'ab'.repeat(20),
  listenAddress: 'tcp://1.2.3.4:26656',
  network: 'chain_9000-1',
  version: '1.0',
  channels: new Uint8Array([0x20, 0x21]),
  moniker: 'm',
  other: { txIndex: 'on', rpcAddress: 'tcp://0.0.0.0:26657' },
};
const KEY = { type: 'ed25519', bytes: new Uint8Array(32).fill(7) } as const;

/** Each with real messages to start from. */
const DECODERS: readonly Decoder[] = [
  [
    'packet',
    decodePacket,
    [
      encodePacket({ kind: 'ping' }),
      encodePacket({ kind: 'pong' }),
      encodePacket({ kind: 'message', channel: 0x22, eof: true, data: new Uint8Array(30) }),
    ],
  ],
  ['auth', decodeAuth, [encodeAuth({ pubKey: KEY, signature: new Uint8Array(64) })]],
  ['key', decodeKey, [encodeKey(new Uint8Array(32).fill(9))]],
  ['node info', decodeNodeInfo, [encodeNodeInfo(INFO)]],
  [
    'pex',
    decodePexMessage,
    [
      encodePexMessage({ kind: 'request' }),
      encodePexMessage({ kind: 'addresses', addresses: [{ id: 'ab'.repeat(20), ip: '1.2.3.4', port: 9 }] }),
    ],
  ],
];

/** Random bytes, and real messages with a byte changed, cut short, or doubled. */
const mutated = (real: readonly Bytes[]): fc.Arbitrary<Bytes> =>
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.constantFrom(...real), fc.nat(), fc.nat(255), fc.constantFrom('set', 'cut', 'twice'))
      .map(([bytes, at, value, how]) => {
        const place = bytes.length === 0 ? 0 : at % bytes.length;
        if (how === 'cut') return bytes.slice(0, place);
        if (how === 'twice') return new Uint8Array([...bytes, ...bytes]);
        const changed = bytes.slice();
        changed[place] = value;
        return changed;
      }),
  );

describe('every p2p decoder', () => {
  test.each(DECODERS)('%s: a value or an error, never a throw', (_, decode, real) => {
    for (const bytes of real) expect(decode(bytes).ok).toBe(true);
    fc.assert(
      fc.property(mutated(real), (bytes) => {
        expect(typeof decode(bytes).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  test('the length reader gives back what was framed, and refuses what is too long', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 20 }), (chunks) => {
        const reader = new DelimitedReader();
        for (const chunk of chunks) {
          reader.push(chunk);
          for (let i = 0; i < 2000; i++) {
            const next = reader.next(100);
            if (!next.ok) return;
            if (next.value === undefined) break;
            expect(next.value.length).toBeLessThanOrEqual(100);
          }
        }
      }),
    );
  });
});

test('messages come out as they went in, wherever their bytes are cut', () => {
  const sizes = fc.array(fc.nat(300), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (lengths, cuts) => {
      const messages = lengths.map((length, i) => new Uint8Array(length).fill(i));
      const wire = joined(messages.map(delimited));
      const reader = new DelimitedReader();
      const got: Bytes[] = [];
      for (let at = 0, i = 0; at < wire.length; i++) {
        const size = cuts[i % cuts.length] as number;
        reader.push(wire.slice(at, at + size));
        at += size;
        for (let next = reader.next(300); next.ok && next.value !== undefined; next = reader.next(300))
          got.push(next.value);
      }
      expect(got).toEqual(messages);
      expect(reader.takeAll()).toEqual(new Uint8Array(0));
    }),
  );
});

test('a message that comes byte by byte is not copied again for each of them', () => {
  const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set');
  onTestFinished(() => set.mockRestore());
  const wire = delimited(new Uint8Array(10_000).fill(7));
  set.mockClear();
  const reader = new DelimitedReader();
  for (const byte of wire) reader.push(Uint8Array.of(byte));
  const copied = set.mock.calls.reduce((sum, [from]) => sum + (from as Bytes).length, 0);
  expect(copied).toBeLessThan(4 * wire.length);
  expect(reader.next(10_000)).toEqual({ ok: true, value: wire.slice(2) });
});

test('a framed message may have as many bytes as are allowed, and no more', () => {
  for (const size of [0, 1, 127, 128, 300]) {
    const [fits, exceeds] = [new DelimitedReader(), new DelimitedReader()];
    for (const reader of [fits, exceeds]) reader.push(delimited(new Uint8Array(size).fill(7)));
    expect(fits.next(size)).toEqual({ ok: true, value: new Uint8Array(size).fill(7) });
    if (size > 0) expect(exceeds.next(size - 1).ok).toBe(false);
  }
  const endless = new DelimitedReader();
  endless.push(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0));
  expect(endless.next(100)).toEqual({ ok: false, error: 'length prefix is too long' });
});

test('an answer holds 250 addresses, each as long as an IP can be', () => {
  const ip = '1111:2222:3333:4444:5555:6666:255.255.255.255';
  const answer = (count: number): PexMessage => ({
    kind: 'addresses',
    addresses: new Array(count).fill({ id: 'ab'.repeat(20), ip, port: 65_535 }),
  });
  expect(decodePexMessage(encodePexMessage(answer(250)))).toEqual({ ok: true, value: answer(250) });
  expect(decodePexMessage(encodePexMessage(answer(251))).ok).toBe(false);
});

/** Two connections that have shaken hands, so that the fuzz reaches the packets behind the encryption. */
function connectedPair(): [Connection, Connection] {
  const make = (n: number): Connection => {
    const seed = new Uint8Array(32).fill(n);
    const id = [...nobleSuite.sha256(nobleSuite.ed25519PublicKey(seed)).subarray(0, 20)]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    return new Connection(0, {
      suite: nobleSuite,
      nodeSeed: seed,
      ephemeralSecret: new Uint8Array(32).fill(n + 50),
      self: { ...INFO, id },
      expectedId: undefined,
      channels: CHANNEL_SPECS,
      sendRate: 1e9,
      receiveRate: 1e9,
    });
  };
  const pair: [Connection, Connection] = [make(1), make(2)];
  for (let i = 0; i < 4; i++)
    for (const [from, to] of [pair, [pair[1], pair[0]]] as const) {
      const bytes = from.take(0, 10_000);
      if (bytes !== undefined) to.onBytes(0, bytes);
    }
  return pair;
}

test('a running connection survives any message on any channel, and hands it on unchanged', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANNEL_SPECS.map((spec) => spec.id)),
      fc.uint8Array({ maxLength: 3000 }),
      (channel, bytes) => {
        const [a, b] = connectedPair();
        b.events();
        expect(a.send(channel, bytes)).toBe(true);
        b.onBytes(0, a.take(0, 100_000) ?? new Uint8Array(0));
        expect(b.events()).toEqual([{ kind: 'message', channel, bytes }]);
      },
    ),
    { numRuns: 10 },
  );
});

test('a frame changed on its way ends the connection', () => {
  const [a, b] = connectedPair();
  b.events();
  a.send(0x22, new Uint8Array(10));
  const bytes = (a.take(0, 10_000) as Uint8Array).slice();
  bytes[500] = (bytes[500] as number) ^ 1;
  b.onBytes(0, bytes);
  expect(b.events()).toEqual([{ kind: 'closed', reason: 'frame does not authenticate', isFault: true }]);
});
