import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toEip55 } from '../../../../core/address/eip55.ts';
import { decodeEthTx } from '../../../../core/app/evm/ethTx.ts';
import { encodeRlp, type RlpItem } from '../../../../core/app/evm/rlp.ts';
import { decodeTx } from '../../../../core/app/tx/decodeTx.ts';
import {
  AUTH_INFO,
  type Coin,
  type Fee,
  MSG_ETHEREUM_TX,
  TX_BODY,
  TX_RAW,
} from '../../../../core/app/tx/tables.ts';
import { wrapEthTx } from '../../../../core/app/tx/wrapEthTx.ts';
import { decode, encode } from '../../../../core/codec/proto.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { EMPTY, hex, to0xHex, toHex } from '../../../../core/lib/bytes.ts';
import { must } from '../support/chain.ts';
import { signRaw, wallet } from '../support/wallet.ts';

interface VectorItem {
  readonly unsigned: Record<string, unknown>;
  readonly from: string;
  readonly raw: string;
  readonly eth_hash: string;
  readonly fee_amount: string;
  readonly msg_ethereum_tx_raw_form_hex: string;
  readonly cosmos_tx_hex: string;
}
const vectors = JSON.parse(readFileSync('test/vectors/evm/signed_eth_txs.json', 'utf8')) as {
  readonly denom: string;
  readonly items: Record<string, VectorItem>;
};
const items = Object.entries(vectors.items);

test.each(items)('%s decodes to its fields, hash and signer', (_name, item) => {
  const { tx } = must(decodeEthTx(hex(item.raw), nobleSuite));
  expect(toEip55(tx.from)).toBe(item.from);
  expect(to0xHex(tx.hash)).toBe(item.eth_hash);
  const { unsigned } = item;
  expect(tx.type).toBe(unsigned.type);
  expect(tx.nonce).toBe(BigInt(unsigned.nonce as number));
  expect(tx.gasLimit).toBe(BigInt(unsigned.gasLimit as number));
  expect(tx.value).toBe(BigInt(unsigned.value as string));
  expect(tx.to === undefined ? undefined : toEip55(tx.to)).toBe(unsigned.to);
  expect(tx.chainId).toBe(BigInt(unsigned.chainId as string));
  expect((tx.gasLimit * tx.maxFeePerGas).toString()).toBe(item.fee_amount);
});

test.each(items)('%s wraps into the documented consensus transaction, type URLs apart', (_name, item) => {
  const { tx } = must(decodeEthTx(hex(item.raw), nobleSuite));
  expect(toHex(encode(MSG_ETHEREUM_TX, { from: tx.from, raw: tx.raw }))).toBe(
    item.msg_ethereum_tx_raw_form_hex,
  );
  const ours = wrapEthTx(tx, vectors.denom);
  const raw = must(decode(TX_RAW, ours));
  const body = must(decode(TX_BODY, raw.bodyBytes));
  const theirUrls = (url: string): string => url.replace('/chain.evm.v1.', '/cosmos.evm.vm.v1.');
  const rename = (any: { typeUrl: string; value: Uint8Array }) => ({
    ...any,
    typeUrl: theirUrls(any.typeUrl),
  });
  const renamed = {
    ...body,
    messages: body.messages.map(rename),
    extensionOptions: body.extensionOptions.map(rename),
  };
  expect(toHex(encode(TX_RAW, { ...raw, bodyBytes: encode(TX_BODY, renamed) }))).toBe(item.cosmos_tx_hex);
  const decoded = must(decodeTx(ours, nobleSuite, vectors.denom));
  if (decoded.kind !== 'ethereum') throw new Error('an Ethereum transaction was wrapped');
  expect(toHex(decoded.tx.hash)).toBe(item.eth_hash.slice(2));
  expect(nobleSuite.secp256k1Verify(decoded.pubKey, new Uint8Array(32), new Uint8Array(64))).toBe(false);
  expect(decoded.pubKey.length).toBe(33);
});

const sample = hex((vectors.items.dynamic_fee_1559 as VectorItem).raw);
const errorOf = (raw: Uint8Array): unknown => {
  const decoded = decodeEthTx(raw, nobleSuite);
  return decoded.ok ? 'accepted' : decoded.error;
};

test('blob transactions and unknown types are not supported', () => {
  for (const type of [0, 3, 5, 0x7f]) {
    const raw = sample.slice();
    raw[0] = type;
    expect(errorOf(raw)).toEqual({ code: 'tx-type' });
  }
});

test('cut, padded and oversized bytes are refused with geth texts', () => {
  expect(errorOf(EMPTY)).toEqual({ code: 'tx-too-short' });
  expect(errorOf(Uint8Array.of(2))).toEqual({ code: 'tx-too-short' });
  expect(errorOf(sample.slice(0, -1))).toEqual({
    code: 'rlp',
    message: 'rlp: value size exceeds available input length',
  });
  const padded = new Uint8Array(sample.length + 1);
  padded.set(sample);
  expect(errorOf(padded)).toEqual({ code: 'rlp', message: 'rlp: input contains more than one value' });
  expect(errorOf(new Uint8Array(131_073))).toEqual({ code: 'oversized', size: 131_073, limit: 131_072 });
  expect(errorOf(new Uint8Array(131_072))).not.toMatchObject({ code: 'oversized' });
});

test('no changed byte is taken for the same transaction', () => {
  fc.assert(
    fc.property(fc.nat(sample.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const raw = sample.slice();
      raw[at] = (raw[at] as number) ^ flip;
      const decoded = decodeEthTx(raw, nobleSuite);
      if (decoded.ok) expect(toHex(decoded.value.tx.hash)).not.toBe(toHex(nobleSuite.keccak256(sample)));
    }),
    { numRuns: 60 },
  );
});

test('a high s is refused although it recovers to the same signer', async () => {
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const raw = await signRaw(wallet(0), { to: wallet(1).account.address, value: 1n, nonce: 0 });
  const { tx } = must(decodeEthTx(raw, nobleSuite));
  const flipped = toHex(raw)
    .replace(tx.s.toString(16).padStart(64, '0'), (n - tx.s).toString(16).padStart(64, '0'))
    .replace(/(80|01)a0(?=[0-9a-f]{64}a0[0-9a-f]{64}$)/, (_, v) => `${v === '80' ? '01' : '80'}a0`);
  expect(errorOf(hex(flipped))).toEqual({ code: 'signature' });
});

test('an unprotected legacy transaction decodes without a chain id', async () => {
  const raw = await signRaw(wallet(0), {
    type: 'legacy',
    chainId: undefined,
    to: wallet(1).account.address,
    nonce: 0,
  });
  const { tx } = must(decodeEthTx(raw, nobleSuite));
  expect(tx.chainId).toBeUndefined();
  expect([27n, 28n]).toContain(tx.v);
});

test('there is one wrapping: any other form of the same transaction is refused', () => {
  const { tx } = must(decodeEthTx(sample, nobleSuite));
  const raw = must(decode(TX_RAW, wrapEthTx(tx, 'atest')));
  const body = must(decode(TX_BODY, raw.bodyBytes));
  const info = must(decode(AUTH_INFO, raw.authInfoBytes));
  const codeOf = (changed: { body?: object; info?: object; raw?: object }): string => {
    const bytes = encode(TX_RAW, {
      ...raw,
      bodyBytes: encode(TX_BODY, { ...body, ...changed.body }),
      authInfoBytes: encode(AUTH_INFO, { ...info, ...changed.info }),
      ...changed.raw,
    });
    const decoded = decodeTx(bytes, nobleSuite, 'atest');
    return decoded.ok ? 'accepted' : decoded.error.code;
  };
  expect(codeOf({})).toBe('accepted');
  expect(codeOf({ body: { memo: 'hi' } })).toBe('tx-structure');
  expect(codeOf({ body: { timeoutHeight: 5n } })).toBe('tx-structure');
  expect(codeOf({ body: { extensionOptions: [] } })).toBe('missing-extension');
  expect(codeOf({ body: { extensionOptions: [{ typeUrl: '/x', value: EMPTY }] } })).toBe('unknown-extension');
  expect(codeOf({ body: { messages: [...body.messages, ...body.messages] } })).toBe('tx-structure');
  expect(codeOf({ raw: { signatures: [new Uint8Array(64)] } })).toBe('tx-structure');
  expect(codeOf({ info: { signerInfos: [Uint8Array.of(1)] } })).toBe('tx-structure');
  expect(codeOf({ info: { fee: undefined } })).toBe('tx-structure');
  expect(codeOf({ info: { fee: { ...info.fee, payer: 'me' } } })).toBe('tx-structure');
  expect(codeOf({ info: { fee: { ...info.fee, gasLimit: 1n } } })).toBe('gas-mismatch');
  const feeOf = (amount: readonly Coin[]): string => codeOf({ info: { fee: { ...info.fee, amount } } });
  const coin = info.fee?.amount[0] as Coin;
  expect(feeOf([])).toBe('fee-mismatch');
  expect(feeOf([coin, coin])).toBe('fee-mismatch');
  // The same text, parted elsewhere.
  expect(feeOf([{ amount: coin.amount.slice(0, 1), denom: coin.amount.slice(1) + coin.denom }])).toBe(
    'fee-mismatch',
  );
  expect(feeOf([{ amount: '', denom: coin.amount + coin.denom }])).toBe('fee-mismatch');
  expect(feeOf([{ amount: coin.amount + coin.denom, denom: '' }])).toBe('fee-mismatch');
  const stranger = encode(MSG_ETHEREUM_TX, { from: new Uint8Array(20), raw: sample });
  const message = { typeUrl: body.messages[0]?.typeUrl, value: stranger };
  expect(codeOf({ body: { messages: [message] } })).toBe('sender-mismatch');
});

test('what costs nothing is wrapped with no coin, and with none that says nothing', async () => {
  const free = await signRaw(wallet(0), { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
  const { tx } = must(decodeEthTx(free, nobleSuite));
  const raw = must(decode(TX_RAW, wrapEthTx(tx, 'atest')));
  const info = must(decode(AUTH_INFO, raw.authInfoBytes));
  const isTaken = (amount: readonly Coin[]): boolean => {
    const authInfoBytes = encode(AUTH_INFO, { ...info, fee: { ...(info.fee as Fee), amount } });
    return decodeTx(encode(TX_RAW, { ...raw, authInfoBytes }), nobleSuite, 'atest').ok;
  };
  expect(isTaken([])).toBe(true);
  expect(isTaken([{ amount: '', denom: '' }])).toBe(false);
  expect(isTaken([{ amount: '0', denom: 'atest' }])).toBe(false);
});

test('a transaction with authorizations creates no contract (EIP-7702)', () => {
  const [one, word] = [Uint8Array.of(1), new Uint8Array(32).fill(1)];
  const payload = (to: Uint8Array): Uint8Array => {
    const call: RlpItem[] = [one, EMPTY, one, one, Uint8Array.of(0x52, 0x08), to, EMPTY, EMPTY, []];
    const tuple: RlpItem = [EMPTY, new Uint8Array(20), EMPTY, EMPTY, word, word];
    return Uint8Array.of(4, ...encodeRlp([...call, [tuple], EMPTY, word, word]));
  };
  expect(decodeEthTx(payload(new Uint8Array(20)), nobleSuite).ok).toBe(true);
  expect(decodeEthTx(payload(EMPTY), nobleSuite)).toMatchObject({ ok: false, error: { code: 'rlp' } });
});
