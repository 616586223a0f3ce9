import { expect, test } from 'vitest';
import { decodeEthTx } from '../../../../core/app/evm/ethTx.ts';
import { TxDecoder } from '../../../../core/app/tx/decoder.ts';
import { decodeTx } from '../../../../core/app/tx/decodeTx.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { must } from '../support/chain.ts';
import { signRaw, wallet } from '../support/wallet.ts';

const TYPES = [{}, { type: 'legacy' }, { type: 'eip2930', accessList: [] }, { data: '0x1234' }];

test.each(TYPES)(
  'a wrapped transaction is remembered as a decoder without memory reads it: %j',
  async (fields) => {
    const raw = await signRaw(wallet(0), { nonce: 3, to: `0x${'11'.repeat(20)}`, value: 1n, ...fields });
    let recovered = 0;
    const secp256k1Recover: typeof nobleSuite.secp256k1Recover = (...args) => {
      recovered++;
      return nobleSuite.secp256k1Recover(...args);
    };
    const suite = { ...nobleSuite, secp256k1Recover };
    const remembering = new TxDecoder(suite, 'achain', 'orrery');
    const wrapped = remembering.wrap(must(decodeEthTx(raw, suite)));
    expect(must(remembering.decode(wrapped))).toEqual(
      must(new TxDecoder(nobleSuite, 'achain', 'orrery').decode(wrapped)),
    );
    expect(recovered).toBe(1);
  },
);

test('a transaction of more bytes than any may have is named as such before it is read', () => {
  const decode = (size: number) => decodeTx(new Uint8Array(size), nobleSuite, 'achain');
  expect(decode(1_048_577)).toEqual({
    ok: false,
    error: { code: 'oversized', size: 1_048_577, limit: 1_048_576 },
  });
  expect(decode(1_048_576)).toMatchObject({ ok: false, error: { code: 'tx-parse' } });
});
