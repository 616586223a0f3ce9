import { expect, test } from 'vitest';
import { encodeTxsMessage } from '../../../core/codec/messages.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { decodeFrame, frameDecoder } from '../../../core/node/ingress.ts';
import { Channels, channelSpecs, QUEUED_BYTES_MAX } from '../../../core/p2p/channels.ts';

const PAYLOAD = 10;
const MESSAGE_MAX = 1_000_000;
const made = () =>
  new Channels(
    [
      { id: 1, priority: 6, queueMax: 1_000, messageBytesMax: MESSAGE_MAX },
      { id: 2, priority: 2, queueMax: 1_000, messageBytesMax: MESSAGE_MAX },
    ],
    PAYLOAD,
  );

/** Ids of the channels of the next packets. */
const next = (channels: Channels, count: number): readonly number[] =>
  Array.from({ length: count }, () => {
    const packet = channels.nextPacket();
    return packet?.kind === 'message' ? packet.channel : 0;
  });
const countOf = (list: readonly number[], id: number): number => list.filter((one) => one === id).length;

test('channels share the wire by their priorities', () => {
  const channels = made();
  for (const id of [1, 2]) for (let i = 0; i < 200; i++) channels.enqueue(id, new Uint8Array(PAYLOAD));
  expect(countOf(next(channels, 80), 1)).toBe(60);
});

test('what a channel has sent long ago is forgotten with time', () => {
  const channels = made();
  for (let i = 0; i < 200; i++) channels.enqueue(2, new Uint8Array(PAYLOAD));
  next(channels, 100);
  for (let i = 0; i < 60; i++) channels.decay();
  for (let i = 0; i < 100; i++) channels.enqueue(1, new Uint8Array(PAYLOAD));
  expect(countOf(next(channels, 40), 1)).toBeLessThan(35);
});

test('what has left makes room for more', () => {
  const channels = made();
  for (let i = 0; i < 3; i++) {
    expect(channels.enqueue(1, new Uint8Array(QUEUED_BYTES_MAX))).toBe(true);
    expect(channels.enqueue(2, new Uint8Array(1))).toBe(false);
    while (channels.waiting > 0) channels.nextPacket();
  }
});

test('a channel queues at most queueMax messages, independent of other channels', () => {
  const specs = [1, 2].map((id) => ({ id, priority: 1, queueMax: 3, messageBytesMax: MESSAGE_MAX }));
  const channels = new Channels(specs, PAYLOAD);
  const taken = (id: number) => channels.enqueue(id, new Uint8Array(1));
  expect([1, 1, 1, 1, 2].map(taken)).toEqual([true, true, true, false, true]);
  expect(next(channels, 1)).toEqual([1]);
  expect([1, 1].map(taken)).toEqual([true, false]);
});

test('a vote or a part that waits is not queued again, unlike what may have been outdated in between', () => {
  const channels = new Channels(channelSpecs(1_000), PAYLOAD);
  const message = (last: number): Uint8Array => new Uint8Array(3 * PAYLOAD).fill(last, -1);
  for (const id of [CHANNELS.data, CHANNELS.vote, CHANNELS.state]) {
    for (const last of [1, 2, 1]) expect(channels.enqueue(id, message(last))).toBe(true);
    expect(channels.waiting).toBe(id === CHANNELS.state ? 3 : 2);
    while (channels.waiting > 0) channels.nextPacket();
    expect(channels.enqueue(id, message(1))).toBe(true);
    while (channels.waiting > 0) channels.nextPacket();
  }
});

test('the size limit of a message holds for the sum of its packets', () => {
  const channels = made();
  const piece = new Uint8Array(MESSAGE_MAX / 2);
  expect(channels.receive(1, piece, false)).toMatchObject({ ok: true });
  expect(channels.receive(1, piece, false)).toMatchObject({ ok: true });
  expect(channels.receive(1, new Uint8Array(1), true)).toMatchObject({
    error: `message on channel 0x01 exceeds ${MESSAGE_MAX} bytes`,
  });
});

test('a mempool message as large as the node’s own txBytesMax is taken, and refused by a node with a smaller limit', () => {
  const txBytesMax = 2_000_000;
  const wire = encodeTxsMessage({ txs: [new Uint8Array(txBytesMax)] });
  const received = new Channels(channelSpecs(txBytesMax), wire.length).receive(CHANNELS.mempool, wire, true);
  expect(received).toEqual({ ok: true, value: wire });
  expect(frameDecoder(txBytesMax)(CHANNELS.mempool, wire)).toMatchObject({ ok: true });
  expect(frameDecoder(txBytesMax - 16)(CHANNELS.mempool, wire).ok).toBe(false);
  expect(decodeFrame(CHANNELS.mempool, wire).ok).toBe(false);
});

test('unfinishedBytes counts the bytes of incomplete messages on all channels', () => {
  const channels = made();
  const held = [channels.unfinishedBytes];
  for (const [id, eof] of [
    [1, false],
    [2, false],
    [1, true],
    [2, true],
  ] as const) {
    channels.receive(id, new Uint8Array(100), eof);
    held.push(channels.unfinishedBytes);
  }
  expect(held).toEqual([0, 100, 200, 100, 0]);
});
