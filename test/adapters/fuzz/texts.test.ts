import { expect, test } from 'vitest';
import { runFuzz } from '../../../adapters/fuzz/runFuzz.ts';
import { TEXT_TARGETS } from '../../../adapters/fuzz/texts.ts';

const RUNS = 10_000;
const TIMEOUT_MS = 180_000;

test.each(TEXT_TARGETS.map((target) => [target.name, target] as const))(
  'ten thousand cases of the fuzz target %s hold',
  async (_, target) => {
    const outcome = await runFuzz(target, { seed: 20260101, runs: RUNS, timeMs: undefined, path: undefined });
    expect(outcome).toMatchObject({ kind: 'passed', runs: RUNS });
  },
  TIMEOUT_MS,
);
