import { describe, expect, test } from 'vitest';
import { gethVmError } from '../../../../core/app/evm/vmError.ts';

const at = (opcode: number, ...stack: bigint[]) => ({
  code: Uint8Array.of(0x5b, opcode),
  programCounter: 1,
  opCode: opcode,
  stack: { getStack: () => stack },
});

describe('texts of the virtual machine', () => {
  test("an invalid jump has geth's message, without the position that the library adds", () => {
    const text = `invalid JUMP at 0x${'ab'.repeat(32)}/0x${'01'.repeat(20)}:3`;
    expect(gethVmError(text, at(0x57))).toBe('invalid jump destination');
  });

  test('an undefined opcode is named by its byte', () => {
    expect(gethVmError('invalid opcode', at(0x0c))).toBe('invalid opcode: opcode 0xc not defined');
    expect(gethVmError('invalid opcode', at(0xfe))).toBe('invalid opcode: INVALID');
    expect(gethVmError('invalid opcode', at(0xe0))).toBe('invalid opcode: RJUMP');
  });

  test.each([
    [0x01, [1n], 'stack underflow (1 <=> 2)'],
    [0x8f, [], 'stack underflow (0 <=> 16)'],
    [0x90, [1n], 'stack underflow (1 <=> 2)'],
    [0xa4, [1n, 2n], 'stack underflow (2 <=> 6)'],
    [0xf1, [], 'stack underflow (0 <=> 7)'],
    [0x5f, Array(1024).fill(0n), 'stack limit reached 1024 (1023)'],
    [0x80, Array(1024).fill(0n), 'stack limit reached 1024 (1023)'],
    [0x01, Array(1024).fill(0n), 'out of gas'],
    [0x51, [2n ** 37n - 64n], 'out of gas'],
    [0x51, [2n ** 37n - 63n], 'out of gas: gas uint64 overflow'],
    [0x51, [2n ** 64n - 64n], 'out of gas: gas uint64 overflow'],
    [0x51, [2n ** 64n - 62n], 'gas uint64 overflow'],
    [0x20, [2n ** 64n, 0n], 'gas uint64 overflow'],
    [0x20, [0n, 2n ** 64n], 'out of gas'],
  ])('what keeps instruction %i from beginning comes before gas', (opcode, stack, text) => {
    for (const told of ['out of gas', 'static state change'])
      expect([text, 'write protection']).toContain(gethVmError(told, at(opcode, ...stack)));
    expect(gethVmError('out of gas', at(opcode, ...stack))).toBe(text);
  });

  /** Instructions with a memory range: their operands, and the places of its offset and its size (0 is the top). */
  const RANGES: readonly (readonly [opcode: number, operands: number, offset: number, size: number])[] = [
    [0x20, 2, 0, 1],
    [0x37, 3, 0, 2],
    [0x39, 3, 0, 2],
    [0x3c, 4, 1, 3],
    [0x3e, 3, 0, 2],
    [0x5e, 3, 0, 2],
    [0x5e, 3, 1, 2],
    [0xa0, 2, 0, 1],
    [0xa4, 6, 0, 1],
    [0xf0, 3, 1, 2],
    [0xf1, 7, 3, 4],
    [0xf1, 7, 5, 6],
    [0xf2, 7, 3, 4],
    [0xf2, 7, 5, 6],
    [0xf3, 2, 0, 1],
    [0xf4, 6, 2, 3],
    [0xf4, 6, 4, 5],
    [0xf5, 4, 1, 2],
    [0xfa, 6, 2, 3],
    [0xfa, 6, 4, 5],
    [0xfd, 2, 0, 1],
  ];
  test.each(RANGES)(
    'instruction %i with %i operands has a range at %i of size %i',
    (opcode, operands, offset, size) => {
      const told = (start: bigint, length: bigint) => {
        const top = Array<bigint>(operands).fill(0n);
        top[offset] = start;
        top[size] = length;
        return gethVmError('out of gas', at(opcode, ...top.reverse()));
      };
      expect(told(2n ** 64n - 1n, 1n)).toBe('gas uint64 overflow');
      expect(told(0n, 2n ** 64n)).toBe('gas uint64 overflow');
      expect(told(2n ** 64n, 0n)).toBe('out of gas');
    },
  );
});
