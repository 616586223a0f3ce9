import { expect, test } from 'vitest';
import { encodeConsensusMessage, encodeTxsMessage } from '../../core/codec/messages.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { decodeFrame } from '../../core/node/ingress.ts';
import { decodingOnce } from '../../sim/network/decoding.ts';

const bytes = encodeConsensusMessage({
  kind: 'hasVote',
  height: 3,
  round: 0,
  type: 'prevote',
  index: 2,
});

test('equal frames of one channel are read once, and say what the core reads in them', () => {
  const decode = decodingOnce();
  const first = decode(CHANNELS.state, bytes);
  expect(first).toEqual(decodeFrame(CHANNELS.state, bytes));
  expect(decode(CHANNELS.state, bytes.slice())).toBe(first);
  expect(decode(CHANNELS.vote, bytes)).toEqual(decodeFrame(CHANNELS.vote, bytes));
  expect(decode(CHANNELS.vote, bytes).ok).toBe(false);
});

test('what was read stays what it was when the bytes it was read from change', () => {
  const decode = decodingOnce();
  const mine = bytes.slice();
  decode(CHANNELS.state, mine);
  mine[mine.length - 1] = 1;
  expect(decode(CHANNELS.state, mine)).toEqual(decodeFrame(CHANNELS.state, mine));
  expect(decode(CHANNELS.state, bytes)).toEqual(decodeFrame(CHANNELS.state, bytes));
});

test('each pool holds transactions of its own', () => {
  const decode = decodingOnce();
  const txs = encodeTxsMessage({ txs: [new Uint8Array([1, 2])] });
  expect(decode(CHANNELS.mempool, txs)).not.toBe(decode(CHANNELS.mempool, txs));
});
