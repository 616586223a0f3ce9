import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileQuery, type Query } from '../../../core/events/query/query.ts';
import { SubscriptionIndex } from '../../../core/events/subscriptions.ts';

const ADDRESS = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const VALUES = ['Tx', 'NewBlock', '1', '5', 'x', '', ADDRESS, ADDRESS.toLowerCase()];
const TAGS = ['tm.event', 'a.x', 'a.y', 'b.x', 'a', 'b'];

const query = (text: string): Query => {
  const compiled = compileQuery(text);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

const condition = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...TAGS), fc.constantFrom(...VALUES))
      .map(([tag, value]) => `${tag}='${value}'`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a.x EXISTS', 'a EXISTS', "b.x CONTAINS 'x'", 'a.y > 2', 'a.x = 5'),
  },
);
const queries = fc.array(
  fc.array(condition, { minLength: 1, maxLength: 3 }).map((list) => list.join(' AND ')),
  { minLength: 1, maxLength: 8 },
);
const events = fc.array(
  fc.tuple(fc.constantFrom('tm.event', 'a.x', 'a.y', 'b.x'), fc.constantFrom(...VALUES)),
  {
    maxLength: 5,
  },
);

const keysFrom = (pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> => {
  const keys = new Map<string, string[]>();
  for (const [key, value] of pairs) keys.set(key, [...(keys.get(key) ?? []), value]);
  return keys;
};

test('an event reaches exactly those whose query matches, also after others have left', () => {
  fc.assert(
    fc.property(queries, events, fc.nat(7), (texts, pairs, leaving) => {
      const index = new SubscriptionIndex<number>();
      for (const [i, text] of texts.entries()) index.add(query(text), i);
      const keys = keysFrom(pairs);
      const wanted = texts.flatMap((text, i) => (query(text).matches(keys) ? [i] : []));
      expect([...index.matching(keys)].sort((a, b) => a - b)).toEqual(wanted);
      const gone = leaving % texts.length;
      index.remove(query(texts[gone] as string), gone);
      expect([...index.matching(keys)].sort((a, b) => a - b)).toEqual(wanted.filter((i) => i !== gone));
    }),
    { numRuns: 300 },
  );
});

test('nothing is left of queries that were given up', () => {
  const index = new SubscriptionIndex<string>();
  const text = `tm.event='Tx' AND ethereum.recipient='${ADDRESS}'`;
  for (const name of ['a', 'b']) index.add(query(text), name);
  expect(index.queryCount).toBe(1);
  for (const name of ['a', 'b', 'b']) index.remove(query(text), name);
  expect(index.queryCount).toBe(0);
  const keys = keysFrom([
    ['tm.event', 'Tx'],
    ['ethereum.recipient', ADDRESS],
  ]);
  expect(index.groupsMatching(keys)).toEqual([]);
});

test('an event compares itself with the queries of its own recipient alone', () => {
  const index = new SubscriptionIndex<number>();
  let compared = 0;
  for (let i = 0; i < 10_000; i++) {
    const one = query(`tm.event='Tx' AND ethereum.recipient='0x${i.toString(16).padStart(40, '0')}'`);
    const matches = one.matches.bind(one);
    one.matches = (keys) => {
      compared++;
      return matches(keys);
    };
    index.add(one, i);
  }
  const keys = keysFrom([
    ['tm.event', 'Tx'],
    ['ethereum.recipient', `0x${(77).toString(16).padStart(40, '0')}`],
  ]);
  expect(index.matching(keys)).toEqual([77]);
  expect(compared).toBe(1);
});
