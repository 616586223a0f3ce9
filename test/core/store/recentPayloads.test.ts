import { expect, test } from 'vitest';
import { err, ok } from '../../../core/lib/result.ts';
import { RecentHeights } from '../../../core/store/recentHeights.ts';
import { RecentPayloads } from '../../../core/store/recentPayloads.ts';

test('what a height was decoded to is remembered for as long as its payload is the same', () => {
  const recent = new RecentPayloads<{ readonly first: number }>(2);
  const decode = (bytes: Uint8Array) =>
    bytes.length === 0 ? err('empty' as const) : ok({ first: bytes[0] as number });
  const at = (height: number, ...bytes: number[]) => recent.at(height, Uint8Array.from(bytes), decode);
  const first = at(5, 1, 2);
  expect(first).toEqual({ ok: true, value: { first: 1 } });
  expect(at(5, 1, 2)).toStrictEqual(first);
  const value = first.ok ? first.value : undefined;
  const again = at(5, 1, 2);
  expect(again.ok && again.value === value).toBe(true);
  expect(at(5, 9, 2)).toEqual({ ok: true, value: { first: 9 } });
  expect(at(7, 1, 2)).toEqual({ ok: true, value: { first: 1 } });
  expect(at(7)).toEqual({ ok: false, error: 'empty' });
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
