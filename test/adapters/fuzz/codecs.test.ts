import { expect, test } from 'vitest';
import { ETHEREUM_TARGETS } from '../../../adapters/fuzz/ethereum.ts';
import { MESSAGE_TARGETS } from '../../../adapters/fuzz/messages.ts';
import { runFuzz } from '../../../adapters/fuzz/runFuzz.ts';

const RUNS = 10_000;
const TIMEOUT_MS = 180_000;

/** `jsonrpc` asks a whole node and is run elsewhere. */
const TARGETS = [...MESSAGE_TARGETS, ...ETHEREUM_TARGETS].filter(({ name }) => name !== 'jsonrpc');

test.each(TARGETS.map((target) => [target.name, target] as const))(
  'ten thousand cases of the fuzz target %s hold',
  async (_, target) => {
    const outcome = await runFuzz(target, { seed: 20260101, runs: RUNS, timeMs: undefined, path: undefined });
    expect(outcome).toMatchObject({ kind: 'passed', runs: RUNS });
  },
  TIMEOUT_MS,
);
