import { expect, test } from 'vitest';
import { bigintToFixed } from '../../../../core/app/evm/numbers.ts';
import { concat, hex } from '../../../../core/lib/bytes.ts';
import { revertReason } from '../../../../core/rpc/eth/revert.ts';

const panic = (code: bigint): Uint8Array => concat(hex('4e487b71'), bigintToFixed(code, 32));

// Codes as Solidity's documentation lists them ("Panic via assert and Error via require"), texts as geth has them.
test.each([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
  [0x52n, 'unknown panic code: 0x52'],
])('panic %i', (code, text) => {
  expect(revertReason(panic(code))).toBe(text);
});
