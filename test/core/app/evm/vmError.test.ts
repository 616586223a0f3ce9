import { describe, expect, test } from 'vitest';
import { gethVmError } from '../../../../core/app/evm/vmError.ts';

describe('texts of the virtual machine', () => {
  test('a jump to nowhere is told in the words of geth, without the place that the library adds', () => {
    const text = `invalid JUMP at 0x${'ab'.repeat(32)}/0x${'01'.repeat(20)}:3`;
    expect(gethVmError(text, 0x57)).toBe('invalid jump destination');
  });

  test('an instruction that is not there is told by its byte', () => {
    expect(gethVmError('invalid opcode', 0x0c)).toBe('invalid opcode: opcode 0xc not defined');
    expect(gethVmError('invalid opcode', 0xfe)).toBe('invalid opcode: INVALID');
  });
});
