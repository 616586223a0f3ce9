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

test('what waits is bounded in number and in bytes', async () => {
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

test('a message with many transactions is cut to pieces of one turn', async () => {
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

test('a peer of whom much waits is not read from until some of it is handled, others are', async () => {
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
