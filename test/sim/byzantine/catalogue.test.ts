import { describe, expect, test } from 'vitest';
import { BEHAVIOURS } from '../../../sim/byzantine/registry.ts';
import type { ScenarioReport } from '../../../sim/report.ts';
import { runUnasked } from '../../support/runUnasked.ts';
import { scenarioText } from '../../support/scenarios.ts';

async function run(text: string): Promise<ScenarioReport> {
  const result = await runUnasked(text, { crypto: 'keyed-hash', seed: '3' });
  if (!result.ok) throw new Error(`${result.error.line}:${result.error.column} ${result.error.message}`);
  return result.value;
}

const lying = (entry: string): string => `name: lying
timeline: [{at: 1s, do: {crash: v0}, for: 1s}]
byzantine: [${entry}]
until: {first: [{height: 7}, {time: 60s}]}
`;

/** What each behaviour needs to show in a short and calm run. */
const ENTRIES: readonly (readonly [string, string])[] = [
  ...[
    'address',
    'order',
    'flag',
    'absent',
    'timestamp',
    'round',
    'thin',
    'signature',
    'height',
    'stamped',
    'named',
  ].map((what) => ['B25', `what: ${what}`] as const),
  ['B23', ''],
  ['B23', 'value: precommitted'],
  ['B26', 'victim: v1'],
  ...['types', 'rounds', 'same', 'key', 'power', 'total', 'time', 'culprit'].map(
    (what) => ['B27', `what: ${what}`] as const,
  ),
  ...['same', 'many', 'committed', 'again', 'block'].map((what) => ['B28', `what: ${what}`] as const),
  ...['holes', 'storm', 'garbage', 'nesting', 'poison'].map(
    (what) => ['B35', `what: ${what}, count: 3`] as const,
  ),
  ...['nonce', 'duplicate', 'reverse', 'gap', 'gas', 'garbage', 'wrapping-from', 'again', 'key'].map(
    (what) => ['B36', `what: ${what}`] as const,
  ),
  ['B38', ''],
];

describe('a behaviour of the catalogue', () => {
  test.each(ENTRIES)('%s {%s} changes what happens and breaks nothing', async (id, args) => {
    const entry = `who: v3, behaviour: ${id}, args: {${args}}`;
    const told = await run(lying(`{${entry}, when: {height: 2..5}}`));
    const silent = await run(lying(`{${entry}, when: {height: 900}}`));
    expect(told.failures).toEqual([]);
    expect(told.digest).not.toBe(silent.digest);
  });

  test('a liar to those who catch up keeps its times for what it lies about', async () => {
    const { failures, neverHappened } = await run(`name: x
engine: {block_sync: true}
nodes: {late: {peers: [v3]}}
timeline: [{at: 6s, do: {add_node: late}}]
byzantine: [{who: v3, behaviour: sync-liar, args: {what: twice}, when: {times: 1}}]
until: {time: 12s}
`);
    expect(failures).toEqual([]);
    expect(neverHappened).toEqual([]);
  });

  test('a liar whose drive fails while it lies stops like any other node', async () => {
    const { nodes, failures } = await run(`name: x
validators: {v0: {}, v1: {}, v2: {}, v3: {}, gone: {power: 0}}
timeline:
  - {every: 100ms, times: 90, do: {disk: {target: gone, fault: unreadable}}}
  - {every: 1s, times: 9, do: {restart: gone}}
byzantine: [{who: gone, behaviour: forged-evidence, args: {where: gossip}}]
until: {time: 10s}
`);
    expect(failures).toEqual([]);
    expect(nodes.at(-1)).toMatchObject({ name: 'gone', state: 'halted' });
  });

  test('a bad body or commit costs a round, and the block is never decided', async () => {
    for (const entry of ['B36, args: {what: duplicate}', 'B25, args: {what: round}'])
      expect((await run(lying(`{who: v3, behaviour: ${entry}, when: {height: 2..6}}`))).stats.roundMax).toBe(
        1,
      );
  });

  test('that only delivers comes after those that lie, wherever it stands', async () => {
    const late = '{who: v3, behaviour: edge-rider, args: {ms: 300}, when: {height: 2..6}}';
    const twice = '{who: v3, behaviour: double-prevote, when: {height: 2..6}}';
    for (const entries of [`${late}, ${twice}`, `${twice}, ${late}`]) {
      const { failures, neverHappened, stats } = await run(lying(entries));
      expect([failures, neverHappened]).toEqual([[], []]);
      expect(stats.evidence).toBeGreaterThan(0);
    }
  });

  test('that rides the edges is late at some and in time at others', async () => {
    const { failures, neverHappened, stats } = await run(
      lying('{who: v3, behaviour: edge-rider}').replace('height: 7', 'height: 12'),
    );
    expect([failures, neverHappened]).toEqual([[], []]);
    expect(stats.roundMax).toBe(1);
  });

  test.each([
    ['B35', 'what: garbage'],
    ['B33', 'what: greed'],
    ['B43', 'what: empty'],
  ])('%s {%s} needs no vote to speak beside', async (id, args) => {
    const without = `validators: {v0: {}, v1: {}, v2: {}, v3: {}, z: {power: 0}}\n`;
    const told = (who: string): string =>
      `{who: ${who}, behaviour: ${id}, args: {${args}}, when: {height: 2..4}}`;
    const { failures, neverHappened } = await run(
      without + lying(`{who: v3, behaviour: silent}, ${told('v3')}, ${told('z')}`),
    );
    expect([failures, neverHappened]).toEqual([[], []]);
  });

  test('that changes nothing never happened', async () => {
    const { neverHappened } = await run(
      lying(
        '{who: v3, behaviour: amnesia, when: {height: 3}}, {who: v2, behaviour: silent, when: {height: 3}}',
      ),
    );
    expect(neverHappened).toEqual(['byzantine[0] B05 of v3']);
  });

  test('has one id and one alias', () => {
    const names = BEHAVIOURS.flatMap(({ id, alias }) => [id, alias]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a trigger', () => {
  const twice = (when: string): string => lying(`{who: v3, behaviour: B02, when: {${when}}}`);
  const evidence = async (when: string): Promise<number> => (await run(twice(when))).stats.evidence;

  test('with `times` acts in at most that many rounds', async () => {
    expect(await evidence('height: 2..5, times: 2')).toBe(2);
  });

  test('with `times` does not count rounds in which another validator proposes', async () => {
    const { neverHappened } = await run(
      lying('{who: v3, behaviour: withheld-parts, when: {height: 2.., times: 1}}'),
    );
    expect(neverHappened).toEqual([]);
  });

  test('with `event` waits for the event, and with `for` ends after that time', async () => {
    expect(await evidence('event: crashed(v1)')).toBe(0);
    expect(await evidence('event: started(v0), after: 100ms, for: 2s')).toBeGreaterThan(0);
  });

  test('waits for a checkpoint of the timeline as for an event of a node', async () => {
    const text = twice('event: checkpoint(half), after: 1s, for: 2s');
    const half = text.replace('timeline: [', 'timeline: [{at: 2s, do: {checkpoint: half}}, ');
    expect((await run(half)).stats.evidence).toBeGreaterThan(0);
  });

  test('with a step lies only in that step', async () => {
    expect(await evidence('height: 2..4, step: commit')).toBe(0);
    expect(await evidence('height: 2..4, step: prevote')).toBeGreaterThan(0);
  });

  test.each([
    ['B01', 'propose'],
    ['B02', 'prevote'],
    ['B03', 'precommit'],
    ['B12', 'propose'],
    ['B15', 'propose'],
    ['B15', 'precommit'],
    ['B24', 'precommit'],
  ])(
    'with a step takes a message of %s for one of %s, whatever the liar does meanwhile',
    async (id, step) => {
      const entry = `{who: v3, behaviour: ${id}, when: {height: 2..6, step: ${step}}}`;
      const { failures, neverHappened } = await run(lying(entry));
      expect([failures, neverHappened]).toEqual([[], []]);
    },
  );

  test('with random liars names them by the seed', async () => {
    const text = lying('{who: random 1, behaviour: B02, to: random 2, when: {height: 3}}');
    const names = (report: ScenarioReport): readonly string[] =>
      report.nodes.filter((node) => !node.isCorrect).map((node) => node.name);
    expect(names(await run(text)).length).toBe(1);
    const other = await runUnasked(text, { crypto: 'keyed-hash', seed: '4' });
    expect(other.ok && [...names(other.value)]).not.toEqual(names(await run(text)));
  });
});

describe('the accountability of a fork', () => {
  test.each(['equivocation', 'amnesia'])('by %s names the cartel and nobody else', async (how) => {
    const blamed = scenarioText(`fork-by-${how}`).replace('equals: [v4, v5, v6]', 'equals: [v0, v4, v5, v6]');
    const report = await run(blamed.replace('until: {time: 40s}', 'until: {time: 20s}'));
    expect(report.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/the guilty are v[456], v[456], v[456], expected v0, v4, v5, v6/),
    ]);
    // Whoever may be blamed: the fork itself is told, and why who cannot go on has stopped.
    expect(report.forks[0]).toMatch(/^height \d+: v\d.* decided [0-9a-f]{12}, v\d.* decided [0-9a-f]{12}$/);
    for (const { state, haltReason } of report.nodes)
      expect(haltReason === undefined).toBe(state !== 'halted');
  });
});
