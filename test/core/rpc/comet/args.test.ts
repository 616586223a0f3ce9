import { describe, expect, test } from 'vitest';
import { type ArgType, jsonArgs, uriArgs } from '../../../../core/rpc/comet/args.ts';
import { parseJson } from '../../../../core/rpc/jsonText.ts';

const json = (type: ArgType, text: string): unknown => {
  const params = parseJson(`{"x":${text}}`);
  if (!params.ok) throw new Error(params.error.message);
  const read = jsonArgs([{ name: 'x', type }], params.value);
  return read.ok ? read.value.get('x') : read.error;
};
const uri = (type: ArgType, text: string): unknown => {
  const read = uriArgs([{ name: 'x', type }], `x=${encodeURIComponent(text)}`);
  return read.ok ? read.value.get('x') : read.error;
};

const MOST = '9223372036854775807';
const LEAST = '-9223372036854775808';
const notInt64 = (what: string): string => `json: cannot unmarshal ${what} into Go value of type int64`;
const notEncoded = (text: string): string =>
  `invalid 64-bit integer encoding ${JSON.stringify(text)}, expected string`;

describe('64-bit integers', () => {
  test.each([
    ['null', 0n],
    ['"5"', 5n],
    ['"-5"', -5n],
    [`"${MOST}"`, BigInt(MOST)],
    [`"${LEAST}"`, BigInt(LEAST)],
    ['"9223372036854775808"', notInt64('number 9223372036854775808')],
    ['"-9223372036854775809"', notInt64('number -9223372036854775809')],
    ['"1.5"', notInt64('number 1.5')],
    ['"1e3"', notInt64('number 1e3')],
    ['"true"', notInt64('bool')],
    ['"[]"', notInt64('array')],
    ['"\\"5\\""', notInt64('string')],
    ['5', notEncoded('5')],
    ['true', notEncoded('true')],
    ['[1]', notEncoded('[1]')],
  ])('%s in JSON is %s', (text, value) => {
    for (const type of ['int64', 'int64?'] as const)
      expect(json(type, text)).toEqual(text === 'null' && type === 'int64?' ? undefined : value);
  });

  test.each([
    ['5', 5n],
    ['-5', -5n],
    ['"5"', 5n],
    [MOST, BigInt(MOST)],
    [LEAST, BigInt(LEAST)],
    ['9223372036854775808', notInt64('number 9223372036854775808')],
    ['5.0', notEncoded('5.0')],
    ['+5', notEncoded('+5')],
    ['five', notEncoded('five')],
    ['0x5', "got a hex string arg, but expected 'int64'"],
    ['"5.0"', notInt64('number 5.0')],
  ])('%s in a URI is %s', (text, value) => {
    for (const type of ['int64', 'int64?'] as const) expect(uri(type, text)).toEqual(value);
  });
});

test.each([
  ['int?', '9223372036854775808', 'int'],
  ['uint', '-1', 'uint'],
  ['uint', '18446744073709551616', 'uint'],
] as const)('other integers: %s is not %s', (type, text, name) => {
  const not = `json: cannot unmarshal number ${text} into Go value of type ${name}`;
  expect([json(type, `"${text}"`), uri(type, text)]).toEqual([not, not]);
  expect(uri(type, '7')).toBe(7n);
});

describe('truth values', () => {
  test.each(['bool', 'bool?'] as const)('%s is true or false, and nothing that looks like it', (type) => {
    const absent = type === 'bool' ? false : undefined;
    expect([json(type, 'true'), json(type, 'false'), json(type, 'null')]).toEqual([true, false, absent]);
    expect([uri(type, 'true'), uri(type, 'false'), uri(type, 'null'), uri(type, '')]).toEqual([
      true,
      false,
      absent,
      absent,
    ]);
    const not = (what: string): string => `json: cannot unmarshal ${what} into Go value of type bool`;
    expect([json(type, '"true"'), json(type, '1'), json(type, '{}')]).toEqual([
      not('string'),
      not('number'),
      not('object'),
    ]);
    expect([uri(type, '1'), uri(type, '"true"'), uri(type, '0x01')]).toEqual([
      not('number'),
      not('string'),
      "got a hex string arg, but expected 'bool'",
    ]);
    expect(uri(type, 'yes')).toContain('invalid character');
  });
});

describe('texts and bytes', () => {
  const bytes = Uint8Array.of(0xab, 0xcd);

  test('in JSON texts are as they stand, bytes base64, hashes hex', () => {
    expect([json('string', '"0xabcd"'), json('string', 'null')]).toEqual(['0xabcd', '']);
    expect([json('bytes', '"q80="'), json('hex', '"abCD"')]).toEqual([bytes, bytes]);
    expect([json('bytes', '[171,205]'), json('tx', '[255,null]')]).toEqual([bytes, Uint8Array.of(255, 0)]);
    for (const item of ['256', '1.5', '-1', '"a"'])
      expect(json('bytes', `[1,${item}]`)).toMatch(/^json: cannot unmarshal .* into Go value of type uint8$/);
    expect(json('hex', '"abc"')).toBe('encoding/hex: odd length hex string');
    expect(json('hex', '"0xab"')).toBe("encoding/hex: invalid byte: U+0078 'x'");
    expect(json('hex', '"\\u0061b"')).toEqual(Uint8Array.of(0xab));
    for (const [type, name] of [
      ['string', 'string'],
      ['bytes', '[]uint8'],
      ['tx', 'types.Tx'],
    ] as const) {
      expect(json(type, '5')).toBe(`json: cannot unmarshal number into Go value of type ${name}`);
      expect(json(type, '{}')).toBe(`json: cannot unmarshal object into Go value of type ${name}`);
    }
    expect([json('hex', '5'), json('hex', '["a"]')]).toEqual([
      'invalid hex string: 5',
      'invalid hex string: ["a"]',
    ]);
  });

  test('in a URI 0x begins hex, quotes the bytes themselves', () => {
    expect([uri('bytes', '0xabcd'), uri('hex', '0XABCD')]).toEqual([bytes, bytes]);
    expect([uri('string', '0x6869'), uri('string', '"hi"'), uri('string', 'null')]).toEqual(['hi', 'hi', '']);
    const hi = Uint8Array.of(0x68, 0x69);
    expect([uri('bytes', '"hi"'), uri('hex', '"hi"')]).toEqual([hi, hi]);
    expect([uri('bytes', '0xabc'), uri('string', '0xzz')]).toEqual([
      'encoding/hex: odd length hex string',
      "encoding/hex: invalid byte: U+007A 'z'",
    ]);
    expect(uri('bytes', '"\\x"')).toBe("invalid character 'x' in string escape code");
    expect(uri('hex', 'hi')).toBe('invalid hex string: hi');
    expect(uri('bytes', 'hi')).toContain('invalid character');
    expect(uri('bytes', '5')).toBe('json: cannot unmarshal number into Go value of type []uint8');
  });

  test('a list of texts is nothing else', () => {
    expect([json('strings', '["a","b"]'), json('strings', 'null'), uri('strings', '["a"]')]).toEqual([
      ['a', 'b'],
      [],
      ['a'],
    ]);
    const not = (what: string): string => `json: cannot unmarshal ${what} into Go value of type []string`;
    expect([json('strings', '["a",1]'), json('strings', '"a"')]).toEqual([not('array'), not('string')]);
  });
});

describe('arguments together', () => {
  const specs = [
    { name: 'height', type: 'int64?' },
    { name: 'prove', type: 'bool' },
  ] as const;
  const read = (text: string) => {
    const params = parseJson(text);
    const args = params.ok ? jsonArgs(specs, params.value) : params;
    return args.ok ? [...args.value.values()] : args.error;
  };

  test('come by name or as a whole list', () => {
    expect(read('{"prove":true}')).toEqual([undefined, true]);
    expect(read('["3",true]')).toEqual([3n, true]);
    expect(read('[]')).toBe('expected 2 parameters ([height prove]), got 0 ([])');
    expect(read('["3",true,1]')).toBe('expected 2 parameters ([height prove]), got 3 (["3" true 1])');
    expect(read('5')).toBe(
      'unknown type for JSON params: json: cannot unmarshal number into Go value of type []json.RawMessage. Expected map or array',
    );
    expect(read('null')).toEqual([undefined, false]);
  });

  test('of a URI: the first of a name counts, and broken escapes are errors', () => {
    const of = (query: string) => {
      const args = uriArgs(specs, query);
      return args.ok ? [...args.value.values()] : args.error;
    };
    expect(of('height=1&height=2&prove=true&&other')).toEqual([1n, true]);
    expect(of('height=%22+7%22')).toEqual([7n, false]);
    expect(of('height=%zz')).toBe('invalid URL escape in "%zz"');
    expect(of('%zz=1')).toBe('invalid URL escape in "%zz"');
  });
});
