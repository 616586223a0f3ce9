import { describe, expect, test } from 'vitest';
import { runScenario } from '../../sim/run.ts';
import { brokenSim } from './breaks/broken.ts';

type Run = typeof runScenario;

async function failuresOf(run: Run, text: string): Promise<readonly string[]> {
  const result = await run(text, { crypto: 'keyed-hash', seed: '1' });
  if (!result.ok) throw new Error(result.error.message);
  return result.value.failures.map(({ checker, message }) => `${checker}: ${message}`);
}

const AWAY = `name: away
engine: {block_time: 4s}
timeline:
  - {at: 3s, do: {partition: [[v3], [v0, v1, v2]]}, for: 20s}
  - {at: 23s, do: gst}
expect: [{liveness: {heights: 5, within: auto}}]
until: {first: [{height: 12}, {time: 120s}]}
`;

test('liveness with a bound names the time in which too little was decided', async () => {
  const text = 'name: short\nexpect: [{liveness: {heights: 9, within: 2s}}]\nuntil: {time: 3s}\n';
  // Heights are counted from the first, wherever the chain begins.
  for (const genesis of ['', 'genesis: {initial_height: 1000}\n']) {
    const [first] = await failuresOf(runScenario, text + genesis);
    expect(first).toMatch(/^liveness: v0 decided \d heights in [23](\.\d+)?s, not 9 within 2s$/);
  }
});

describe('liveness with a bound of its own making', () => {
  test('is kept by nodes that bring a lagging one along', async () => {
    expect(await failuresOf(runScenario, AWAY)).toEqual([]);
  });

  test('knows how long a block waits for transactions', async () => {
    const waiting =
      'engine: {empty_blocks_interval: 30s}\nexpect: [{liveness: {heights: 9, within: auto}}]\n';
    expect(await failuresOf(runScenario, `name: waiting\n${waiting}until: {height: 9}\n`)).toEqual([]);
  });

  test('is broken where nobody sends the commits of old heights', async () => {
    const { runScenario: broken } = await brokenSim({
      id: 'no-old-commits',
      file: 'core/gossip/lacks.ts',
      from: 'const vote = known?.has(i) ? undefined : commitVote(commit, i);',
      to: 'const vote = known === undefined ? undefined : undefined;',
      found: ['liveness'],
      scenario: 'inline',
    });
    const failures = await failuresOf(broken, AWAY);
    expect(failures).toContainEqual(
      expect.stringMatching(
        /^liveness: v3 decided 0 heights, not 5, in \S+ among a quorum .* \(\d+ rounds with their timeouts and \S+ for messages in each, \d × 40s to connect\)/,
      ),
    );
  });

  test('asks nothing of nodes that have no quorum to reach', async () => {
    const split = `name: split
timeline:
  - {at: 3s, do: {partition: [[v0, v1], [v2, v3]]}}
expect: [{liveness: {heights: 5, within: auto}}]
until: {time: 300s}
`;
    expect(await failuresOf(runScenario, split)).toEqual([]);
    const away = split.replace('[[v0, v1], [v2, v3]]', '[[v0, v1, v2], [v3]]').replace('300s', '30s');
    expect(await failuresOf(runScenario, away)).toEqual([]);
  });

  test.each([
    {
      trouble: '{partition: [[v0, v1], [v2, v3]]}',
      within: 'auto',
      why: [
        'no correct node was in a quorum of correct nodes that reach each other for as long as it may need',
      ],
    },
    { trouble: '{crash: all}', within: '20s', why: ['no correct node is up at the end'] },
    { trouble: '{break: here}', within: 'auto', why: ['the run was broken off'] },
    { trouble: '{crash: v3}', within: '20s', why: [] },
    { trouble: '{partition: [[v0], [v1, v2, v3]]}', within: 'auto', why: [] },
  ])(
    'within $within of a run with $trouble says why nobody was judged: $why',
    async ({ trouble, within, why }) => {
      const expected = `expect: [{liveness: {heights: 5, within: ${within}}}]\nuntil: {time: 60s}\n`;
      const text = `name: excused\ntimeline: [{at: 1s, do: ${trouble}}]\n${expected}`;
      const result = await runScenario(text, { crypto: 'keyed-hash' });
      if (!result.ok) throw new Error(result.error.message);
      expect(result.value.failures).toEqual([]);
      expect(result.value.notJudged).toEqual(
        why.map((one) => ({ promise: 'liveness', why: one, isNamed: true })),
      );
    },
  );
});
