import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runScenario } from '../../../sim/run.ts';

const docs = readFileSync(join(import.meta.dirname, '../../../docs/scenarios.md'), 'utf8');
/** Whole scenarios: those that have a name. */
const examples = [...docs.matchAll(/```yaml\n([\s\S]*?)```/g)]
  .map((match) => match[1] as string)
  .flatMap((text) => {
    const name = /^name: (\S+)$/m.exec(text)?.[1];
    return name === undefined ? [] : [[name, text] as const];
  });

describe('the scenarios in the documentation', () => {
  test('are there', () => expect(examples.length).toBeGreaterThanOrEqual(8));

  test.each(examples)('%s runs and keeps its promises', async (_, text) => {
    expect(text, 'says what a correct node does').toMatch(/^# [\s\S]*[Cc]orrect/);
    const result = await runScenario(text, { crypto: 'keyed-hash' });
    if (!result.ok) throw new Error(`${result.error.line}:${result.error.column} ${result.error.message}`);
    expect(result.value.failures).toEqual([]);
  });

  test('has a liar that waits until v0 is back at 6 s', async () => {
    const text = examples.find(([name]) => name === 'triggers-and-audiences')?.[1] ?? '';
    const lies: number[] = [];
    await runScenario(text, {
      trace: (line) => {
        const { t, lie } = JSON.parse(line);
        if (lie === true) lies.push(t);
      },
    });
    expect(lies.length).toBeGreaterThan(0);
    expect(Math.min(...lies)).toBeGreaterThan(6_000_000);
  });
});
