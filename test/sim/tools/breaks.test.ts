import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isCampaign } from '../../support/campaign.ts';
import { scenarioText } from '../../support/scenarios.ts';
import { BREAKS } from '../breaks/breaks.ts';
import { brokenSim } from '../breaks/broken.ts';
import { BreakRunner } from '../breaks/runner.ts';
import { breaksDocument } from '../breaks/table.ts';

const run = { crypto: 'keyed-hash' } as const;

/** A little of everything, most of which has nothing to do with the failure. */
const MUCH_TROUBLE = `name: much-trouble
validators: {count: 5}
network: {delay: 10ms-50ms}
clients:
  - {name: alice, kind: evm, at: v1, rate: 2/s, args: {accounts: 1, count: 3}}
byzantine:
  - {who: v4, behaviour: two-proposals, to: [v0, v1]}
  - {who: v4, behaviour: double-prevote, when: {chance: 0.5}, to: [v0, v3]}
timeline:
  - {at: 1s, do: {partition: [[v0, v1], [v2, v3, v4]]}, for: 2s}
  - {at: 4s, do: {crash: v2}, for: 2s}
until: {height: 6}
`;

describe('a core with one line broken is found out', () => {
  const runner = new BreakRunner();
  afterAll(() => runner.close());

  test('at least thirty of them, and as many in every run', () => {
    expect(new Set(BREAKS.map(({ id }) => id)).size).toBe(BREAKS.length);
    expect(BREAKS.filter(({ isSlow }) => isSlow !== true).length).toBeGreaterThanOrEqual(30);
  });

  test('and what each changes stands there once', () => {
    const root = path.join(import.meta.dirname, '../../..');
    const gone = BREAKS.filter(
      ({ file, from }) => readFileSync(path.join(root, file), 'utf8').split(from).length !== 2,
    );
    expect(gone.map(({ id }) => id)).toEqual([]);
  });

  test('and docs/breaks.md lists them as they are', () => {
    const { is, should } = breaksDocument();
    expect(is).toBe(should);
  });

  test.each(BREAKS.filter(({ isSlow }) => isCampaign || isSlow !== true))('$id, by $found', async (one) => {
    const failure = await runner.firstFailure(one, scenarioText(one.scenario));
    expect(one.found).toContain(failure?.checker);
  });

  test('and the run ends five minutes later', async () => {
    const sim = await brokenSim(BREAKS.find(({ id }) => id === 'quorum-half') as (typeof BREAKS)[0]);
    const ran = await sim.runScenario(MUCH_TROUBLE.replace('{height: 6}', '{time: 400s}'), run);
    if (!ran.ok) throw new Error(ran.error.message);
    const { failures, stats } = ran.value;
    const [first] = failures;
    expect(first?.checker).toBe('conduct');
    expect(stats.virtualMicros - (first?.at ?? 0)).toBeGreaterThan(300_000_000);
    expect(stats.virtualMicros - (first?.at ?? 0)).toBeLessThan(302_000_000);
  });

  test('and a break that is not there any more is refused', async () => {
    const gone = { ...(BREAKS[0] as (typeof BREAKS)[0]), from: 'no such line' };
    await expect(brokenSim(gone)).rejects.toThrow('does not hold this once');
  });
});

describe('a failing scenario shrinks', () => {
  test('to one that runs by itself and breaks the same promise for the same cause', async () => {
    const sim = await brokenSim(BREAKS.find(({ id }) => id === 'quorum-half') as (typeof BREAKS)[0]);
    const shrunk = await sim.shrinkScenario(MUCH_TROUBLE, { seed: '1', run, runsMax: 80 });
    if (!shrunk.ok) throw new Error(shrunk.error.kind);
    const { text, broken, before, after } = shrunk.value;
    expect(before).toMatchObject({ faultLines: 4, validators: 5, clients: 1, height: 6 });
    expect(after).toMatchObject({ faultLines: 0, clients: 0 });
    expect(after.validators).toBeLessThan(4);
    expect(after.height).toBeLessThan(4);
    const again = await sim.runScenario(text);
    if (!again.ok) throw new Error(again.error.message);
    expect(again.value.failures[0]?.checker).toBe(broken.checker);
  });

  test('and candidates in which nothing breaks are not waited for', async () => {
    const sim = await brokenSim(BREAKS.find(({ id }) => id === 'quorum-half') as (typeof BREAKS)[0]);
    const ends: number[] = [];
    let last = Number.POSITIVE_INFINITY;
    const trace = (line: string): void => {
      const { t = 0 } = JSON.parse(line) as { t?: number };
      if (t < last) ends.push(t);
      ends[ends.length - 1] = last = t;
    };
    const long = MUCH_TROUBLE.replace('until: {height: 6}', 'until: {time: 60s}');
    const shrunk = await sim.shrinkScenario(long, { seed: '1', run: { ...run, trace }, runsMax: 40 });
    if (!shrunk.ok) throw new Error(shrunk.error.kind);
    expect(ends.length).toBeGreaterThan(10);
    expect(Math.max(...ends)).toBeLessThan(20_000_000);
  });

  test('and what has not come at the end is missed at that end, and for that reason', async () => {
    const { shrinkScenario } = await import('../../../sim/shrink/shrink.ts');
    const late = `name: late
byzantine: [{who: v3, behaviour: double-prevote, when: {height: 4..5}}, {who: v2, behaviour: replay}]
expect: [{evidence: {against: v3, exactly: 9}}, {evidence: {against: v3}}]
until: {height: 4}
`;
    const shrunk = await shrinkScenario(late, { seed: '1', run, runsMax: 40 });
    if (!shrunk.ok) throw new Error(shrunk.error.kind);
    expect(shrunk.value.text).toContain('double-prevote');
    expect(shrunk.value.text).not.toContain('replay');
    expect(shrunk.value.after.height).toBe(4);
  });

  test('and one that passes is not shrunk', async () => {
    const { shrinkScenario } = await import('../../../sim/shrink/shrink.ts');
    const result = await shrinkScenario(scenarioText('silent-validator'), { seed: '1', run });
    expect(result).toEqual({ ok: false, error: { kind: 'passes', seed: '1' } });
  });
});
