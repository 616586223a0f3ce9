import { readFileSync } from 'node:fs';
import { RLP } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeRlp,
  encodedSize,
  encodeRlp,
  hasMoreValues,
  type RlpItem,
} from '../../../../core/app/evm/rlp.ts';
import { hex, to0xHex } from '../../../../core/lib/bytes.ts';

/** Numbers stand for themselves, `#…` for numbers beyond JSON's, other text for its letters. */
type Input = string | number | readonly Input[];
interface Vector {
  readonly in: Input;
  readonly out: string;
}

const vectorsOf = (file: string): [string, Vector][] =>
  Object.entries(JSON.parse(readFileSync(`test/vectors/ethereum-tests/RLPTests/${file}`, 'utf8')));

function itemOf(input: Input): RlpItem {
  if (typeof input === 'object') return input.map(itemOf);
  const isNumber = typeof input === 'number' || input.startsWith('#');
  if (!isNumber) return Uint8Array.from(input, (letter) => letter.charCodeAt(0));
  const value = BigInt(typeof input === 'number' ? input : input.slice(1));
  const digits = value === 0n ? '' : value.toString(16);
  return hex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

test.each(vectorsOf('rlptest.json'))('ethereum/tests rlptest %s encodes and decodes', (_name, vector) => {
  const item = itemOf(vector.in);
  expect(to0xHex(encodeRlp(item))).toBe(vector.out);
  expect(decodeRlp(hex(vector.out.replace('0x', '')))).toEqual({ ok: true, value: item });
});

test.each(vectorsOf('invalidRLPTest.json'))(
  'ethereum/tests invalidRLPTest %s is refused',
  (_name, vector) => {
    expect(decodeRlp(hex(vector.out.replace('0x', '')))).toMatchObject({ ok: false, error: { code: 'rlp' } });
  },
);

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.uint8Array({ minLength: 54, maxLength: 58 }),
  fc.uint8Array({ minLength: 250, maxLength: 300 }),
);
const { tree } = fc.letrec<{ tree: RlpItem }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, bytes, fc.array(tie('tree'), { maxLength: 6 })),
}));

test('any value of moderate depth is encoded as the second implementation does, in the size foretold, and read back', () => {
  fc.assert(
    fc.property(tree, (item) => {
      const encoded = encodeRlp(item);
      expect(encoded).toEqual(RLP.encode(item as never));
      expect(encodedSize(item)).toBe(encoded.length);
      expect(decodeRlp(encoded)).toEqual({ ok: true, value: item });
    }),
  );
});

test('hasMoreValues counts values up to its limit', () => {
  const countOf = (item: RlpItem): number =>
    item instanceof Uint8Array ? 1 : item.reduce((sum, inner) => sum + countOf(inner), 1);
  fc.assert(
    fc.property(tree, (item) => {
      const [encoded, count] = [encodeRlp(item), countOf(item)];
      expect([hasMoreValues(encoded, count), hasMoreValues(encoded, count - 1)]).toEqual([false, true]);
    }),
  );
  // What cannot be read after that does not matter, and before it is for the decoder to tell.
  const broken = Uint8Array.of(0xc3, 1, 0xbf, 1);
  expect([hasMoreValues(broken, 2), hasMoreValues(broken, 3)]).toEqual([true, false]);
});

test.each([55, 56, 0xff, 0x100, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000])(
  'a payload of %i bytes has as many bytes of length as the second implementation gives it',
  (length) => {
    const bytes = new Uint8Array(length).fill(0xaa);
    for (const item of [bytes, [bytes]]) {
      const encoded = encodeRlp(item);
      // Arrays of this size are compared as buffers: vitest compares element by element.
      expect(Buffer.compare(encoded, RLP.encode(item))).toBe(0);
      expect(encodedSize(item)).toBe(encoded.length);
    }
  },
);

test('lists nested deeper than 16 are refused', () => {
  const nested = (levels: number): Uint8Array => {
    let item: RlpItem = [];
    for (let level = 1; level < levels; level++) item = [item];
    return encodeRlp(item);
  };
  expect(decodeRlp(nested(16)).ok).toBe(true);
  expect(decodeRlp(nested(17))).toMatchObject({
    ok: false,
    error: { message: 'rlp: value nested too deeply' },
  });
});
