import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepCase, parseCase, readCorpus } from '../../../adapters/fuzz/corpus.ts';
import { FUZZ_TARGETS, runFuzz } from '../../../adapters/fuzz/runFuzz.ts';
import { second } from '../../../adapters/fuzz/second.ts';
import { holds } from '../../../adapters/fuzz/target.ts';
import { runCli } from '../../support/cli.ts';
import { tempDir } from '../tempDir.ts';

/** These ask a whole node; `codecs.test.ts` runs all others. */
const NODES = ['jsonrpc', 'ws'];

describe('a fixed run of the fuzz target', () => {
  test.each(
    FUZZ_TARGETS.filter(({ name }) => NODES.includes(name)).map((target) => [target.name, target] as const),
  )('%s holds', async (_, target) => {
    const outcome = await runFuzz(target, { seed: 20260101, runs: 300, timeMs: undefined, path: undefined });
    expect(outcome).toMatchObject({ kind: 'passed', runs: 300 });
  });

  test('has the second implementations to compare with', async () => {
    for (const name of ['ethers', '@cosmjs/encoding', 'cosmjs-types/cosmos/tx/v1beta1/tx'] as const) {
      expect(await second(name)).toBeDefined();
    }
  });
});

test('a failure is shrunk and names the run that shows it again', async () => {
  const target = {
    name: 'broken',
    doc: '',
    property: () =>
      holds(fc.nat(), (n) => {
        if (n > 41) throw new Error(`${n} is above 41`);
      }),
  };
  const outcome = await runFuzz(target, { seed: 1, runs: 1000, timeMs: undefined, path: undefined });
  if (outcome.kind !== 'failed') throw new Error('expected a failure');
  expect(outcome).toMatchObject({ input: '[42]', error: '42 is above 41' });
  const { seed, path } = outcome;
  expect(await runFuzz(target, { seed, runs: 1, timeMs: undefined, path })).toMatchObject({ input: '[42]' });
});

test('a failing case is kept, and is the first that the next run tries', async () => {
  const corpus = tempDir();
  let isBroken = true;
  const tried: unknown[] = [];
  const target = {
    name: 'bytes',
    doc: '',
    property: () =>
      holds(fc.tuple(fc.uint8Array({ minLength: 3 }), fc.bigInt()), (one) => {
        tried.push(one);
        if (isBroken && one[1] > 2n ** 70n) throw new Error('too large');
      }),
  };
  const options = { seed: 3, runs: 3000, timeMs: undefined, path: undefined, corpus };
  expect((await runFuzz(target, options)).kind).toBe('failed');
  const [kept, ...more] = readCorpus(corpus, 'bytes');
  expect(more).toEqual([]);
  expect(kept).toEqual([[new Uint8Array(3), 2n ** 70n + 1n]]);
  await runFuzz(target, { ...options, runs: 1 });
  expect(readCorpus(corpus, 'bytes')).toHaveLength(1);
  isBroken = false;
  tried.length = 0;
  expect((await runFuzz(target, { ...options, runs: 10 })).kind).toBe('passed');
  expect(tried[0]).toEqual(kept?.[0]);
  expect(() => parseCase('{"$bytes":"0"}')).toThrow(SyntaxError);
});

test('a corpus holds at most 10000 cases: no more are kept, and a larger file is refused', () => {
  const dir = tempDir();
  const file = path.join(dir, 'full.jsonl');
  writeFileSync(file, '[0]\n'.repeat(10_000));
  expect(readCorpus(dir, 'full')).toHaveLength(10_000);
  expect(() => keepCase(dir, 'full', [1])).toThrow(`${file} has 10000 cases already`);
  expect(readCorpus(dir, 'full')).toHaveLength(10_000);
  appendFileSync(file, '[1]\n');
  expect(() => readCorpus(dir, 'full')).toThrow(`${file} has more than 10000 cases`);
});

test('a corpus that cannot be kept is refused before the run, and takes no failure with it', async () => {
  const file = path.join(tempDir(), 'file');
  writeFileSync(file, '');
  for (const dir of [file, path.join(file, 'below')])
    expect((await runCli('fuzz', 'rlp', '--runs', '1', '--corpus', dir)).code).toBe(2);
  const target = {
    name: 'broken',
    doc: '',
    property: () =>
      holds(fc.nat(), () => {
        throw new Error('never right');
      }),
  };
  const outcome = await runFuzz(target, {
    seed: 1,
    runs: 1,
    timeMs: undefined,
    path: undefined,
    corpus: file,
  });
  expect(outcome).toMatchObject({ kind: 'failed', error: 'never right' });
  expect(outcome).toMatchObject({ notKept: expect.stringContaining('broken.jsonl') });
});

test('the command refuses bad arguments, and runs for the given time', async () => {
  for (const wrong of [
    'nothing',
    'rlp --runs -3',
    'rlp --runs 0',
    'rlp --seed 99999999999',
    'rlp --time 0s',
    'rlp --path 3',
    'rlp --path xx --seed 1',
    'rlp --path 3:99999:7 --seed 1',
    'all --path 3 --seed 1',
  ])
    expect((await runCli('fuzz', ...wrong.split(' '))).code, wrong).toBe(2);
  const startedAt = performance.now();
  expect(await runCli('fuzz', 'rlp', '--time', '1500ms')).toMatchObject({ code: 0 });
  expect(performance.now() - startedAt).toBeGreaterThan(1400);
});
