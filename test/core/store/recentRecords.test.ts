import { expect, test } from 'vitest';
import { RecentHeights } from '../../../core/store/recentHeights.ts';
import { RecentRecords } from '../../../core/store/recentRecords.ts';

test('what a height was read as is remembered for as long as its records are the same', () => {
  const recent = new RecentRecords<{ readonly sum: number }>(2);
  const at = (height: number, ...records: number[][]) =>
    recent.at(
      height,
      records.map((record) => Uint8Array.from(record)),
      () => {
        if (records.length === 0) throw new Error('nothing there');
        return { sum: records.flat().reduce((sum, byte) => sum + byte, 0) };
      },
    );
  const first = at(5, [1, 2], [3]);
  expect(first).toEqual({ sum: 6 });
  expect(at(5, [1, 2], [3])).toBe(first);
  expect(at(5, [9, 2], [3])).toEqual({ sum: 14 });
  expect(at(5, [9, 2])).toEqual({ sum: 11 });
  expect(at(7, [1, 2])).toEqual({ sum: 3 });
  expect(() => at(7)).toThrow('nothing there');
  expect(at(7, [1, 2])).toEqual({ sum: 3 });
});

test('what a height has is loaded once, and what is not there is asked for again', () => {
  const recent = new RecentHeights<string>(2);
  const loads: number[] = [];
  const at = (height: number, value: string | undefined): string | undefined =>
    recent.at(height, () => {
      loads.push(height);
      return value;
    });
  expect([at(4, 'four'), at(4, 'other'), at(5, undefined), at(5, 'five'), at(5, undefined)]).toEqual([
    'four',
    'four',
    undefined,
    'five',
    'five',
  ]);
  expect([at(6, 'six'), at(4, 'four again'), at(5, 'no')]).toEqual(['six', 'four again', 'five']);
  expect(loads).toEqual([4, 5, 5, 6, 4]);
});
