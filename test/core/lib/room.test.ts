import { describe, expect, test, vi } from 'vitest';
import { Writer } from '../../../core/codec/writer.ts';
import { type Bytes, equalBytes } from '../../../core/lib/bytes.ts';
import { RecentBytes } from '../../../core/lib/recentBytes.ts';
import { Rooms } from '../../../core/lib/room.ts';

const SIZES = [0, 1, 63, 64, 65, 66, 127, 500, 1023, 1024, 1025, 2048, 2049, 20_000];

const filled = (size: number, seed: number): Bytes =>
  Uint8Array.from({ length: size }, (_, i) => i * 31 + seed);

describe('rooms', () => {
  test('no array reaches into another one', () => {
    const rooms = new Rooms();
    const kept: { readonly room: Bytes; readonly expected: Bytes }[] = [];
    for (let seed = 0; seed < 200; seed++) {
      const size = SIZES[seed % SIZES.length] as number;
      const room = rooms.take(size);
      expect(room.length).toBe(size);
      expect(room.every((byte) => byte === 0)).toBe(true);
      room.set(filled(size, seed));
      kept.push({ room, expected: filled(size, seed) });
    }
    for (const { room, expected } of kept) expect(equalBytes(room, expected)).toBe(true);
  });

  test('a message stays as it was when the next ones are written', () => {
    const writer = new Writer();
    const kept: { readonly message: Bytes; readonly expected: Bytes }[] = [];
    for (let seed = 0; seed < 300; seed++) {
      const expected = filled(SIZES[(seed * 5) % SIZES.length] as number, seed);
      for (const byte of expected.subarray(0, 40)) writer.raw(Uint8Array.of(byte));
      writer.raw(expected.subarray(40));
      kept.push({ message: writer.finish(), expected });
    }
    for (const { message, expected } of kept) expect(equalBytes(message, expected)).toBe(true);
  });

  test('a short message has a buffer of its own, longer ones share theirs', () => {
    const writer = new Writer();
    const bufferOf = (size: number): ArrayBufferLike => {
      writer.raw(new Uint8Array(size));
      return writer.finish().buffer;
    };
    const [short, one, other] = [64, 65, 65].map(bufferOf);
    expect(short?.byteLength).toBe(64);
    expect(one === other).toBe(true);
  });

  test('a buffer that a message made large is used again, unless it is too large', () => {
    const buffers = vi.spyOn(Uint8Array.prototype, 'set');
    const isUsedAgain = (size: number): boolean => {
      const writer = new Writer();
      const [one, other] = [size, 20_000].map((length) => {
        writer.raw(new Uint8Array(length));
        writer.finish();
        return buffers.mock.contexts.at(-1);
      });
      return one === other;
    };
    try {
      expect([(1 << 20) - 1024, 1 << 20].map(isUsedAgain)).toEqual([true, false]);
    } finally {
      buffers.mockRestore();
    }
  });
});

describe('equal bytes', () => {
  test('every byte counts, wherever the arrays begin in their buffers', () => {
    for (const size of [127, 128, 129, 131, 260]) {
      for (const start of [0, 1, 4]) {
        const a = filled(size + start, 7).subarray(start);
        const b = a.slice();
        expect(equalBytes(a, b)).toBe(true);
        for (let i = 0; i < size; i++) {
          b[i] = (b[i] as number) ^ 128;
          expect(equalBytes(a, b)).toBe(false);
          b[i] = (b[i] as number) ^ 128;
        }
      }
    }
  });
});

describe('recent bytes', () => {
  test('the last ones are found by content, older ones are forgotten', () => {
    const recent = new RecentBytes<number>(2);
    const changing = filled(100, 1);
    recent.add(changing, 1);
    changing[0] = 99;
    expect(recent.find(filled(100, 1))).toBe(1);
    expect(recent.find(changing)).toBeUndefined();
    recent.add(filled(100, 2), 2);
    recent.add(filled(100, 3), 3);
    expect(recent.find(filled(100, 1))).toBeUndefined();
    expect([2, 3].map((seed) => recent.find(filled(100, seed)))).toEqual([2, 3]);
  });
});
