import { expect, test } from 'vitest';
import { decodeEthTx } from '../../../../core/app/evm/ethTx.ts';
import { TxDecoder } from '../../../../core/app/tx/decoder.ts';
import { type DecodedTx, decodeTx } from '../../../../core/app/tx/decodeTx.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { ok } from '../../../../core/lib/result.ts';
import type { Sizes } from '../../../../core/lib/sizes.ts';
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

test('Cosmos transactions are remembered by what they take in memory, which grows with their receivers', async () => {
  let decodes = 0;
  const tx = (payments: number) => ({
    kind: 'cosmos',
    messages: [{ payments: new Array(payments).fill({}) }],
  });
  const decode = (payments: number) => () => {
    decodes++;
    return ok(tx(payments) as unknown as DecodedTx);
  };
  const sizes: Sizes = { kept: (usual) => usual, atOnce: (usual) => usual, bytesAtOnce: () => 100_000 };
  const again = (payments: number): number => {
    decodes = 0;
    const decoder = new TxDecoder(nobleSuite, 'achain', 'orrery', { decode: decode(payments), sizes });
    // What is kept is forgotten in two halves.
    for (let round = 0; round < 2; round++)
      for (let i = 0; i < 10; i++) decoder.decode(new Uint8Array(100).fill(i));
    return decodes;
  };
  expect(again(1)).toBe(10);
  expect(again(1000)).toBe(20);
});

test('a transaction of more bytes than any may have is named as such before it is read', () => {
  const decode = (size: number) => decodeTx(new Uint8Array(size), nobleSuite, 'achain');
  expect(decode(1_048_577)).toEqual({
    ok: false,
    error: { code: 'oversized', size: 1_048_577, limit: 1_048_576 },
  });
  expect(decode(1_048_576)).toMatchObject({ ok: false, error: { code: 'tx-parse' } });
});
