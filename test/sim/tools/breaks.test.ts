import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BREAKS } from '../breaks/breaks.ts';
import { brokenSim } from '../breaks/broken.ts';

const textOf = (scenario: string): string =>
  readFileSync(path.join(import.meta.dirname, '../../../scenarios', `${scenario}.yaml`), 'utf8');
const run = { crypto: 'keyed-hash' } as const;

describe('a core with one line broken is found out', () => {
  test('at least thirty of them', () => {
    expect(new Set(BREAKS.map(({ id }) => id)).size).toBe(BREAKS.length);
    expect(BREAKS.length).toBeGreaterThanOrEqual(30);
  });

  test.each(BREAKS.filter(({ isSlow }) => isSlow !== true))('$id, by $found', async (one) => {
    const sim = await brokenSim(one);
    let isFound = false;
    const result = await sim.runScenario(textOf(one.scenario), {
      ...run,
      seed: String(one.seed ?? 1),
      onFailure: () => {
        isFound = true;
      },
      stop: () => isFound,
    });
    if (!result.ok) throw new Error(result.error.message);
    expect(one.found).toContain(result.value.failures[0]?.checker);
  });

  test('and a break that is not there any more is refused', async () => {
    const gone = { ...(BREAKS[0] as (typeof BREAKS)[0]), from: 'no such line' };
    await expect(brokenSim(gone)).rejects.toThrow('does not hold this once');
  });
});

describe('a failing scenario shrinks', () => {
  test('to one that runs by itself and breaks the same promise for the same cause', async () => {
    const sim = await brokenSim(BREAKS.find(({ id }) => id === 'quorum-half') as (typeof BREAKS)[0]);
    const shrunk = await sim.shrinkScenario(textOf('mixed-trouble'), { seed: '1', run, runsMax: 80 });
    if (!shrunk.ok) throw new Error(shrunk.error.kind);
    const { text, broken, before, after } = shrunk.value;
    expect(before).toMatchObject({ faultLines: 5, validators: 7, clients: 1, height: 20 });
    expect(after.faultLines).toBe(0);
    expect(after.validators).toBeLessThan(4);
    expect(after.height).toBeLessThan(4);
    const again = await sim.runScenario(text, run);
    if (!again.ok) throw new Error(again.error.message);
    expect(again.value.failures[0]?.checker).toBe(broken.checker);
  });

  test('and one that passes is not shrunk', async () => {
    const { shrinkScenario } = await import('../../../sim/shrink/shrink.ts');
    const result = await shrinkScenario(textOf('silent-validator'), { seed: '1', run });
    expect(result).toEqual({ ok: false, error: { kind: 'passes' } });
  });
});
