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

test('a message with many transactions is cut to pieces of one turn, and each peer is told of what it sent', async () => {
  const txs = Array.from({ length: 20 }, (_, i) => new Uint8Array([i]));
  const got: number[] = [];
  const heard: [string, number][] = [];
  const paced = new PacedInputs(
    ({ bytes }) => {
      const decoded = decodeTxsMessage(bytes);
      if (decoded.ok) got.push(...decoded.value.txs.map((tx) => tx[0] as number));
    },
    (peer, some) => heard.push([peer, some.length]),
  );
  paced.push({ kind: 'frame', peer: 'p', channel: 0x30, bytes: encodeTxsMessage({ txs }) });
  expect(heard).toEqual([['p', 20]]);
  await turn();
  expect(got).toHaveLength(8);
  await turn();
  await turn();
  expect(got).toEqual(Array.from({ length: 20 }, (_, i) => i));
});
