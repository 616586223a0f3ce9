import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keysOf } from '../../../../core/events/eventModel.ts';
import { clearIndex, fillIndex, pruneIndexOps, readCoverage } from '../../../../core/events/index/indexer.ts';
import { planOf, type Term } from '../../../../core/events/index/plan.ts';
import { canonicalText, compileQuery, type Query } from '../../../../core/events/query/query.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import type { AbciEvent } from '../../../../core/types/result.ts';
import { IndexedChain, resultsOf, type TestHeight } from './support.ts';

const load = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../vectors/cometbft/${name}.json`, import.meta.url), 'utf8'));

const query = (text: string): Query => {
  const compiled = compileQuery(text);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

async function found(chain: IndexedChain, text: string): Promise<readonly (readonly [number, number])[]> {
  const result = await chain.search.txs(query(text));
  if (!result.ok) throw new Error(result.error.message);
  return result.value.map(({ height, index }) => [height, index] as const);
}

async function foundHeights(chain: IndexedChain, text: string): Promise<readonly number[]> {
  const result = await chain.search.blocks(query(text));
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const EMPTY_HEIGHT: TestHeight = { events: [], txs: [] };

/** Every height up to the last one named, so that a tx stands at its index of its height. */
function chainOf(heights: ReadonlyMap<number, TestHeight>): IndexedChain {
  const chain = new IndexedChain();
  for (let height = 1; height <= Math.max(...heights.keys()); height++)
    chain.commit(heights.get(height) ?? EMPTY_HEIGHT);
  return chain;
}

interface TxVectors {
  readonly suites: readonly {
    readonly suite: string;
    readonly txs: readonly { tx_utf8: string; height: string; index: number; events: AbciEvent[] }[];
    readonly cases: readonly { query: string; result_count: number }[];
  }[];
}

describe.each((load('tx-search') as TxVectors).suites)('$suite', ({ txs, cases }) => {
  const heights = new Map<number, TestHeight>();
  for (const { tx_utf8, height, index, events } of txs) {
    const at = heights.get(Number(height)) ?? EMPTY_HEIGHT;
    const list = [...at.txs];
    while (list.length <= index) list.push({ bytes: encodeUtf8(`filler ${list.length}`), events: [] });
    list[index] = { bytes: encodeUtf8(tx_utf8), events };
    heights.set(Number(height), { ...at, txs: list });
  }
  const chain = chainOf(heights);
  const isFiller = ([height, index]: readonly [number, number]): boolean =>
    chain.heights[height - 1]?.txs[index]?.events.length === 0;

  test.each(cases)('$query finds $result_count', async ({ query: text, result_count }) => {
    const places = (await found(chain, text)).filter((place) => !isFiller(place));
    expect(places).toHaveLength(result_count);
  });
});

interface BlockVectors {
  readonly suites: readonly {
    readonly suite: string;
    readonly blocks: readonly { height: string; events: AbciEvent[] }[];
    readonly cases: readonly { query: string; heights: number[] }[];
  }[];
}

describe.each((load('block-search') as BlockVectors).suites)('$suite', ({ blocks, cases }) => {
  const chain = chainOf(new Map(blocks.map(({ height, events }) => [Number(height), { events, txs: [] }])));
  test.each(cases)('$query finds $heights', async ({ query: text, heights }) => {
    expect(await foundHeights(chain, text)).toEqual(heights);
  });
});

const ADDRESS = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const LONG = `{"address":"${ADDRESS}","topics":["0x${'ab'.repeat(32)}"],"data":"0x`;

const value = fc.constantFrom(
  '1',
  '2',
  '10',
  '007',
  '8atom',
  '',
  'x',
  ADDRESS,
  ADDRESS.toLowerCase(),
  `${LONG}1`,
  `${LONG}2`,
);
const event: fc.Arbitrary<AbciEvent> = fc.record({
  type: fc.constantFrom('a', 'b', ''),
  attributes: fc.array(fc.record({ key: fc.constantFrom('x', 'y', ''), value, index: fc.boolean() }), {
    maxLength: 3,
  }),
});
const heightArb: fc.Arbitrary<Omit<TestHeight, 'txs'> & { txs: AbciEvent[][] }> = fc.record({
  events: fc.array(event, { maxLength: 2 }),
  txs: fc.array(fc.array(event, { maxLength: 3 }), { maxLength: 3 }),
});
const condition = fc.oneof(
  fc.tuple(fc.constantFrom('a.x', 'a.y', 'b.x'), value).map(([tag, text]) => `${tag}='${text}'`),
  fc
    .tuple(fc.constantFrom('a.x', 'b.y'), fc.constantFrom('<', '<=', '>', '>=', '='))
    .map(([tag, op]) => `${tag} ${op} 7`),
  fc.constantFrom(
    'a.x EXISTS',
    "a.y CONTAINS 'a'",
    "b.x CONTAINS '0'",
    'a.x = 007',
    'tx.height > 1',
    'tx.height = 2',
    'tx.height <= 2',
  ),
);
const queryText = fc.array(condition, { minLength: 1, maxLength: 3 }).map((list) => list.join(' AND '));

const build = (heights: readonly (Omit<TestHeight, 'txs'> & { txs: AbciEvent[][] })[]): IndexedChain => {
  const chain = new IndexedChain();
  for (const [at, { events, txs }] of heights.entries())
    chain.commit({
      events,
      txs: txs.map((list, i) => ({ bytes: encodeUtf8(`${at}/${i}`), events: list })),
    });
  return chain;
};

/** Whether one event has an indexed attribute for every term: the index joins no attributes of different events. */
const meetsAlone = ({ type, attributes }: AbciEvent, terms: readonly Term[]): boolean =>
  terms.every((term) =>
    attributes.some(
      ({ key, value, index }) =>
        index &&
        type !== '' &&
        key !== '' &&
        `${type}.${key}` === term.tag &&
        (term.kind === 'equal' ? canonicalText(value) === term.value : term.test(value)),
    ),
  );

/** The oracle of the property test: looks at every event of every transaction. */
function bruteForce(chain: IndexedChain, text: string): readonly (readonly [number, number])[] {
  const { conditions } = query(text);
  const plan = planOf(conditions, 'tx.height', [1, chain.head()]);
  const places: [number, number][] = [];
  for (let height = plan.low; height <= plan.high; height++)
    for (const [index, tx] of (chain.heights[height - 1] as TestHeight).txs.entries())
      if (plan.terms.length === 0 || tx.events.some((one) => meetsAlone(one, plan.terms)))
        places.push([height, index]);
  return places;
}

test('a search finds what looking at every event finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(heightArb, { minLength: 1, maxLength: 4 }),
      queryText,
      async (heights, text) => {
        const chain = build(heights);
        expect(await found(chain, text)).toEqual(bruteForce(chain, text));
      },
    ),
    { numRuns: 200 },
  );
});

test('a stored number below zero is below every number that a query can name', async () => {
  const values = ['-5', '-0.5', '0', '+3', '7'];
  const heights = values.map((text): TestHeight => {
    const attributes = [{ key: 'x', value: text, index: true }];
    return { events: [{ type: 'a', attributes }], txs: [] };
  });
  const chain = new IndexedChain();
  for (const height of heights) chain.commit(height);
  const valuesBy = async (text: string) =>
    (await foundHeights(chain, text)).map((height) => values[height - 1]);
  expect(await valuesBy('a.x < 3')).toEqual(['-5', '-0.5', '0']);
  expect(await valuesBy('a.x >= 0')).toEqual(['0', '+3', '7']);
  expect(await valuesBy('a.x > 0 AND a.x <= 5')).toEqual(['+3']);
});

test('where one condition on indexed attributes is asked, a search finds what a subscription is told', async () => {
  const exact = fc
    .tuple(fc.constantFrom('a.x', 'a.y', 'b.x'), fc.constantFrom('2', 'x', ADDRESS, `${LONG}1`))
    .map(([tag, text]) => `tm.event='Tx' AND ${tag}='${text}'`);
  await fc.assert(
    fc.asyncProperty(fc.array(heightArb, { minLength: 1, maxLength: 4 }), exact, async (heights, text) => {
      const indexed = heights.map(({ events, txs }) => ({
        events,
        txs: txs.map((list) =>
          list.map(({ type, attributes }) => ({
            type,
            attributes: attributes.map((attribute) => ({ ...attribute, index: true })),
          })),
        ),
      }));
      const chain = build(indexed);
      const told = chain.heights.flatMap(({ txs }, i) =>
        txs.flatMap((tx, index) =>
          query(text).matches(keysOf(tx.events, [['tm.event', 'Tx']])) ? [[i + 1, index]] : [],
        ),
      );
      expect(await found(chain, text)).toEqual(told);
    }),
    { numRuns: 200 },
  );
});

const one = (owner: string): TestHeight => ({
  events: [{ type: 'block', attributes: [{ key: 'owner', value: owner, index: true }] }],
  txs: [
    {
      bytes: encodeUtf8(owner),
      events: [{ type: 'account', attributes: [{ key: 'owner', value: owner, index: true }] }],
    },
  ],
});
const noPause = async (): Promise<void> => {};

test('heights that were not indexed are filled in, and the index then says what an unbroken one says', async () => {
  const chain = new IndexedChain();
  chain.commit(one('Ana'));
  chain.isIndexing = false;
  for (const owner of ['Bo', 'Ana', 'Cy']) chain.commit(one(owner));
  expect(await found(chain, "account.owner='Ana'")).toEqual([[1, 0]]);
  await fillIndex(chain.kv, chain, noPause);
  expect(readCoverage(chain.kv)).toEqual({ from: 1, to: 4 });
  expect(await found(chain, "account.owner='Ana'")).toEqual([
    [1, 0],
    [3, 0],
  ]);
  expect(await foundHeights(chain, "block.owner='Cy'")).toEqual([4]);
});

test('a cleared index is empty, and filled again is the same to the byte', async () => {
  const chain = new IndexedChain();
  for (const owner of ['Ana', 'Bo']) chain.commit(one(owner));
  const all = { gte: Uint8Array.of(0), lt: Uint8Array.of(255), limitMax: 1000 };
  const before = await chain.kv.range(all);
  await clearIndex(chain.kv);
  expect(await chain.kv.range(all)).toEqual([]);
  expect(await found(chain, "account.owner='Ana'")).toEqual([]);
  await fillIndex(chain.kv, chain, noPause);
  expect(await chain.kv.range(all)).toEqual(before);
});

test('a pruned height leaves nothing in the index', async () => {
  const chain = new IndexedChain();
  for (const owner of ['Ana', 'Ana']) chain.commit(one(owner));
  chain.kv.apply(pruneIndexOps(1, resultsOf(chain.heights[0] as TestHeight)));
  chain.lowest = 2;
  expect(await found(chain, "account.owner='Ana'")).toEqual([[2, 0]]);
  const entries = {
    gte: Uint8Array.of('Q'.charCodeAt(0)),
    lt: Uint8Array.of('X'.charCodeAt(0)),
    limitMax: 100,
  };
  expect(await chain.kv.range(entries)).toHaveLength(2);
});
