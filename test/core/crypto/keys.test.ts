import { describe, expect, test } from 'vitest';
import { toEip55 } from '../../../core/address/eip55.ts';
import { formatAddress } from '../../../core/address/kinds.ts';
import { ethAddress, validatorAddress } from '../../../core/crypto/addresses.ts';
import { aminoPrefix } from '../../../core/crypto/amino.ts';
import { keccak256, ripemd160, sha256 } from '../../../core/crypto/hash.ts';
import {
  DEFAULT_HD_PATH,
  deriveSecret,
  ethHdPath,
  generateMnemonic,
  isMnemonic,
  mnemonicToSeed,
  parseHdPath,
} from '../../../core/crypto/hd.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { hex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { type Any, vectors } from '../codec/vectors.ts';

const wallets = vectors('evm/bip39_bip44_keys.json');
const constants = vectors('evm/constants.json');

function expectAccount(secret: Uint8Array, account: Any): void {
  expect(toHex(secret)).toBe(account.priv_hex);
  const [compressed, uncompressed] = [true, false].map((short) =>
    nobleSuite.secp256k1PublicKey(secret, short),
  );
  if (compressed === undefined || uncompressed === undefined) throw new Error('no key');
  expect(toHex(compressed)).toBe(account.pub_compressed_hex);
  expect(toBase64(compressed)).toBe(account.pub_compressed_base64);
  expect(toHex(uncompressed)).toBe(account.pub_uncompressed_hex);
  const address = ethAddress(compressed);
  expect(ethAddress(uncompressed)).toEqual(address);
  expect([...address]).toEqual(account.bytes);
  expect(toEip55(address)).toBe(account.eip55);
  for (const hrp of ['cosmos', 'ethm', 'eth', 'evmos']) {
    for (const kind of ['acc', 'val', 'cons'] as const) {
      expect(formatAddress(kind, hrp, address)).toBe(account[hrp][kind]);
    }
  }
}

describe.each(Object.entries<Any>(wallets))('the wallet %s', (_name, wallet) => {
  test('has the recorded mnemonic and seed', () => {
    expect(isMnemonic(wallet.mnemonic)).toBe(true);
    expect(generateMnemonic(hex(wallet.entropy_hex))).toBe(wallet.mnemonic);
    expect(toHex(mnemonicToSeed(wallet.mnemonic))).toBe(wallet.seed_hex);
  });

  test('derives the recorded accounts', () => {
    for (const account of wallet.accounts) {
      const secret = deriveSecret(hex(wallet.seed_hex), account.path);
      if (!secret.ok) throw new Error(secret.error.message);
      expectAccount(secret.value, account);
    }
  });
});

test('a BIP-39 passphrase makes another seed', () => {
  const { mnemonic, with_passphrase } = wallets.local_node_dev0;
  const seed = mnemonicToSeed(mnemonic, with_passphrase.passphrase);
  const account = with_passphrase.account ?? with_passphrase.accounts?.[0] ?? with_passphrase;
  const secret = deriveSecret(seed, account.path ?? DEFAULT_HD_PATH);
  if (!secret.ok) throw new Error(secret.error.message);
  expect(toHex(secret.value)).toBe(account.priv_hex);
});

describe('a derivation path', () => {
  test('marks hardened elements', () => {
    expect(parseHdPath(DEFAULT_HD_PATH)).toEqual({
      ok: true,
      value: [0x8000002c, 0x8000003c, 0x80000000, 0, 0],
    });
    expect(parseHdPath("m/44h/60H/0'/0/0")).toEqual(parseHdPath(DEFAULT_HD_PATH));
    expect(parseHdPath('m')).toEqual({ ok: true, value: [] });
    expect(ethHdPath(2, 3)).toBe("m/44'/60'/2'/0/3");
  });

  test.each([
    ['44/60', 'path-root'],
    ['', 'path-root'],
    ['M/0', 'path-root'],
    ['m/', 'path-element'],
    ['m/x', 'path-element'],
    ["m/1''", 'path-element'],
    ['m/-1', 'path-element'],
    ['m/2147483648', 'path-element'],
    [`m${'/0'.repeat(256)}`, 'path-depth'],
  ])('%s is refused with %s', (path, code) => {
    const parsed = parseHdPath(path);
    expect(parsed.ok ? 'accepted' : parsed.error.code).toBe(code);
    expect(deriveSecret(new Uint8Array(64), path)).toEqual(parsed);
  });
});

test('a mnemonic with a wrong checksum or unknown words is refused', () => {
  expect(isMnemonic('test test test test test test test test test test test test')).toBe(false);
  expect(isMnemonic('orrery test test')).toBe(false);
});

test('hashes have their known values', () => {
  expect(toHex(keccak256(new Uint8Array(0)))).toBe(constants.keccak_empty);
  expect(toHex(keccak256(encodeUtf8('hello')))).toBe(constants.keccak_hello);
  expect(toHex(sha256(new Uint8Array(0)))).toBe(constants.empty_requests_hash_sha256);
  expect(toHex(ripemd160(encodeUtf8('abc')))).toBe('8eb208f7e05d987a9b044a8e98c6b087f15a0bfc');
  expect(toBase64(keccak256(new Uint8Array(0)))).toBe(constants.empty_code_hash_base64);
});

test('an amino prefix leaves out zeros before and behind its three other bytes', () => {
  const names = Array.from({ length: 400_000 }, (_, n) => `name/${n}`);
  const named = (isIt: (hash: Uint8Array) => boolean): Uint8Array[] => {
    const name = names.find((one) => isIt(sha256(encodeUtf8(one)))) as string;
    return [aminoPrefix(name), sha256(encodeUtf8(name))];
  };
  for (const [isIt, at] of [
    [([a]) => a === 0, 4],
    [([a, , , b]) => a !== 0 && b === 0, 4],
    [([a, , , , b]) => a === 0 && b === 0, 5],
  ] as const satisfies readonly (readonly [(hash: Uint8Array) => boolean, number])[]) {
    const [prefix, hash] = named(isIt);
    expect(prefix).toEqual(hash?.slice(at, at + 4));
  }
});

test('a key is recovered from an even or an odd point, never from one beyond the order', () => {
  const digest = sha256(encodeUtf8('digest'));
  const found = [0, 1, 2, 3].map((recovery) => {
    const rs = Array.from({ length: 20 }, (_, n) => new Uint8Array(64).with(31, n + 1).with(63, 1));
    return rs.some((one) => nobleSuite.secp256k1Recover(digest, one, recovery) !== undefined);
  });
  expect(found).toEqual([true, true, false, false]);
});

test('a secp256k1 validator has the address of Bitcoin keys, not the Ethereum one', () => {
  // CometBFT crypto/secp256k1 TestPubKeySecp256k1Address: base58 1CKZ9Nx4zgds8tU7nJHotKSDr4a9bYJCa3.
  const key = hex('02950e1cdfcb133d6024109fd489f734eeb4502418e538c28481f22bce276f248c');
  expect(toHex(validatorAddress({ type: 'secp256k1', bytes: key }))).toBe(
    '7c2bb42a8be69791ec763e51f5a49bcd41e82237',
  );
});
