import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY } from '../../../../core/lib/bytes.ts';
import { listPage, type PageRequest, pageOf } from '../../../../core/rpc/cosmos/paging.ts';

const FIRST: PageRequest = { key: EMPTY, offset: 0n, limit: 0n, countTotal: false, reverse: false };

/** All that whoever follows next_key is given. */
async function walk(request: PageRequest, list: readonly (number | undefined)[]): Promise<readonly number[]> {
  const seen: number[] = [];
  let next = request;
  for (let pages = 0; pages <= list.length; pages++) {
    const { items, page } = await pageOf({}, next, BigInt(list.length), (position) => list[Number(position)]);
    seen.push(...items);
    const isTold = next.key.length === 0 && (request.countTotal || request.limit === 0n);
    expect(page.total).toBe(isTold ? BigInt(list.length) : 0n);
    if (page.nextKey.length === 0) return seen;
    next = { ...request, offset: 0n, key: page.nextKey };
  }
  throw new Error('there is no end of pages');
}

test('pages one after the other have everything once, whatever is asked beside', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 250, size: 'max' }),
      fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 40n })),
      fc.bigInt({ min: 0n, max: 20n }),
      fc.boolean(),
      fc.boolean(),
      async (list, limit, offset, countTotal, reverse) => {
        const all = reverse ? [...list].reverse() : list;
        const due = all.slice(Number(offset)).filter((one) => one !== undefined);
        const request = { ...FIRST, limit, offset, countTotal, reverse };
        expect(await walk(request, list)).toEqual(due);
        expect(listPage(request, due)).toEqual(
          await pageOf({}, request, BigInt(due.length), (at) => due[Number(at)]),
        );
      },
    ),
  );
});

test.each([
  ['from its beginning', false, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['from its end', true, [6, 5, 4, 3, 2, 1, 0]],
] as const)(
  'a list that grows between two pages is told %s without anything twice',
  async (_, reverse, due) => {
    const seen: bigint[] = [];
    let key = EMPTY;
    for (let count = 7n; ; count++) {
      const { items, page } = await pageOf(
        {},
        { ...FIRST, key, limit: 3n, reverse },
        count,
        (position) => position,
      );
      seen.push(...items);
      if (page.nextKey.length === 0) break;
      key = page.nextKey;
    }
    expect(seen.map(Number)).toEqual(due);
  },
);

test('a key beyond the end of a list starts a reverse page at the last place, and a forward page is empty', async () => {
  const key = Uint8Array.of(9);
  const at = async (reverse: boolean) =>
    (await pageOf({}, { ...FIRST, key, limit: 2n, reverse }, 3n, Number)).items;
  expect([await at(true), await at(false)]).toEqual([[2, 1], []]);
});

test.each([false, true])(
  'a page looks at no more than 10000 places, and the next page continues there (from the end: %s)',
  async (reverse) => {
    const count = 25_000n;
    const only = reverse ? 0n : count - 1n;
    const looks: number[] = [];
    const pausedAt: number[] = [];
    const found: bigint[] = [];
    let key = EMPTY;
    do {
      let looked = 0;
      const pause = async (): Promise<void> => void pausedAt.push(looked);
      const { items, page } = await pageOf({ pause }, { ...FIRST, key, reverse }, count, (position) => {
        looked++;
        return position === only ? position : undefined;
      });
      looks.push(looked);
      found.push(...items);
      key = page.nextKey;
    } while (key.length > 0);
    expect([looks, found]).toEqual([[10_000, 10_000, 5_000], [only]]);
    expect(pausedAt.slice(0, 3)).toEqual([64, 128, 192]);
    expect(pausedAt).toHaveLength(2 * 156 + 78);
  },
);
