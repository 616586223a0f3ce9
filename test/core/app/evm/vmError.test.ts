import { describe, expect, test } from 'vitest';
import { gethVmError } from '../../../../core/app/evm/vmError.ts';

const at = (opcode: number) => ({ code: Uint8Array.of(0x5b, opcode), programCounter: 1 });

describe('texts of the virtual machine', () => {
  test('a jump to nowhere is told in the words of geth, without the place that the library adds', () => {
    const text = `invalid JUMP at 0x${'ab'.repeat(32)}/0x${'01'.repeat(20)}:3`;
    expect(gethVmError(text, at(0x57))).toBe('invalid jump destination');
  });

  test('an instruction that is not there is told by its byte', () => {
    expect(gethVmError('invalid opcode', at(0x0c))).toBe('invalid opcode: opcode 0xc not defined');
    expect(gethVmError('invalid opcode', at(0xfe))).toBe('invalid opcode: INVALID');
  });
});
