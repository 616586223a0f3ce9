import { expect, test } from 'vitest';
import { PacedInputs } from '../../../adapters/tcp/pacedInputs.ts';
import { decodeTxsMessage, encodeTxsMessage } from '../../../core/codec/messages.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const frame = (i: number, bytes = 1) =>
  ({ kind: 'frame', peer: 'p', channel: 0x30, bytes: new Uint8Array(bytes).fill(i & 255) }) as const;

test('transactions are handed on a few a turn, in order, and all of them', async () => {
  const got: number[] = [];
  const paced = new PacedInputs(({ bytes }) => got.push(bytes[0] as number));
  for (let i = 0; i < 20; i++) paced.push(frame(i));
  expect(got).toEqual([]);
  await turn();
  expect(got).toHaveLength(8);
  for (let i = 0; i < 4; i++) await turn();
  expect(got).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('at most 4096 inputs and 16 MiB wait', async () => {
  let count = 0;
  const paced = new PacedInputs(() => {
    count += 1;
  });
  for (let i = 0; i < 5000; i++) paced.push(frame(i));
  for (let i = 0; i < 700; i++) await turn();
  expect(count).toBe(4096);
  count = 0;
  for (let i = 0; i < 40; i++) paced.push(frame(i, 1 << 20));
  for (let i = 0; i < 10; i++) await turn();
  expect(count).toBe(16);
});

test('a message with many transactions is split into pieces of eight, one a turn', async () => {
  const txs = Array.from({ length: 20 }, (_, i) => new Uint8Array([i]));
  const got: number[] = [];
  const paced = new PacedInputs(({ bytes }) => {
    const decoded = decodeTxsMessage(bytes);
    if (decoded.ok) got.push(...decoded.value.txs.map((tx) => tx[0] as number));
  });
  paced.push({ kind: 'frame', peer: 'p', channel: 0x30, bytes: encodeTxsMessage({ txs }) });
  await turn();
  expect(got).toHaveLength(8);
  await turn();
  await turn();
  expect(got).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('a peer is full at 1024 waiting inputs or 4 MiB, independent of other peers', async () => {
  const paced = new PacedInputs(() => {});
  const isFull = (): readonly boolean[] => ['p', 'q'].map((peer) => paced.isFullOf(peer));
  for (let i = 0; i < 1023; i++) paced.push(frame(i));
  expect(isFull()).toEqual([false, false]);
  paced.push(frame(0));
  expect(isFull()).toEqual([true, false]);
  await turn();
  expect(isFull()).toEqual([false, false]);
  for (let i = 0; i < 4; i++) paced.push({ ...frame(i, 1 << 20), peer: 'q' });
  expect(isFull()).toEqual([false, true]);
  for (let i = 0; i < 140; i++) await turn();
  expect(isFull()).toEqual([false, false]);
});

test('peers take turns, even if one has many waiting inputs', async () => {
  const got: string[] = [];
  const paced = new PacedInputs(({ peer, bytes }) => got.push(`${peer}${bytes[0]}`));
  for (let i = 0; i < 100; i++) paced.push({ ...frame(i), peer: 'flood' });
  for (let i = 0; i < 3; i++) paced.push({ ...frame(i), peer: 'calm' });
  await turn();
  expect(got).toEqual(['flood0', 'calm0', 'flood1', 'calm1', 'flood2', 'calm2', 'flood3', 'flood4']);
});

test.each([
  ['transactions', 1500, 1],
  ['bytes', 6, 1 << 20],
])('with too many %s waiting, only the flooding peers lose inputs', async (_, each, bytes) => {
  const got = new Map<string, number>();
  const paced = new PacedInputs(({ peer }) => got.set(peer, (got.get(peer) ?? 0) + 1));
  paced.push({ ...frame(0), peer: 'before' });
  for (let i = 0; i < each; i++) {
    for (const peer of ['a', 'b', 'c', 'd']) paced.push({ ...frame(i, bytes), peer });
  }
  paced.push({ ...frame(0), peer: 'after' });
  for (let i = 0; i < 700; i++) await turn();
  expect(got.get('before')).toBe(1);
  expect(got.get('after')).toBe(1);
  for (const peer of ['a', 'b', 'c', 'd']) expect(got.get(peer)).toBeGreaterThanOrEqual(Math.floor(each / 2));
  expect([...got.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(4 * each);
});
