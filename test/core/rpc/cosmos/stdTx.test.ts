import { Secp256k1HdWallet } from '@cosmjs/amino';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aminoText } from '../../../../core/app/cosmos/aminoJson.ts';
import { aminoPrefix } from '../../../../core/crypto/amino.ts';
import { concat, hex, toHex } from '../../../../core/lib/bytes.ts';
import { GrpcError } from '../../../../core/rpc/cosmos/status.ts';
import { stdTxBytes, stdTxJson } from '../../../../core/rpc/cosmos/stdTx.ts';

const [FROM, TO] = [
  'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv',
  'cosmos1cml96vmptgw99syqrrz8az79xer2pcgp95srxm',
];
const KEY = Buffer.from(hex('0392eec0fce8c1a5a359ddf2d5c7a466738bc3fc38b7046d81b814d39811d5afdd'));

const stdTx = (over: Readonly<Record<string, unknown>> = {}) => ({
  type: 'cosmos-sdk/StdTx',
  value: {
    msg: [
      {
        type: 'cosmos-sdk/MsgSend',
        value: { from_address: FROM, to_address: TO, amount: [{ denom: 'atest', amount: '1000' }] },
      },
    ],
    fee: { amount: [{ denom: 'atest', amount: '20' }], gas: '200000' },
    signatures: [
      {
        pub_key: { type: 'ethermint/PubKeyEthSecp256k1', value: KEY.toString('base64') },
        signature: Buffer.alloc(64, 7).toString('base64'),
      },
    ],
    memo: 'hi',
    timeout_height: '0',
    ...over,
  },
});

const problem = (text: string): string => {
  try {
    stdTxBytes(text);
  } catch (failure) {
    if (failure instanceof GrpcError) return failure.message;
    throw failure;
  }
  return '';
};

describe('a StdTx', () => {
  test('has the prefixes that the Cosmos SDK documents', () => {
    expect(toHex(aminoPrefix('cosmos-sdk/StdTx'))).toBe('282816a9');
    expect(toHex(aminoPrefix('cosmos-sdk/MsgSend'))).toBe('a8a3619a');
  });

  test('is the bytes that its fields say, laid by hand', () => {
    const bytes = stdTxBytes(JSON.stringify(stdTx()));
    const text = (s: string): Uint8Array => new TextEncoder().encode(s);
    const field = (n: number, value: Uint8Array): Uint8Array =>
      concat(Uint8Array.of((n << 3) | 2), varint(value.length), value);
    const varint = (n: number): Uint8Array =>
      n < 128 ? Uint8Array.of(n) : Uint8Array.of((n & 127) | 128, n >> 7);
    const coin = (denom: string, amount: string) => concat(field(1, text(denom)), field(2, text(amount)));
    const send = concat(
      aminoPrefix('cosmos-sdk/MsgSend'),
      field(1, text(FROM as string)),
      field(2, text(TO as string)),
      field(3, coin('atest', '1000')),
    );
    const fee = concat(field(1, coin('atest', '20')), hex('10c09a0c'));
    const key = concat(aminoPrefix('ethermint/PubKeyEthSecp256k1'), Uint8Array.of(33), KEY);
    const signature = concat(field(1, key), field(2, new Uint8Array(64).fill(7)));
    const want = concat(
      hex('282816a9'),
      field(1, send),
      field(2, fee),
      field(3, signature),
      field(4, text('hi')),
    );
    expect(toHex(bytes)).toBe(toHex(want));
  });

  test('comes back from its bytes', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.boolean(),
        (memo, timeout, isSigned) => {
          const over = {
            memo,
            timeout_height: timeout.toString(),
            ...(isSigned ? {} : { signatures: [] }),
          };
          const json = stdTx(over);
          expect(stdTxJson(stdTxBytes(JSON.stringify(json)))).toBe(aminoText(json as never));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('of a wallet of that time is taken', async () => {
    const wallet = await Secp256k1HdWallet.generate(12);
    const [account] = await wallet.getAccounts();
    if (account === undefined) throw new Error('a wallet has an account');
    const { msg, fee, memo } = stdTx().value as never as { msg: never[]; fee: never; memo: string };
    const doc = { chain_id: 'c-1', account_number: '1', sequence: '2', msgs: msg, fee, memo };
    const { signature } = await wallet.signAmino(account.address, doc);
    const tx = stdTx({ signatures: [signature] });
    expect(JSON.parse(stdTxJson(stdTxBytes(JSON.stringify(tx))))).toEqual(tx);
  });

  test('that is malformed is refused with the reason', () => {
    expect(problem('{')).toMatch(/not JSON/);
    expect(problem('{"type":"x"}')).toMatch(/expected a cosmos-sdk\/StdTx, found x/);
    expect(problem(JSON.stringify(stdTx({ msg: [{ type: 'cosmos-sdk/MsgVote', value: {} }] })))).toBe(
      'msg[0].type: no message cosmos-sdk/MsgVote',
    );
    const key = { type: 'tendermint/PubKeySecp256k1', value: 'AA==' };
    expect(problem(JSON.stringify(stdTx({ signatures: [{ pub_key: key, signature: '' }] })))).toBe(
      'invalid pubkey size, expected 33, got 1',
    );
  });

  test('with one byte changed is read back to the same bytes, or refused with a GrpcError', () => {
    const good = stdTxBytes(JSON.stringify(stdTx()));
    fc.assert(
      fc.property(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
        const bytes = good.slice();
        bytes[at] = byte;
        try {
          expect(toHex(stdTxBytes(stdTxJson(bytes)))).toBe(toHex(bytes));
        } catch (failure) {
          expect(failure).toBeInstanceOf(GrpcError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
