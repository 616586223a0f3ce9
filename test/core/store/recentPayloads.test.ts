import { expect, test } from 'vitest';
import { err, ok } from '../../../core/lib/result.ts';
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
