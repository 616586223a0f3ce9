import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MSG_MULTI_SEND, SIGNER_INFO } from '../../../core/app/cosmos/tables.ts';
import { AUTH_INFO, TX_BODY } from '../../../core/app/tx/tables.ts';
import { decode, decodeWordy, encode, type Table } from '../../../core/codec/proto.ts';
import { equalBytes } from '../../../core/lib/bytes.ts';
import { wordy } from '../../support/wordy.ts';

const text = fc.constantFrom('', 'a', 'longer');
const number = fc.constantFrom(0n, 1n, 1n << 63n);
const bytes = fc.uint8Array({ maxLength: 3 });
const any = fc.record({ typeUrl: text, value: bytes });
const coins = fc.array(fc.record({ denom: text, amount: text }), { maxLength: 2 });
const rows = fc.array(fc.record({ address: text, coins }), { maxLength: 2 });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const single = fc.record({ mode: fc.constantFrom(0, 1, 127) });

const cases: readonly (readonly [Table<never>, fc.Arbitrary<unknown>])[] = [
  [
    TX_BODY as never,
    fc.record({
      messages: fc.array(any, { maxLength: 2 }),
      memo: text,
      timeoutHeight: number,
      extensionOptions: fc.array(any, { maxLength: 1 }),
      nonCriticalExtensionOptions: fc.constant([]),
    }),
  ],
  [
    AUTH_INFO as never,
    fc.record({
      signerInfos: fc.array(bytes, { maxLength: 2 }),
      fee: maybe(fc.record({ amount: coins, gasLimit: number, payer: text, granter: text })),
      tip: bytes,
    }),
  ],
  [
    SIGNER_INFO as never,
    fc.record({
      publicKey: maybe(any),
      modeInfo: maybe(fc.record({ single: maybe(single), multi: bytes })),
      sequence: number,
    }),
  ],
  [MSG_MULTI_SEND as never, fc.record({ inputs: rows, outputs: rows })],
];

test.each(cases)('$name with its defaults written out is the same message', (shape, values) => {
  fc.assert(
    fc.property(values, (value) => {
      const short = encode(shape, value as never);
      const long = encode(wordy(shape), value as never);
      expect(decodeWordy(shape, long)).toEqual({ ok: true, value });
      expect(decodeWordy(shape, short)).toEqual({ ok: true, value });
      expect(decode(shape, long).ok).toBe(equalBytes(long, short));
    }),
  );
});

test.each([
  ['an empty tip, which is a message', AUTH_INFO, '1a00'],
  ['a field twice', TX_BODY, '18001800'],
  ['fields out of order', TX_BODY, '18001200'],
  ['a number that is not minimal', TX_BODY, '188000'],
  ['an unknown field', TX_BODY, '2000'],
] as const)('%s stays refused', (_, shape, hexText) => {
  expect(decodeWordy(shape as Table<unknown>, Uint8Array.from(Buffer.from(hexText, 'hex'))).ok).toBe(false);
});
