import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeTxsMessage } from '../../../core/codec/messages.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { USUAL_SIZES } from '../../../core/lib/sizes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { frameDecoder } from '../../../core/node/ingress.ts';
import { RelayLine, type RelayTx } from '../../../core/p2p/relayLine.ts';
import { TxRelay } from '../../../core/p2p/txRelay.ts';

const TICK_MS = 20;

/** A pool, a relay, and a wire that the test holds. */
class World {
  readonly pool = new Map<string, RelayTx>();
  readonly relay: TxRelay;
  readonly late = new Set<string>();
  /** Peer, and first bytes of the transactions, of each message. */
  sent: [string, number[]][] = [];
  raw: [string, Uint8Array][] = [];
  now = 0;
  ticks = 0;
  #timers: { at: number; turn: number }[] = [];
  #sequence = 0;

  constructor(self = 'm', poolTxsMax = 5000, txBytesMax = 1_048_576) {
    this.relay = new TxRelay({
      self,
      sha256: nobleSuite.sha256,
      pooled: (key) => this.pool.get(key),
      poolTxsMax,
      txBytesMax,
      isReady: (peer) => !this.late.has(peer),
    });
  }

  readonly out = {
    send: (peer: string, message: Uint8Array): void => {
      const decoded = decodeTxsMessage(message);
      if (!decoded.ok) throw new Error(decoded.error.message);
      this.raw.push([peer, message]);
      this.sent.push([peer, decoded.value.txs.map((tx) => ((tx[0] as number) << 8) | (tx[1] as number))]);
    },
    tickAfter: (afterMs: number, turn: number): void => {
      this.#timers.push({ at: this.now + afterMs, turn });
    },
  };

  up(...peers: string[]): void {
    for (const peer of peers) this.relay.onPeerUp(peer, [...this.pool.values()]);
    this.relay.flush(this.out);
  }

  tx(i: number, bytes = 4): RelayTx {
    const data = new Uint8Array(bytes).fill(7);
    data[0] = i >> 8;
    data[1] = i & 255;
    return { bytes: data, key: toHex(nobleSuite.sha256(data)), sequence: this.#sequence++ };
  }

  /** Into the pool: from a client, or from these peers. */
  add(tx: RelayTx, ...from: string[]): void {
    for (const peer of from) this.relay.onHeard(peer, tx.key);
    this.pool.set(tx.key, tx);
    this.relay.offer(tx);
    this.relay.flush(this.out);
  }

  unsent(peer: string, message: Uint8Array): void {
    this.relay.onUnsent(peer, message);
    this.relay.flush(this.out);
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass; what was sent in it. */
  pass(ms: number): readonly (readonly [string, readonly number[]])[] {
    this.run(ms);
    return this.taken();
  }

  run(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      this.#timers.sort((a, b) => a.at - b.at);
      const next = this.#timers[0];
      if (next === undefined || next.at > until) break;
      this.#timers.shift();
      this.now = next.at;
      this.ticks += 1;
      this.relay.onTick(next.turn, this.out);
    }
    this.now = until;
  }

  taken(): readonly (readonly [string, readonly number[]])[] {
    const { sent } = this;
    [this.sent, this.raw] = [[], []];
    return sent;
  }
}

test("a client's transaction is sent at once on a quiet line, and later ones are joined into messages", () => {
  const world = new World();
  world.up('a', 'b');
  world.add(world.tx(1));
  expect(world.taken()).toEqual([
    ['a', [1]],
    ['b', [1]],
  ]);
  world.add(world.tx(2));
  world.add(world.tx(3));
  expect(world.pass(2 * TICK_MS - 1)).toEqual([]);
  expect(world.pass(1)).toEqual([
    ['a', [2, 3]],
    ['b', [2, 3]],
  ]);
  expect(world.pass(10_000)).toEqual([]);
  expect(world.timers).toBe(0);
  world.add(world.tx(4));
  expect(world.taken()).toHaveLength(2);
});

test('a transaction is not sent to a peer that sent it while it waited', () => {
  const world = new World();
  world.up('a', 'b', 'z');
  const tx = world.tx(1);
  world.add(tx, 'a');
  world.relay.onHeard('z', tx.key);
  expect(world.pass(1000)).toEqual([['b', [1]]]);
});

test.each([
  [9_999, 'is remembered', []],
  [10_000, 'is forgotten', [['a', [1]]]],
])('what a peer has sent before %i others %s', (others, _, told) => {
  const world = new World();
  world.up('a');
  const tx = world.tx(1);
  world.relay.onHeard('a', tx.key);
  for (let i = 0; i < others; i++) world.relay.onHeard('a', `other ${i}`);
  world.add(tx);
  expect(world.pass(1000)).toEqual(told);
});

test('of two nodes that got a transaction from a third, only the lower id relays it to the other', () => {
  const [low, high] = [new World('a'), new World('b')];
  low.up('b');
  high.up('a');
  const tx = low.tx(7);
  low.add(tx, 'c');
  high.add(tx, 'c');
  expect(high.pass(3 * TICK_MS)).toEqual([]);
  expect(low.pass(3 * TICK_MS)).toEqual([['b', [7]]]);
  high.relay.onHeard('a', tx.key);
  expect(high.pass(1000)).toEqual([]);
});

test('a peer that connects late gets the whole pool, a turn at a time, in the order of arrival', () => {
  const world = new World();
  for (let i = 0; i < 600; i++) world.add(world.tx(i));
  world.up('late');
  const first = world.pass(4 * TICK_MS).flatMap(([, txs]) => txs);
  expect(first.length).toBeLessThan(600);
  const rest = world.pass(1000);
  expect([...first, ...rest.flatMap(([, txs]) => txs)]).toEqual(Array.from({ length: 600 }, (_, i) => i));
  expect(Math.max(...rest.map(([, txs]) => txs.length))).toBe(32);
});

test.each(['c', 'z'])(
  'transactions for peer %s are not delayed by a steady stream of further ones',
  (peer) => {
    const world = new World();
    world.up('a', peer);
    for (let i = 0; i < 30; i++) {
      world.add(world.tx(i), 'a');
      world.run(TICK_MS / 2);
    }
    const told = world.taken().flatMap(([to, txs]) => (to === peer ? txs : []));
    expect(told.length).toBeGreaterThan(20);
    expect(told).toEqual(told.map((_, i) => i));
  },
);

test('a transaction larger than a turn is sent alone, and the ones behind it follow', () => {
  const world = new World();
  for (const [i, bytes] of [4, 600 * 1024, 4].entries()) world.add(world.tx(i, bytes));
  world.up('a');
  world.run(10 * TICK_MS);
  expect(world.taken().flatMap(([, txs]) => txs)).toEqual([0, 1, 2]);
});

test('transactions that do not fit into a turn are sent two ticks later', () => {
  const world = new World();
  for (let i = 0; i < 600; i++) world.add(world.tx(i));
  world.up('late');
  const turns: number[] = [];
  for (let tick = 0; tick < 10; tick++) turns.push(world.pass(TICK_MS).flatMap(([, txs]) => txs).length);
  const first = turns.findIndex((count) => count > 0);
  expect(turns.slice(first, first + 6)).toEqual([256, 0, 256, 0, 88, 0]);
});

test('with full turns, own and relayed transactions are sent in order of arrival', () => {
  const world = new World();
  const line = new RelayLine('a', () => true, 100, { ...USUAL_SIZES, atOnce: () => 1 });
  const left: number[] = [];
  for (let i = 0; i < 10; i++) {
    line.addHeard(world.tx(2 * i), 0);
    line.addOwn(world.tx(2 * i + 1));
    left.push(...line.take(() => false).map(({ sequence }) => sequence));
    line.quietTicks = 2;
    line.pass(2);
  }
  expect(left).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a line holds each transaction once, and drops those that left the pool when it is too long', () => {
  const pool = new Set<RelayTx>();
  const world = new World();
  const line = new RelayLine('a', (tx) => pool.has(tx), 4);
  const txs = Array.from({ length: 50 }, (_, i) => world.tx(i));
  for (const tx of txs) {
    pool.add(tx);
    line.addOwn(tx);
    line.addHeard(tx, 1);
    if (tx.sequence > 0) pool.delete(txs[tx.sequence - 1] as RelayTx);
    expect(line.size).toBeLessThanOrEqual(4);
  }
  for (let i = 0; i < 3; i++) line.takeBack([...pool]);
  line.pass(1);
  expect(line.take(() => false)).toEqual([txs[49]]);
  expect(line.size).toBe(0);
});

test('after a reconnection, a peer is sent transactions that it once sent itself', () => {
  const world = new World();
  world.up('a');
  world.add(world.tx(1), 'a');
  expect(world.pass(1000)).toEqual([]);
  world.relay.onPeerDown('a');
  world.up('a');
  expect(world.pass(1000)).toEqual([['a', [1]]]);
});

test('a peer that is behind gets nothing, and everything once it has caught up', () => {
  const world = new World();
  world.late.add('a');
  world.up('a');
  world.add(world.tx(1));
  world.add(world.tx(2));
  const asked = world.ticks;
  expect(world.pass(5000)).toEqual([]);
  // Every half second, and no more often.
  expect(world.ticks - asked).toBeLessThanOrEqual(10);
  world.late.clear();
  expect(world.pass(1000)).toEqual([['a', [1, 2]]]);
});

test('a message that found no room is sent again after half a second', () => {
  const world = new World();
  world.up('p');
  world.add(world.tx(1));
  const [message] = world.raw;
  world.taken();
  world.unsent('p', message?.[1] as Uint8Array);
  expect(world.pass(480)).toEqual([]);
  expect(world.pass(20)).toEqual([['p', [1]]]);
});

test('the retry after half a second is not delayed by traffic to other peers', () => {
  const world = new World();
  world.up('p', 'q');
  world.add(world.tx(1));
  const message = world.raw.find(([peer]) => peer === 'p')?.[1] as Uint8Array;
  world.pass(200);
  world.unsent('p', message);
  for (let i = 2; i < 4; i++) {
    world.add(world.tx(i), 'p');
    expect(world.pass(200)).toEqual([['q', [i]]]);
  }
  expect(world.pass(80)).toEqual([]);
  expect(world.pass(20)).toEqual([['p', [1]]]);
});

test('transactions that left the pool are not sent, and do not accumulate for a peer that is behind', () => {
  const world = new World('m', 10);
  world.late.add('a');
  world.up('a');
  for (let i = 0; i < 1000; i++) {
    const tx = world.tx(i);
    world.add(tx);
    if (i < 995) world.pool.delete(tx.key);
  }
  world.late.clear();
  expect(world.pass(1000)).toEqual([['a', [995, 996, 997, 998, 999]]]);
});

test('large transactions are spread over messages and turns', () => {
  const world = new World();
  world.up('a');
  for (let i = 0; i < 20; i++) world.add(world.tx(i, 60_000));
  const [first] = world.taken();
  expect(first).toEqual(['a', [0]]);
  const turn = world.pass(2 * TICK_MS);
  expect(turn.every(([, txs]) => txs.length === 1)).toBe(true);
  expect(turn.length).toBeLessThan(10);
  expect(world.pass(1000).at(-1)).toEqual(['a', [19]]);
});

test.each([100, 1000, 20_000])(
  'no message is larger than peers take whose pools take transactions of %i bytes',
  (txBytesMax) => {
    const world = new World('m', 5000, txBytesMax);
    const readable = frameDecoder(txBytesMax);
    for (let i = 0; i < 200; i++)
      world.add(world.tx(i, [txBytesMax, 4, 50, txBytesMax / 10, txBytesMax / 2][i % 5]));
    world.up('a');
    world.run(2000);
    for (const [, message] of world.raw) expect(readable(CHANNELS.mempool, message).ok).toBe(true);
    expect(world.raw.length).toBeLessThan(160);
    expect(world.taken().flatMap(([, txs]) => txs)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  },
);

test('with any refusals of the send queue, every pooled transaction reaches every peer', () => {
  const op = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), from: fc.constantFrom('', 'a', 'b') }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(120) }),
    fc.record({ kind: fc.constant('leave' as const), index: fc.nat(30) }),
    fc.record({ kind: fc.constant('full' as const), peer: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('free' as const), peer: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('back' as const), peer: fc.constantFrom('a', 'b') }),
  );
  fc.assert(
    fc.property(fc.array(op, { maxLength: 60 }), (ops) => {
      const world = new World('m', 20);
      const full = new Set<string>();
      const got = new Map<string, Set<number>>([
        ['a', new Set()],
        ['b', new Set()],
      ]);
      const settle = (): void => {
        for (let { raw, sent } = world; raw.length > 0; { raw, sent } = world) {
          world.taken();
          for (const [i, [peer, message]] of raw.entries()) {
            const txs = sent[i]?.[1] ?? [];
            expect(txs).toEqual([...txs].sort((x, y) => x - y));
            if (full.has(peer)) world.unsent(peer, message);
            else for (const tx of txs) got.get(peer)?.add(tx);
          }
        }
      };
      const run = (ms: number): void => {
        for (let done = 0; done < ms; done += 10) {
          world.run(10);
          settle();
        }
      };
      world.up('a', 'b');
      let count = 0;
      for (const one of ops) {
        if (one.kind === 'add' && world.pool.size < 20) {
          if (one.from !== '') got.get(one.from)?.add(count);
          world.add(world.tx(count++), ...(one.from === '' ? [] : [one.from]));
        } else if (one.kind === 'leave') {
          const key = [...world.pool.keys()][one.index];
          if (key !== undefined) world.pool.delete(key);
        } else if (one.kind === 'full') full.add(one.peer);
        else if (one.kind === 'free') full.delete(one.peer);
        else if (one.kind === 'back') {
          world.relay.onPeerDown(one.peer);
          got.get(one.peer)?.clear();
          world.up(one.peer);
        }
        settle();
        if (one.kind === 'pass') run(one.ms);
      }
      full.clear();
      run(3000);
      for (const known of got.values()) {
        for (const { bytes } of world.pool.values()) expect(known).toContain(bytes[1]);
      }
    }),
  );
});
