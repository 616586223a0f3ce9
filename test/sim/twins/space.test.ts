import { describe, expect, test } from 'vitest';
import { runScenario } from '../../../sim/run.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { docText, readDoc } from '../../../sim/shrink/document.ts';
import { TwinsSpace, twinsDocument } from '../../../sim/twins/space.ts';
import { scenarioText } from '../../support/scenarios.ts';

function spaceOf(text: string): TwinsSpace {
  const parsed = parseScenario(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return new TwinsSpace(parsed.value);
}

const caseText = (text: string, index: bigint): string =>
  docText(twinsDocument(readDoc(text), spaceOf(text).at(index)));

describe('the space of twins', () => {
  test('keeps one of the partitions that differ only in which twin is where', () => {
    // 16 splits of five nodes in two; those that only swap d and d2 fall together.
    expect(spaceOf(scenarioText('twins-4-1')).partitions).toBe(12);
    expect(spaceOf(scenarioText('twins-4-1')).size).toBe(4n * 12n ** 3n);
  });

  test('is gone through without repetition, the same for the same seed', () => {
    const space = spaceOf(scenarioText('twins-4-1'));
    const drawn = [...space.order(50, '7')];
    expect(new Set(drawn).size).toBe(50);
    expect([...space.order(50, '7')]).toEqual(drawn);
    expect([...space.order(50, '8')]).not.toEqual(drawn);
    expect(drawn.every((index) => index >= 0n && index < space.size)).toBe(true);
  });

  test('has every case once when nothing is left to the lot', () => {
    const text = scenarioText('twins-4-1').replace(
      'rounds: 3, partitions: sample 200',
      'rounds: 1, partitions: all',
    );
    const space = spaceOf(text);
    const texts = [...space.order(undefined, '1')].map((index) => caseText(text, index));
    expect(texts.length).toBe(48);
    expect(new Set(texts.map((one) => one.replace(/^name:.*$/m, ''))).size).toBe(48);
  });

  test('names each end of a case once', () => {
    const [own] = /until: .*height: \d+.*/.exec(caseText(scenarioText('twins-4-1'), 0n)) ?? [];
    const height = /height: (\d+)/.exec(own ?? '')?.[1];
    const text = scenarioText('twins-4-1').replace(/^until: .*$/m, `until: {height: ${height}}`);
    expect(caseText(text, 0n)).toContain(`until: {height: ${height}}\n`);
  });

  test('is made of scenarios that parse and run by themselves', () => {
    const text = scenarioText('twins-4-1');
    for (const index of [0n, 17n, 4000n]) expect(parseScenario(caseText(text, index)).ok).toBe(true);
  });
});

describe('twins below a third of the power', () => {
  test('keep what a file expects of a later time: such a case goes on to its own end', async () => {
    const text = scenarioText('twins-4-1')
      .replace(
        '{off: answers}',
        '{off: answers}, {eventually: "block.height == 6"}, {never: "block.height > 9"}',
      )
      .replace(/until:.*/, 'until: {height: 6}');
    for (const index of spaceOf(text).order(2, '1')) {
      const result = await runScenario(caseText(text, index), { seed: '1' });
      expect(result.ok && result.value.failures, `case ${index}`).toEqual([]);
    }
  });

  test('break nothing in a sample of partitions and leaders', async () => {
    const text = scenarioText('twins-4-1');
    for (const index of spaceOf(text).order(6, '1')) {
      const result = await runScenario(caseText(text, index), { seed: '1' });
      expect(result.ok && result.value.failures, `case ${index}`).toEqual([]);
    }
  });
});

describe('twins of half of the power', () => {
  test('fork the chain, and are named for it', async () => {
    const text = scenarioText('twins-4-2');
    const split = {
      index: 0n,
      height: 3,
      rounds: [
        [
          ['a', 'c', 'd'],
          ['b', 'c2', 'd2'],
        ],
      ],
    };
    const doc = twinsDocument(readDoc(text), split);
    const held = (doc['timeline'] as readonly Record<string, unknown>[]).filter(
      (entry) => entry['do'] !== 'gst',
    );
    // The partition stays: each side decides alone, with both keys on both sides.
    const forked = {
      ...doc,
      timeline: held.slice(0, 2),
      expect: [{ guilty: { power_at_least: '1/3', equals: ['c', 'c2', 'd', 'd2'] } }],
      until: { time: '20s' },
    };
    const result = await runScenario(docText(forked), { seed: '1' });
    if (!result.ok) throw new Error(result.error.message);
    expect(result.value.failures).toEqual([]);
  });

  test('make correct nodes on two chains drop each other, and that accuses nobody', async () => {
    const result = await runScenario(caseText(scenarioText('twins-4-2'), 1181n), { seed: '1' });
    expect(result.ok && result.value.failures).toEqual([]);
  });
});
