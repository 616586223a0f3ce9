import { readFileSync } from 'node:fs';
import { TypedDataEncoder } from 'ethers';
import { describe, expect, test } from 'vitest';
import { aminoText } from '../../../../core/app/cosmos/aminoJson.ts';
import type { DecodedCosmosTx } from '../../../../core/app/cosmos/decodeCosmosTx.ts';
import { hashStruct, typedDataDigest, typedDataOf } from '../../../../core/app/cosmos/eip712.ts';
import { aminoDoc, aminoSignBytes, directSignBytes } from '../../../../core/app/cosmos/signBytes.ts';
import { isSignedBy } from '../../../../core/app/cosmos/verify.ts';
import { decodeTx } from '../../../../core/app/tx/decodeTx.ts';
import { TX_RAW } from '../../../../core/app/tx/tables.ts';
import { encode } from '../../../../core/codec/proto.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { type Bytes, hex, to0xHex, toHex, toUpperHex } from '../../../../core/lib/bytes.ts';
import { decodeUtf8 } from '../../../../core/lib/utf8.ts';
import { must } from '../support/chain.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/evm/cosmos_tx_signing.json', import.meta.url), 'utf8'),
);
const direct = vectors.sign_mode_direct;
const amino = vectors.legacy_amino_json;
const typed = vectors.eip712;
const DATA = { chainId: '9001', accountNumber: 0n, sequence: 0n };
const EVM_CHAIN_ID = 262_144n;
const keccak = (message: Bytes): Bytes => nobleSuite.keccak256(message);

function decoded(bytes: Bytes): DecodedCosmosTx {
  const tx = must(decodeTx(bytes, nobleSuite, 'atest', { hrp: 'cosmos' }));
  if (tx.kind !== 'cosmos') throw new Error('expected a Cosmos transaction');
  return tx;
}

const raw = (authInfo: string, signature: string): Bytes =>
  encode(TX_RAW, {
    bodyBytes: hex(direct.body_hex),
    authInfoBytes: hex(authInfo),
    signatures: [hex(signature)],
  });

const directTx = decoded(hex(direct.tx_raw_with_65_byte_sig_hex));
const aminoTx = decoded(raw(amino.auth_info_hex, amino.signature.geth65_hex));
const typedTx = decoded(raw(amino.auth_info_hex, typed.signature.geth65_hex));
const isSigned = (tx: DecodedCosmosTx, data = DATA, evmChainId = EVM_CHAIN_ID): boolean =>
  isSignedBy(tx, tx.pubKey as Bytes, data, evmChainId, nobleSuite);

describe('the signing vectors', () => {
  test('give the hash of the transaction and the sign document of mode direct', () => {
    expect(toUpperHex(directTx.hash)).toBe(direct.tx_hash_upper);
    const bytes = directSignBytes(directTx, DATA);
    expect(toHex(bytes)).toBe(direct.sign_doc_hex);
    expect(toHex(keccak(bytes))).toBe(direct.digest_keccak);
    expect(isSigned(directTx)).toBe(true);
  });

  test('give the JSON of mode amino', () => {
    const bytes = aminoSignBytes(aminoTx, DATA);
    expect(decodeUtf8(bytes)).toBe(amino.sign_bytes_json);
    expect(toHex(keccak(bytes))).toBe(amino.digest_keccak);
    expect(isSigned(aminoTx)).toBe(true);
  });

  test('give the typed data of EIP-712, hashed as ethers hashes it', () => {
    const data = typedDataOf(aminoDoc(typedTx, DATA), EVM_CHAIN_ID);
    if (data === undefined) throw new Error('no typed data');
    expect(data.types).toEqual(typed.types);
    expect(data.message).toEqual(typed.message);
    expect(to0xHex(hashStruct('EIP712Domain', data.domain, data.types, keccak))).toBe(typed.domain_separator);
    expect(to0xHex(hashStruct('Tx', data.message, data.types, keccak))).toBe(typed.message_hash);
    expect(toHex(typedDataDigest(data, keccak))).toBe(typed.digest);
    const { EIP712Domain, ...types } = data.types as Record<string, { name: string; type: string }[]>;
    const hashed = TypedDataEncoder.hashStruct('Tx', types, data.message as Record<string, unknown>);
    expect(hashed).toBe(typed.message_hash);
    expect(EIP712Domain?.length).toBe(5);
    expect(isSigned(typedTx)).toBe(true);
  });

  test('of EIP-712 are accepted on transactions of a limited size, which takes no hashing to tell', () => {
    expect(isSigned({ ...typedTx, size: 65_536 })).toBe(true);
    let hashed = 0;
    const keccak256 = (message: Bytes): Bytes => {
      hashed++;
      return keccak(message);
    };
    const tx = { ...typedTx, size: 65_537 };
    const suite = { ...nobleSuite, keccak256 };
    expect(isSignedBy(tx, tx.pubKey as Bytes, DATA, EVM_CHAIN_ID, suite)).toBe(false);
    expect(hashed).toBe(1);
    expect(isSigned({ ...aminoTx, size: 65_537 })).toBe(true);
  });

  test('sign nothing else: another chain, account, sequence or Ethereum chain id is another document', () => {
    for (const tx of [directTx, aminoTx, typedTx]) {
      expect(isSigned(tx, { ...DATA, chainId: '9002' })).toBe(false);
      expect(isSigned(tx, { ...DATA, accountNumber: 1n })).toBe(false);
    }
    for (const tx of [aminoTx, typedTx]) expect(isSigned(tx, { ...DATA, sequence: 1n })).toBe(false);
    expect(isSigned(typedTx, DATA, 1n)).toBe(false);
  });
});

test('amino JSON sorts keys and escapes what Go escapes', () => {
  const text = aminoText({ b: ['<a & b>', true, 7], a: { d: '"', c: '\u2028é' } });
  expect(text).toBe('{"a":{"c":"\\u2028é","d":"\\""},"b":["\\u003ca \\u0026 b\\u003e",true,7]}');
});
