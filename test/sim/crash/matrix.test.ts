import { beforeAll, describe, expect, test } from 'vitest';
import { type CrashCase, crashMatrix, DEFAULT_MATRIX } from '../../../sim/crash/matrix.ts';
import { POWER_LOSSES } from '../../../sim/disk/powerLoss.ts';
import { CRASH_POINTS } from '../../../sim/machine/life.ts';
import { runScenario } from '../../../sim/run.ts';

const SEED = '1';
/** Cases run here; `npm run campaign` runs all of them. */
const SAMPLE = 12;

let cases: readonly CrashCase[] = [];
beforeAll(async () => {
  const matrix = await crashMatrix(DEFAULT_MATRIX, SEED);
  if (!matrix.ok) throw new Error(matrix.error.message);
  cases = matrix.value;
});

describe('the crash matrix', () => {
  test('has every effect boundary of three heights with every power loss', () => {
    expect(new Set(cases.map(({ point }) => point))).toEqual(new Set(CRASH_POINTS));
    const batches = cases.filter(({ point }) => point === 'batch');
    expect(batches).toHaveLength(3 * POWER_LOSSES.length);
    expect(cases.length).toBeGreaterThan(300);
  });

  test('every case is a crash at its boundary, and a sample of them keeps all promises', async () => {
    // Steps that share no factor with the three power losses, so that each of them is met.
    const step = Math.floor(cases.length / SAMPLE / POWER_LOSSES.length) * POWER_LOSSES.length + 1;
    for (let i = 0; i < cases.length; i += step) {
      const { name, text } = cases[i] as CrashCase;
      const result = await runScenario(text, { seed: SEED });
      if (!result.ok) throw new Error(result.error.message);
      expect({ name, failures: result.value.failures }).toEqual({ name, failures: [] });
      expect({ name, lives: result.value.nodes[1]?.lives }).toEqual({ name, lives: 2 });
    }
  });
});
