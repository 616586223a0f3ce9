import { expect, test } from 'vitest';
import { runScenario } from '../../../sim/run.ts';
import { scenarioText } from '../../support/scenarios.ts';

interface Line {
  readonly kind: string;
  readonly node?: string;
  readonly from?: string;
  readonly msg?: string;
  readonly text?: string;
  readonly lie?: boolean;
}

async function traceOf(text: string): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const trace = (line: string): void => void lines.push(JSON.parse(line) as Line);
  const result = await runScenario(text, { crypto: 'keyed-hash', trace });
  expect(result).toMatchObject({ ok: true, value: { passed: true } });
  return lines;
}

test('a trace marks what a Byzantine node made, and nothing else of it', async () => {
  const lines = await traceOf(scenarioText('one-equivocator'));
  const lies = lines.filter(({ lie }) => lie === true);
  expect(new Set(lies.map(({ from, node }) => `${from} to ${node}`))).toEqual(new Set(['v3 to v0']));
  expect(new Set(lies.map(({ msg }) => msg?.split(' ').slice(0, 2).join(' ')))).toEqual(
    new Set(['prevote 3/0']),
  );
  const said = lines.filter(({ kind, from }) => kind === 'frame' && from === 'v3');
  expect(said.length).toBeGreaterThan(lies.length * 10);
});

test('a trace marks what liars about addresses say', async () => {
  const lines = await traceOf(
    'name: addresses\npeers: {seeds: [v0], liars: {v2: nonsense, v3: moved}}\nuntil: {time: 3s}\n',
  );
  const addresses = lines.filter(({ msg }) => msg?.startsWith('pex ') === true);
  const liars = new Set(addresses.flatMap(({ lie, from }) => (lie === true ? [from] : [])));
  expect([...liars].sort()).toEqual(['v2', 'v3']);
  expect(addresses.some(({ lie }) => lie !== true)).toBe(true);
});

test('a trace tells what a Byzantine node keeps to itself, and from whom', async () => {
  const lines = await traceOf(scenarioText('selective-delivery'));
  const kept = lines.filter(({ kind }) => kind === 'withholds');
  expect(kept.length).toBeGreaterThan(0);
  expect(new Set(kept.map(({ node }) => node)).size).toBe(1);
  for (const { text, msg } of kept) expect(`${text}: ${msg}`).toMatch(/^from v\d(, v\d)*: \w+ /);
});

test('where nobody lies nothing is marked', async () => {
  const lines = await traceOf(scenarioText('four-honest'));
  expect(lines.filter(({ kind, lie }) => lie === true || kind === 'withholds')).toEqual([]);
});
