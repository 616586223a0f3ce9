/** What one search, and one key, may take; and what lies beyond one piece of what is read or written at a time. */
import { describe, expect, test } from 'vitest';
import { fillIndex, readCoverage } from '../../../../core/events/index/indexer.ts';
import { attributePart, tagPart } from '../../../../core/events/index/posting.ts';
import { EventSearch } from '../../../../core/events/index/search.ts';
import { leadingDecimal } from '../../../../core/events/query/decimal.ts';
import { compileQuery, type Query } from '../../../../core/events/query/query.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import type { KvOp } from '../../../../core/store/kv.ts';
import type { AbciEvent } from '../../../../core/types/result.ts';
import { IndexedChain } from './support.ts';

const query = (text: string): Query => {
  const compiled = compileQuery(text);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

const event = (...said: readonly (readonly [key: string, value: string])[]): AbciEvent => ({
  type: 'a',
  attributes: said.map(([key, value]) => ({ key, value, index: true })),
});

/** Each height has so many transactions, with an event each that says `a.all='x'` and `a.number=height`. */
function chainOf(heights: number, txs: number): IndexedChain {
  const chain = new IndexedChain();
  for (let height = 1; height <= heights; height++) {
    const events = [event(['all', 'x'], ['number', String(height)])];
    chain.commit({
      events,
      txs: Array.from({ length: txs }, (_, i) => ({ bytes: encodeUtf8(`${height}/${i}`), events })),
    });
  }
  return chain;
}

describe('one search', () => {
  const small = { kept: () => 1, atOnce: () => 1, bytesAtOnce: () => 1 };
  const chain = chainOf(6, 5);
  const search = (stepsMax: number) => new EventSearch(chain.kv, chain, async () => {}, small, stepsMax);

  test.each([
    ['all transactions', 'tx.height > 0', 30],
    ['a value', "a.all = 'x'", 36],
    ['values in a range', 'a.number > 0', 36],
    ['a value, and others in a range', "a.all = 'x' AND a.number > 0", 37],
  ])('that looks at more than it may is refused: %s', async (_, text, steps) => {
    expect(await search(steps).txs(query(text))).toMatchObject({ ok: true, value: { length: 30 } });
    const message = `the query looks at more than ${steps - 1} events; add a condition on tx.height`;
    expect(await search(steps - 1).txs(query(text))).toEqual({
      ok: false,
      error: { code: 'too-much', message },
    });
  });

  test('of blocks takes a step a height', async () => {
    expect(await search(6).blocks(query('block.height > 0'))).toMatchObject({ value: { length: 6 } });
    expect(await search(5).blocks(query('block.height > 0'))).toMatchObject({ error: { code: 'too-much' } });
  });

  test('goes on where one piece of the index ends', async () => {
    const long = chainOf(300, 1);
    for (const text of ["a.all = 'x'", 'a.number > 0']) {
      expect(await long.search.txs(query(text))).toMatchObject({ ok: true, value: { length: 300 } });
      expect(await long.search.blocks(query(text))).toMatchObject({ ok: true, value: { length: 300 } });
    }
  });
});

test('an index is filled in batches of a bounded size, each of which stands for itself', async () => {
  const chain = new IndexedChain();
  chain.isIndexing = false;
  const events = Array.from({ length: 900 }, (_, i) => event(['number', String(i)]));
  for (let height = 1; height <= 50; height++)
    chain.commit({ events: [], txs: [{ bytes: encodeUtf8(`${height}`), events }] });
  const sizes: number[] = [];
  const reached: (number | undefined)[] = [];
  const kv = {
    get: (key: Uint8Array) => chain.kv.get(key),
    range: (range: Parameters<IndexedChain['kv']['range']>[0]) => chain.kv.range(range),
    batch: async (ops: readonly KvOp[]) => {
      sizes.push(ops.length);
      chain.kv.apply(ops);
      reached.push(readCoverage(chain.kv)?.to);
    },
  };
  await fillIndex(kv, chain, async () => {});
  expect(Math.max(...sizes)).toBeLessThan(21_000);
  expect(reached).toEqual([23, 46, 50]);
});

describe('keys', () => {
  test('a longer value stands by its hash, whatever letters it has, and is told from its like', () => {
    for (const letter of ['x', 'é']) {
      const [long, other] = [letter.repeat(5000), `${letter.repeat(4999)}y`];
      const [part, otherPart, short] = [long, other, letter.repeat(48)].map((value) =>
        attributePart('tag', value),
      );
      expect(part).toMatchObject({ isWhole: false, bytes: { length: 2 + 3 + 1 + 32 } });
      expect(otherPart?.bytes).not.toEqual(part?.bytes);
      expect(short?.isWhole).toBe(true);
    }
  });

  test('a tag that no key can hold has no part', () => {
    expect(tagPart('x'.repeat(65_535))).toHaveLength(65_537);
    expect(tagPart('x'.repeat(65_536))).toBeUndefined();
  });

  test('no more than about a thousand tags are cached', () => {
    for (let i = 0; i < 1100; i++) tagPart(`flood ${i}`);
    expect(tagPart('one more')).toEqual(tagPart('one more'));
    expect(tagPart('one more')).not.toBe(tagPart('one more'));
  });
});

describe('queries', () => {
  test('a number of more than 4096 digits matches nothing', () => {
    expect(leadingDecimal('1'.repeat(4096))).toBeDefined();
    expect(leadingDecimal('1'.repeat(4097))).toBeUndefined();
    expect(leadingDecimal(`1.${'1'.repeat(4095)}`)).toBeUndefined();
  });

  test('a query has at most 512 conditions', () => {
    const many = (count: number) =>
      compileQuery(Array.from({ length: count }, () => 'a.b = 1').join(' AND '));
    expect(many(512).ok).toBe(true);
    expect(many(513)).toEqual({ ok: false, error: 'more than 512 conditions' });
  });

  test('heights are compared with whole numbers and with those in between', async () => {
    const chain = chainOf(4, 1);
    const meets: Readonly<Record<string, (height: number, limit: number) => boolean>> = {
      '<': (height, limit) => height < limit,
      '<=': (height, limit) => height <= limit,
      '=': (height, limit) => height === limit,
      '>=': (height, limit) => height >= limit,
      '>': (height, limit) => height > limit,
    };
    for (const [op, isMet] of Object.entries(meets))
      for (let limit = 0; limit <= 5; limit += 0.5) {
        const text = `block.height ${op} ${limit}`;
        const found = await chain.search.blocks(query(text));
        expect(found, text).toEqual({ ok: true, value: [1, 2, 3, 4].filter((one) => isMet(one, limit)) });
      }
  });

  test('a height beyond all numbers is above every height', async () => {
    const chain = chainOf(2, 1);
    const huge = '9'.repeat(400);
    const count = async (text: string) => {
      const found = await chain.search.blocks(query(text));
      return found.ok ? found.value.length : found.error;
    };
    expect(await count(`block.height < ${huge}`)).toBe(2);
    expect(await count(`block.height <= ${huge}`)).toBe(2);
    expect(await count(`block.height >= ${huge}`)).toBe(0);
    expect(await count(`block.height = ${huge}`)).toBe(0);
  });
});
