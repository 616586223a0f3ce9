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
});
