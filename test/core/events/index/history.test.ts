import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typedEvent } from '../../../../core/events/eventTable.ts';
import { anchorOf, History } from '../../../../core/events/index/history.ts';
import { compileQuery } from '../../../../core/events/query/query.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import { IndexedChain } from './support.ts';

const anchor = (text: string) => {
  const query = compileQuery(text);
  if (!query.ok) throw new Error(query.error);
  return anchorOf(query.value);
};

test('only an equality with a text of an attribute names heights', () => {
  expect(anchor("tm.event='Tx' AND ethereum.recipient='0xab'")).toEqual({
    tag: 'ethereum.recipient',
    value: '0xab',
  });
  for (const text of [
    "tm.event='Tx'",
    "tx.hash='AB'",
    'a.b=8',
    'a.b>8',
    "a.b CONTAINS 'x'",
    'a.b EXISTS',
    "a.b=''",
    "bare='x'",
  ])
    expect(anchor(text)).toBeUndefined();
});

const value = fc.constantFrom('evm', 'bank', '0xAbCdEfabcdefabcdefabcdefabcdefabcdefabcd');
const block = fc.record({ own: fc.option(value), txs: fc.array(value, { maxLength: 2 }) });

test('the heights walked are those with the value, of blocks or transactions, and all that are not indexed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { minLength: 1, maxLength: 12 }),
      fc.nat(4),
      value,
      async (blocks, unindexed, wanted) => {
        const chain = new IndexedChain();
        for (const [i, { own, txs }] of blocks.entries()) {
          // A node that indexes from some height on covers what comes after.
          chain.isIndexing = i >= unindexed;
          const event = (text: string) => typedEvent('message', [['module', text]]);
          chain.commit({
            events: own === null ? [] : [event(own)],
            txs: txs.map((text, tx) => ({ bytes: encodeUtf8(`${i} ${tx}`), events: [event(text)] })),
          });
        }
        const history = new History({ tag: 'message.module', value: wanted.toLowerCase() }, chain.search);
        const walked: number[] = [];
        for (let from = 1; from <= blocks.length; from = (walked.at(-1) ?? 0) + 1) {
          const next = await history.next(from, blocks.length);
          if (next === undefined) break;
          walked.push(next);
        }
        const expected = blocks.flatMap(({ own, txs }, i) =>
          i < unindexed || [own, ...txs].includes(wanted) ? [i + 1] : [],
        );
        expect(walked).toEqual(expected);
      },
    ),
    { numRuns: 200 },
  );
});
