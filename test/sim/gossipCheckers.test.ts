import { describe, expect, test } from 'vitest';
import { queueMicros } from '../../sim/checkers/progressCore.ts';

describe('how long what a node hears waits', () => {
  const waits = (backlog: number, sizesMax?: number): number =>
    queueMicros({ node: { backlog: () => backlog } }, {
      engine: { sizesMax },
    } as unknown as Parameters<typeof queueMicros>[1]);

  test('is a sync for each turn that comes before', () => {
    expect(waits(40, 1)).toBe(120_000);
    expect(waits(41, 4)).toBe(33_000);
  });

  test('is nothing when nothing waits, or when all is handled in one turn', () => {
    expect([waits(0, 1), waits(40)]).toEqual([0, 0]);
  });
});
