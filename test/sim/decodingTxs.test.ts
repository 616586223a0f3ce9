import { expect, test } from 'vitest';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import { decodeTx } from '../../core/app/tx/decodeTx.ts';
import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { signedTransfer } from '../../sim/clients/sentBankTx.ts';
import { decodingTxsOnce } from '../../sim/machine/decodingTxs.ts';

test('equal transactions are read once, and say what the core reads in them', () => {
  const secret = new Uint8Array(32).fill(7);
  const from = { secret, address: new Uint8Array(20) };
  const { raw } = signedTransfer(nobleSuite, from, 3, new Uint8Array(20).fill(1), 5n);
  const signed = decodeEthTx(raw, nobleSuite);
  if (!signed.ok) throw new Error(signed.error.code);
  const bytes = wrapEthTx(signed.value.tx, 'acoin');
  const decode = decodingTxsOnce();
  const first = decode(bytes, nobleSuite, 'acoin');
  expect(first).toMatchObject({ ok: true, value: { kind: 'ethereum', tx: { nonce: 3n } } });
  expect(first).toEqual(decodeTx(bytes, nobleSuite, 'acoin'));
  expect(decode(bytes.slice(), nobleSuite, 'acoin')).toBe(first);
  const other = bytes.slice(0, -1);
  expect(decode(other, nobleSuite, 'acoin')).toEqual(decodeTx(other, nobleSuite, 'acoin'));
  expect(decode(other, nobleSuite, 'acoin').ok).toBe(false);
});
