import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeBlocksyncMessage,
  encodeConsensusMessage,
  encodeEvidenceMessage,
  encodeTxsMessage,
} from '../../../core/codec/messages.ts';
import { decodeLogRecord, encodeLogRecord } from '../../../core/consensus/log.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { channelOf, decodeFrame, type PeerMessage } from '../../../core/node/ingress.ts';
import * as any from '../codec/arbitraries.ts';

const encoded = (message: PeerMessage): Bytes => {
  switch (message.channel) {
    case 'consensus':
      return encodeConsensusMessage(message.message);
    case 'mempool':
      return encodeTxsMessage({ txs: message.txs });
    case 'evidence':
      return encodeEvidenceMessage(message.evidence);
    case 'blocksync':
      return encodeBlocksyncMessage(message.message);
  }
};

const txs = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 });
const MESSAGES: readonly [string, fc.Arbitrary<readonly [number, Bytes]>][] = [
  ['consensus', any.consensusMessage.map((one) => [channelOf(one), encodeConsensusMessage(one)] as const)],
  ['mempool', txs.map((list) => [CHANNELS.mempool, encodeTxsMessage({ txs: list })] as const)],
  [
    'evidence',
    fc
      .array(any.evidence, { maxLength: 2 })
      .map((list) => [CHANNELS.evidence, encodeEvidenceMessage(list)] as const),
  ],
  [
    'block sync',
    any.blocksyncMessage.map((one) => [CHANNELS.blocksync, encodeBlocksyncMessage(one)] as const),
  ],
];

const change = fc.record({
  at: fc.nat(),
  byte: fc.nat(255),
  how: fc.constantFrom('set', 'cut', 'double', 'leave'),
});
function changed(bytes: Bytes, { at, byte, how }: { at: number; byte: number; how: string }): Bytes {
  const place = bytes.length === 0 ? 0 : at % bytes.length;
  if (how === 'cut') return bytes.slice(0, place);
  if (how === 'double') return Uint8Array.from([...bytes, ...bytes]);
  const copy = bytes.slice();
  if (how === 'set' && copy.length > 0) copy[place] = byte;
  return copy;
}

describe('a frame of a peer', () => {
  test.each(MESSAGES)('of %s, damaged, is a reason or a message, and that encodes to itself', (_, real) => {
    let taken = 0;
    fc.assert(
      fc.property(real, change, ([channel, bytes], how) => {
        const first = decodeFrame(channel, changed(bytes, how));
        if (!first.ok) {
          expect(first.error).not.toBe('');
          return;
        }
        taken += 1;
        expect(decodeFrame(channel, encoded(first.value))).toEqual(first);
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  test.each(MESSAGES)('of %s on a channel that is not its own is no such message there', (_, real) => {
    const others = [...Object.values(CHANNELS), 0x77];
    fc.assert(
      fc.property(real, fc.constantFrom(...others), ([channel, bytes], other) => {
        const there = decodeFrame(other, bytes);
        if (other !== channel && there.ok && there.value.channel === 'consensus')
          expect(channelOf(there.value.message)).toBe(other);
      }),
      { numRuns: 200 },
    );
  });

  test('claims no more memory than it brings: a length of gigabytes in front of nothing is refused', () => {
    const huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for (const channel of Object.values(CHANNELS))
      for (let field = 1; field < 16; field++)
        expect(decodeFrame(channel, Uint8Array.from([(field << 3) | 2, ...huge])).ok).toBe(false);
  });
});

test('a damaged record of the log is an error or an entry, and that is written again as it was', () => {
  const entry = fc.oneof(
    any.vote.map((vote) => ({ kind: 'vote' as const, peer: 'p', vote })),
    any.proposal.map((proposal) => ({ kind: 'proposal' as const, peer: '', proposal })),
    any.part.map((part) => ({ kind: 'part' as const, peer: 'q', round: 1, part })),
  );
  fc.assert(
    fc.property(entry, change, (real, how) => {
      const record = encodeLogRecord(5, 1_700_000_000_000_000, real);
      const decoded = decodeLogRecord({ height: 5, bytes: changed(record.bytes, how) });
      if (!decoded.ok) {
        expect(decoded.error.code).toBe('log');
        return;
      }
      const again = encodeLogRecord(5, decoded.value.now, decoded.value.entry);
      expect(decodeLogRecord(again)).toEqual(decoded);
    }),
    { numRuns: 300 },
  );
});
