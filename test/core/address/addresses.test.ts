import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BECH32_LENGTH_MAX,
  decodeBech32,
  encodeBech32,
  HRP_LENGTH_MAX,
} from '../../../core/address/bech32.ts';
import { toEip55 } from '../../../core/address/eip55.ts';
import {
  formatAddress,
  parseAddress,
  parseAnyAddress,
  parseHexAddress,
} from '../../../core/address/kinds.ts';
import { ethAddress } from '../../../core/crypto/addresses.ts';
import { EMPTY, hex, toHex, toUpperHex } from '../../../core/lib/bytes.ts';
import { type Any, base64, cases, vectors } from '../codec/vectors.ts';

const code = (result: { ok: boolean; error?: { code: string } }): string => result.error?.code ?? 'accepted';

describe('EIP-55', () => {
  const file = vectors('evm/eip55.json');
  const valid: string[] = file.valid;
  const invalid: string[] = file.invalid;

  test.each(valid)('%s is right', (text: string) => {
    expect(toEip55(hex(text))).toBe(text);
    expect(parseAnyAddress(text, 'chain')).toEqual({ ok: true, value: { kind: 'hex', address: hex(text) } });
  });

  test.each(invalid)('%s is wrong', (text: string) => {
    expect(parseAnyAddress(text, 'chain').ok).toBe(false);
  });

  test('texts of one case carry no checksum', () => {
    const text = (valid[4] as string).slice(2);
    for (const one of [text.toLowerCase(), `0x${text.toLowerCase()}`, text.toUpperCase(), text]) {
      expect(parseHexAddress(one)).toEqual({ ok: true, value: hex(text) });
    }
  });

  test('a wrong checksum names the right one', () => {
    const parsed = parseHexAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD');
    expect(parsed).toMatchObject({ ok: false, error: { code: 'bad-checksum', expected: valid[4] } });
  });
});

describe('Bech32', () => {
  const pairs = vectors('evm/bech32_documented_pairs.json');

  test.each(
    cases(
      pairs.filter((one: Any) => one.bech32),
      (one) => one.bech32,
    ),
  )('%s', (text, pair: Any) => {
    const decoded = decodeBech32(text);
    expect(decoded.ok).toBe(pair.valid);
    if (!decoded.ok) expect(decoded.error.code).toBe('bad-checksum');
    else {
      expect(decoded.value.hrp).toBe(pair.hrp);
      expect(toHex(decoded.value.bytes)).toBe(pair.hex);
      expect(toEip55(decoded.value.bytes)).toBe(pair.eip55);
      expect(encodeBech32(pair.hrp, decoded.value.bytes)).toBe(text);
    }
  });

  test.each(
    cases(
      pairs.filter((one: Any) => one.pubkey_hex),
      (one) => one.pubkey_base64,
    ),
  )('the account of key %s', (text, pair: Any) => {
    const address = ethAddress(base64(text));
    expect(toEip55(address)).toBe(pair.eip55);
    expect(formatAddress('acc', 'eth', address)).toBe(pair.eth_bech32);
    expect(formatAddress('acc', 'cosmos', address)).toBe(pair.cosmos_bech32);
  });

  const misc = vectors('evm/misc_addresses.json');

  test('of no bytes', () => {
    expect(misc.empty_bech32).toEqual([encodeBech32('cosmos', EMPTY), encodeBech32('ethm', EMPTY)]);
    expect(decodeBech32('cosmos1550dq7')).toEqual({ ok: true, value: { hrp: 'cosmos', bytes: EMPTY } });
    expect(code(parseAnyAddress('cosmos1550dq7', 'cosmos'))).toBe('wrong-length');
  });

  const faces = Object.entries<Any>(misc).filter(([name]) => name !== 'empty_bech32');
  test.each(faces)('the faces of %s', (_name, entry) => {
    const address = Uint8Array.from(entry.bytes);
    expect(toUpperHex(address)).toBe(entry.hex_upper);
    expect(toEip55(address)).toBe(entry.eip55);
    for (const hrp of ['cosmos', 'ethm', 'eth', 'evmos']) {
      for (const kind of ['acc', 'val', 'cons'] as const) {
        const text = formatAddress(kind, hrp, address);
        expect(text).toBe(entry[hrp][kind]);
        expect(parseAnyAddress(text, hrp)).toEqual({ ok: true, value: { kind, address } });
        expect(parseAddress(kind, text, hrp)).toEqual({ ok: true, value: address });
      }
    }
  });

  test.each([
    ['cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq', 'wrong-prefix'],
    ['Chain17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq', 'mixed-case'],
    ['chain17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq', 'bad-checksum'],
    ['chain1b', 'malformed'],
    ['chain', 'malformed'],
    ['1550dq7', 'malformed'],
    ['chain1i550dq7', 'malformed'],
    [`chain1${'q'.repeat(1023)}`, 'wrong-length'],
    ['0x', 'wrong-length'],
    ['', 'wrong-length'],
    ['0x123', 'malformed'],
    [`0x${'00'.repeat(32)}`, 'wrong-length'],
  ])('%s is refused with %s', (text, expected) => {
    expect(code(parseAnyAddress(text, 'chain'))).toBe(expected);
  });

  test('a wrong prefix says what was given and what was expected', () => {
    const parsed = parseAnyAddress('cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq', 'chain');
    expect(parsed).toMatchObject({
      ok: false,
      error: { given: 'cosmos', expected: ['chain', 'chainvaloper', 'chainvalcons'] },
    });
  });

  test('a prefix, and a text of it, is as long as it may be', () => {
    const longest = 'p'.repeat(HRP_LENGTH_MAX);
    expect(decodeBech32(encodeBech32(longest, EMPTY))).toMatchObject({ ok: true, value: { hrp: longest } });
    expect(decodeBech32(bech32.encode(`${longest}p`, [], false))).toMatchObject({
      ok: false,
      error: { message: 'bech32 prefix is empty, too long or not printable ASCII' },
    });
    const [most, more] = [new Uint8Array(634), new Uint8Array(635)];
    expect(encodeBech32('p', most)).toHaveLength(BECH32_LENGTH_MAX);
    expect(decodeBech32(encodeBech32('p', most))).toEqual({ ok: true, value: { hrp: 'p', bytes: most } });
    expect(() => encodeBech32('p', more)).toThrow('bech32 text too long');
  });

  test('upper case is read, mixed case is not', () => {
    const upper = 'COSMOS17W0ADEG64KY0DAXWD2UGYUNEELLMJGNXRAMJTQ';
    expect(parseAnyAddress(upper, 'cosmos').ok).toBe(true);
    expect(code(decodeBech32(`c${upper.slice(1)}`))).toBe('mixed-case');
  });

  test('the last digits of a text are its bytes to the end, and no more', () => {
    const words = bech32.toWords(new Uint8Array(20).fill(0xfb));
    expect(decodeBech32(bech32.encode('chain', words, false)).ok).toBe(true);
    // 33 bytes are 53 digits and leave a bit over.
    const wide = bech32.toWords(new Uint8Array(33).fill(0xfb));
    const last = wide.at(-1) as number;
    for (const odd of [
      [...words, 0],
      [...words, 1],
      [...wide.slice(0, -1), last | 1],
    ]) {
      const text = bech32.encode('chain', odd, false);
      expect(decodeBech32(text)).toMatchObject({ ok: false, error: { code: 'malformed' } });
    }
  });

  test('any bytes go there and back, and any one changed character is noticed', () => {
    const hrp = fc.stringMatching(/^[a-z1]{1,10}$/);
    fc.assert(
      fc.property(hrp, fc.uint8Array({ maxLength: 64 }), fc.nat(), fc.nat(31), (prefix, bytes, at, digit) => {
        const text = encodeBech32(prefix, bytes);
        expect(decodeBech32(text)).toEqual({ ok: true, value: { hrp: prefix, bytes } });
        expect(decodeBech32(text.toUpperCase())).toEqual(decodeBech32(text));
        const position = prefix.length + 1 + (at % (text.length - prefix.length - 1));
        const letter = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'[digit] as string;
        if (text[position] === letter) return;
        expect(decodeBech32(text.slice(0, position) + letter + text.slice(position + 1)).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('any text gets an answer', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 90, unit: 'binary' }), (text) => {
        expect(typeof parseAnyAddress(text, 'chain').ok).toBe('boolean');
      }),
    );
    expect(BECH32_LENGTH_MAX).toBe(1023);
  });
});
