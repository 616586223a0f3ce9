import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toEip55 } from '../../../../core/address/eip55.ts';
import {
  clearIndex,
  commitIndexOps,
  fillIndex,
  readCoverage,
  undoIndexOps,
} from '../../../../core/events/index/indexer.ts';
import { addressItem, type LogItem, topicItem } from '../../../../core/events/index/logPosting.ts';
import { EventSearch } from '../../../../core/events/index/search.ts';
import { MemoryKv } from '../../../../core/store/memoryKv.ts';
import type { FinalizeReply } from '../../../../core/types/app.ts';

interface Log {
  readonly address: number;
  readonly topics: readonly number[];
}

const addressOf = (n: number) => new Uint8Array(20).fill(0xa0 + n);
const topicOf = (n: number) => new Uint8Array(32).fill(0xb0 + n);
const text = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

/** As the application writes them, data that looks like topics included. */
const logText = ({ address, topics }: Log): string =>
  JSON.stringify({
    address: toEip55(addressOf(address)),
    topics: topics.map((topic) => text(topicOf(topic))),
    data: text(topicOf(3)),
    blockNumber: 1,
  });

const resultsOf = (logs: readonly Log[]): FinalizeReply =>
  ({
    events: [],
    txResults: [
      {
        events: [
          {
            type: 'tx_log',
            attributes: logs.map((log) => ({ key: 'txLog', value: logText(log), index: true })),
          },
        ],
      },
    ],
  }) as unknown as FinalizeReply;

const log = fc.record({
  address: fc.integer({ min: 0, max: 3 }),
  topics: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
});
const chainOf = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(log, { maxLength: 3 })),
  {
    minLength: 1,
    maxLength: 80,
  },
);
const itemOf = fc.oneof(
  fc
    .integer({ min: 0, max: 3 })
    .map((n) => ({ item: addressItem(addressOf(n)), has: (one: Log) => one.address === n })),
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4 }))
    .map(([at, n]) => ({ item: topicItem(at, topicOf(n)), has: (one: Log) => one.topics[at] === n })),
);

const reads = {
  head: () => 0,
  base: () => 0,
  results: () => undefined,
  txCount: () => 0,
  txLocation: () => undefined,
};

async function heights(
  kv: MemoryKv,
  groups: readonly (readonly LogItem[])[],
  from: number,
  to: number,
): Promise<number[]> {
  const found: number[] = [];
  const walk = new EventSearch(kv, reads).logHeights(groups);
  for (let at = from; ; at++) {
    const next = await walk.next(at, to);
    if (next === undefined) return found;
    found.push(next);
    at = next;
  }
}

test('the heights found are those whose logs have one item of every group', async () => {
  await fc.assert(
    fc.asyncProperty(
      chainOf,
      fc.array(fc.array(itemOf, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 90 }),
      async (chain, groups, from, to) => {
        const kv = new MemoryKv();
        for (const [i, logs] of chain.entries()) kv.apply(commitIndexOps(kv, i + 1, resultsOf(logs)));
        const expected: number[] = [];
        for (let height = from; height <= to; height++) {
          const logs = chain[height - 1];
          const holds = groups.every((items) => logs?.some((one) => items.some(({ has }) => has(one))));
          // Above the head nothing is indexed: it may hold anything.
          if (logs === undefined || (holds && logs.length > 0)) expected.push(height);
        }
        const items = groups.map((group) => group.map(({ item }) => item));
        expect(await heights(kv, items, from, to)).toEqual(expected);
      },
    ),
    { numRuns: 200 },
  );
});

test('heights before the first one indexed may hold anything', async () => {
  const kv = new MemoryKv();
  for (const height of [5, 6, 7])
    kv.apply(commitIndexOps(kv, height, resultsOf(height === 6 ? [{ address: 2, topics: [] }] : [])));
  expect(await heights(kv, [[addressItem(addressOf(2))]], 3, 8)).toEqual([3, 4, 6, 8]);
});

test('a height taken back, or an index dropped, leaves no entry behind', async () => {
  const kv = new MemoryKv();
  const first = resultsOf([{ address: 1, topics: [1, 2] }]);
  const second = resultsOf([{ address: 1, topics: [2] }]);
  kv.apply(commitIndexOps(kv, 1, first));
  const before = await kv.range({ gte: new Uint8Array(1), lt: new Uint8Array(1).fill(255), limitMax: 100 });
  kv.apply(commitIndexOps(kv, 2, second));
  kv.apply(undoIndexOps(kv, 2, second));
  expect(await kv.range({ gte: new Uint8Array(1), lt: new Uint8Array(1).fill(255), limitMax: 100 })).toEqual(
    before,
  );
  await clearIndex(kv);
  expect(await kv.range({ gte: new Uint8Array(1), lt: new Uint8Array(1).fill(255), limitMax: 100 })).toEqual(
    [],
  );
});

test('what an older index lacks is filled in at the start', async () => {
  const kv = new MemoryKv();
  const results = [resultsOf([]), resultsOf([{ address: 2, topics: [] }])];
  const chain = { head: () => 2, base: () => 1, results: (height: number) => results[height - 1] };
  await fillIndex(kv, chain, async () => {});
  expect(await heights(kv, [[addressItem(addressOf(2))]], 1, 2)).toEqual([2]);
});

test('of a block with more entries than a call stack holds, too', async () => {
  const kv = new MemoryKv();
  const attributes = Array.from({ length: 150_000 }, (_, i) => ({ key: 'k', value: String(i), index: true }));
  const results = { events: [{ type: 'many', attributes }], txResults: [] } as unknown as FinalizeReply;
  const chain = { head: () => 1, base: () => 1, results: () => results };
  await fillIndex(kv, chain, async () => {});
  expect(readCoverage(kv)).toEqual({ from: 1, to: 1 });
});
