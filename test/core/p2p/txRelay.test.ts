import { expect, test } from 'vitest';
import { decodeTxsMessage, encodeTxsMessage } from '../../../core/codec/messages.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { TxRelay } from '../../../core/p2p/txRelay.ts';

const tx = (i: number, bytes = 4): Uint8Array => new Uint8Array(bytes).fill(i & 255).fill(i >> 8, 0, 1);
const message = (...txs: Uint8Array[]): Uint8Array => encodeTxsMessage({ txs });
const relay = (self = 'm'): TxRelay => new TxRelay(self, nobleSuite.sha256);

/** What leaves by then, as peer and first bytes of the transactions. */
function sent(from: TxRelay, now: number): readonly (readonly [string, readonly number[]])[] {
  return from.due(now).map(({ to, message: bytes }) => {
    const decoded = decodeTxsMessage(bytes);
    if (!decoded.ok) throw new Error(decoded.error.message);
    return [to, decoded.value.txs.map((one) => one[1] as number)] as const;
  });
}

test('on a quiet line a transaction of our own goes at once, those that follow are joined', () => {
  const own = relay();
  own.send(1_000_000, ['a', 'b'], message(tx(1)));
  expect(own.wakeAt()).toBe(1_000_000);
  expect(sent(own, 1_000_000)).toEqual([
    ['a', [1]],
    ['b', [1]],
  ]);
  expect(own.wakeAt()).toBeUndefined();
  own.send(1_010_000, ['a'], message(tx(2)));
  own.send(1_020_000, ['a'], message(tx(3)));
  expect(sent(own, 1_039_999)).toEqual([]);
  expect(own.wakeAt()).toBe(1_040_000);
  expect(sent(own, 1_040_000)).toEqual([['a', [2, 3]]]);
});

test('what a peer has sent is never sent to it, however late it comes', () => {
  const node = relay();
  node.onHeard('a', [tx(1)]);
  node.send(0, ['a', 'b', 'z'], message(tx(1)));
  node.onHeard('z', [tx(1)]);
  expect(sent(node, 80_000)).toEqual([['b', [1]]]);
});

test('of two that have heard the same from a third only the lower id says it', () => {
  const [low, high] = [relay('a'), relay('b')];
  for (const [one, other] of [
    [low, 'b'],
    [high, 'a'],
  ] as const) {
    one.onHeard('c', [tx(7)]);
    one.send(0, [other], message(tx(7)));
  }
  expect(sent(high, 40_000)).toEqual([]);
  expect(sent(low, 40_000)).toEqual([['b', [7]]]);
  high.onHeard('a', [tx(7)]);
  expect(sent(high, 80_000)).toEqual([]);
  expect(high.wakeAt()).toBeUndefined();
});

test('messages are bounded in number and bytes, lines in what waits, and a peer that is gone costs nothing', () => {
  // Hashing megabytes is not what is tested.
  const node = new TxRelay('m', (bytes) => bytes.slice(0, 32));
  node.send(0, ['a'], message(...Array.from({ length: 70 }, (_, i) => tx(i))));
  expect(sent(node, 0).map(([, txs]) => txs.length)).toEqual([32, 32, 6]);
  node.send(0, ['a'], message(tx(1, 60_000), tx(2, 60_000)));
  expect(sent(node, 40_000)).toHaveLength(2);
  for (let i = 0; i < 150; i++) node.send(50_000, ['a'], message(tx(i, 60_000)));
  const bytes = node.due(80_000).reduce((sum, { message: one }) => sum + one.length, 0);
  expect(bytes).toBeLessThan(9 << 20);
  expect(bytes).toBeGreaterThan(8_000_000);
  node.send(90_000, ['a'], message(tx(5)));
  node.onDown('a');
  expect(node.wakeAt()).toBeUndefined();
});
