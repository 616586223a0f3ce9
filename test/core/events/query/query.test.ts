import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileQuery } from '../../../../core/events/query/query.ts';

const load = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../vectors/cometbft/${name}.json`, import.meta.url), 'utf8'));

const parseVectors = load('query-parse') as Record<
  'v038' | 'derived',
  { query: string; valid: boolean }[]
> & {
  scanner_token_errors: string[];
};
const matchVectors = load('query-match-v038') as {
  query: string;
  events: Record<string, string[]>;
  matches: boolean;
}[];

describe('the golden parse vectors', () => {
  test.each([...parseVectors.v038, ...parseVectors.derived])(
    '$query is valid: $valid',
    ({ query, valid }) => {
      expect(compileQuery(query).ok).toBe(valid);
    },
  );

  test.each(parseVectors.scanner_token_errors)(
    'the token %s is an error wherever an argument stands',
    (token) => {
      expect(compileQuery(`a.b = ${token}`).ok).toBe(false);
    },
  );
});

test.each(matchVectors)('$query on $events matches: $matches', ({ query, events, matches }) => {
  const compiled = compileQuery(query);
  if (!compiled.ok) throw new Error(compiled.error);
  expect(compiled.value.matches(new Map(Object.entries(events)))).toBe(matches);
});

describe('errors say where and what was wanted', () => {
  test.each([
    [
      'malformed query',
      'offset 10: got tag, wanted <= operator, >= operator, < operator, > operator, = operator, CONTAINS operator or EXISTS operator',
    ],
    ['', 'offset 0: EOF'],
    ["tm.event = 'Tx' AND", 'offset 19: EOF'],
    ["tm.event = 'Tx", 'offset 11: EOF'],
    ["tm.event='Tx' OR a.b=1", 'offset 14: got tag, want AND operator'],
    ['a.b = "x"', 'offset 6: invalid input " at offset 7'],
    ['a.b CONTAINS 5', 'offset 13: got number, wanted string'],
    ["a.b > 'x'", 'offset 6: got string, wanted number, timestamp or datestamp'],
    ["é.b ! 'x'", 'offset 5: invalid input ! at offset 6'],
    ["a.b = 1 AND '", 'offset 12: EOF'],
    ["a.b = 1 '", 'offset 8: got invalid token, want AND operator'],
    ['a.b = DATE 1899-01-01', 'offset 6: datestamp year 1899 out of range'],
    ['a.b = DATE 3000-01-01', 'offset 6: datestamp year 3000 out of range'],
    ['a.b = TIME 3000-01-01T00:00:00Z', 'offset 6: timestamp year 3000 out of range'],
    [
      'a.b = TIME 2024-13-01T00:00:00Z',
      'offset 6: invalid TIME value: parsing time "2024-13-01T00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse',
    ],
    [
      'a.b = DATE 2024-13-01',
      'offset 6: invalid DATE value: parsing time "2024-13-01" as "2006-01-02": cannot parse',
    ],
  ])('%s', (query, message) => {
    expect(compileQuery(query)).toEqual({ ok: false, error: message });
  });
});

test('a query value that is a 20-byte hex address matches in any letter case', () => {
  const keys = new Map([['ethereum.recipient', ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8']]]);
  for (const text of [
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    '0X70997970C51812DC3A010C7D01B50E0D17DC79C8',
  ]) {
    const query = compileQuery(`ethereum.recipient='${text}'`);
    expect(query.ok && query.value.matches(keys)).toBe(true);
  }
  const other = compileQuery("ethereum.recipient='0x80997970c51812dc3a010c7d01b50e0d17dc79c8'");
  expect(other.ok && other.value.matches(keys)).toBe(false);
});

test('dates are compared with dates, and times with times', () => {
  const is = (text: string, value: string): unknown => {
    const query = compileQuery(`a.b ${text}`);
    return query.ok && query.value.matches(new Map([['a.b', [value]]]));
  };
  expect(is('= DATE 2013-05-03', '2013-05-03')).toBe(true);
  expect(is('> DATE 2013-05-03', '2013-05-03')).toBe(false);
  expect(is('> DATE 2013-05-03', '2013-05-04')).toBe(true);
  expect(is('<= DATE 2013-05-03', '2013-05-04')).toBe(false);
  expect(is('>= DATE 2013-05-03', '2013-05-03T00:00:00Z')).toBe(false);
  expect(is('>= TIME 2013-05-03T00:00:00Z', '2013-05-03')).toBe(false);
  expect(is('= TIME 2013-05-03T02:00:00+02:00', '2013-05-03T00:00:00Z')).toBe(true);
});

test('spacing does not make another query', () => {
  const a = compileQuery("tm.event='Tx' AND tx.height>5");
  const b = compileQuery("  tm.event  =  'Tx'  AND\ttx.height >5 ");
  expect(a.ok && b.ok && a.value.text === b.value.text).toBe(true);
  expect(a.ok && a.value.text).toBe("tm.event = 'Tx' AND tx.height > 5");
});

test('any text parses or fails with words, and the normal form parses to itself', () => {
  const piece = fc.constantFrom(
    'a.b',
    'tm.event',
    '=',
    '<',
    '>=',
    "'x'",
    "'",
    '5',
    '5.',
    'AND',
    'EXISTS',
    'CONTAINS',
    'DATE 2020-01-01',
    'TIME ',
    ' ',
    '\u00a0',
    'é',
    '!',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(text, (source) => {
      const query = compileQuery(source);
      if (!query.ok) return query.error.length > 0;
      query.value.matches(new Map([['a.b', ['5', 'x', '2020-01-01']]]));
      const again = compileQuery(query.value.text);
      return again.ok && again.value.text === query.value.text;
    }),
  );
});
