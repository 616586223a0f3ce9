import { expect, test } from 'vitest';
import { LinkPriorities } from '../../../sim/pct/priorities.ts';
import { runScenario } from '../../../sim/run.ts';
import { Choices } from '../../../sim/world/choices.ts';
import { scenarioText } from '../../support/scenarios.ts';

const text = scenarioText('silent-validator');
const priorities = (seed: string, depth: number) => new LinkPriorities(new Choices({ seed }), depth);

test('links keep one priority each at depth 1, and lose it at change points', () => {
  const flat = priorities('1', 1);
  const links = ['link/a>b/delay', 'link/b>a/delay', 'link/a>c/delay'].map((label) => flat.steer(label));
  for (const link of links) link?.(100);
  const ranks = links.map((link) => link?.(100));
  expect([...ranks].sort()).toEqual([0, 49, 99]);
  for (let i = 0; i < 3_000; i++) expect(links.map((link) => link?.(100))).toEqual(ranks);
  expect(flat.steer('sync/a')).toBeUndefined();
});

test('a schedule is the same for the same seed and another for another', async () => {
  const digest = async (seed: string): Promise<string> => {
    const { steer } = priorities(seed, 3);
    const result = await runScenario(text, { seed: '1', crypto: 'keyed-hash', steer });
    if (!result.ok) throw new Error(result.error.message);
    expect(result.value.failures).toEqual([]);
    return result.value.digest;
  };
  const first = await digest('1');
  expect(await digest('1')).toBe(first);
  expect(await digest('2')).not.toBe(first);
});
