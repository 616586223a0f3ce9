import { RLP } from '@ethereumjs/rlp';
import { expect, test } from 'vitest';
import { equalBytes } from '../../../core/lib/bytes.ts';
import {
  decodeUint,
  encodeList,
  encodeString,
  encodeUint,
  itemEnd,
  payloadStart,
} from '../../../core/state/rlp.ts';

test.each([0, 1, 2, 55, 56, 255, 256, 65_535, 65_536, 16_777_215, 16_777_216])(
  'a string and a list of %i bytes are those of the reference',
  (length) => {
    const bytes = new Uint8Array(length).fill(0x81);
    const item = encodeString(bytes);
    // Not toEqual: it takes seconds for megabytes.
    expect(equalBytes(item, RLP.encode(bytes))).toBe(true);
    expect(equalBytes(encodeList([item]), RLP.encode([bytes]))).toBe(true);
    expect(equalBytes(item.subarray(payloadStart(item, 0), itemEnd(item, 0)), bytes)).toBe(true);
  },
);

test.each([0n, 1n, 127n, 128n, 255n, 256n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 64n + 5n, 2n ** 256n - 1n])(
  'the number %i goes there and back',
  (value) => {
    const item = encodeString(encodeUint(value));
    expect(item).toEqual(RLP.encode(value));
    expect(decodeUint(item, payloadStart(item, 0), item.length)).toBe(value);
  },
);
