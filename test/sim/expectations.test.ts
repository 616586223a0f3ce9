import { describe, expect, test } from 'vitest';
import type { ScenarioReport } from '../../sim/report.ts';
import { runUnasked } from '../support/runUnasked.ts';

async function run(text: string): Promise<ScenarioReport> {
  const result = await runUnasked(`name: x\n${text}`, { crypto: 'keyed-hash', seed: '1' });
  if (!result.ok) throw new Error(`${result.error.line}:${result.error.column} ${result.error.message}`);
  return result.value;
}

const failuresOf = async (text: string): Promise<readonly string[]> =>
  (await run(text)).failures.map(({ checker, message }) => `${checker}: ${message}`);

describe('liveness within a time', () => {
  const early = 'the run ended before the time of within was over';
  test.each([
    ['until: {first: [{height: 3}, {height: 90}]}', early],
    ['until: {time: 4s}', early],
    ['timeline: [{at: 2s, do: gst}]\nuntil: {height: 9}', early],
    ['timeline: [{when: {height: 50}, do: gst}]\nuntil: {time: 30s}', 'gst has not come'],
  ])('is not judged in a run with "%s", as %s', async (rest, why) => {
    const { failures, notJudged } = await run(`expect: [{liveness: {heights: 9, within: 20s}}]\n${rest}`);
    expect(failures).toEqual([]);
    expect(notJudged).toEqual([{ promise: 'liveness', why, isNamed: true }]);
  });

  test('gives a node that joins later the time from its start on', async () => {
    const joins =
      'engine: {block_sync: true}\nnodes: {full0: {}}\ntimeline: [{at: 30s, do: {add_node: full0}}]\n';
    const expected = (within: string): string =>
      `${joins}expect: [{liveness: {heights: 10, within: ${within}}}]\nuntil: {height: 40}`;
    expect(await failuresOf(expected('20s'))).toEqual([]);
    // 0.1 s is too little for every node, and is counted from each one's start.
    expect(await failuresOf(expected('100ms'))).toContainEqual(
      expect.stringMatching(/^liveness: full0 took \S+ for 10 heights, .*, counted from 30s on$/),
    );
  });
});

test('resources are looked at while the chain stands still', async () => {
  const wallet = '{name: NAME, kind: evm, at: v0, rate: 20/s, args: {accounts: 30}}';
  const rest = `clients: [${['al', 'bo'].map((name) => wallet.replace('NAME', name)).join(', ')}]
timeline: [{at: 3s, do: {crash: [v1, v2]}}]
until: {time: 20s}`;
  const limits = (limits: string): string => `expect: [{resources: {node: v0, ${limits}}}]\n${rest}`;
  expect(await failuresOf(limits('pool_txs_max: 120'))).toEqual([
    'resources: v0 has pool_txs 121, should have at most 120',
  ]);
  expect(await failuresOf(limits('pool_txs_max: 5000'))).toEqual([]);
});

test('a transaction that is in no block has waited until the end of the chain, not of its own node', async () => {
  const rest = `timeline: [{at: 6s, do: {partition: [[v0]]}}]\nuntil: {time: 40s}`;
  for (const kind of ['evm', 'bank']) {
    const client = `clients: [{name: alice, kind: ${kind}, at: v0, rate: 1/s, args: {accounts: 30}}]`;
    const wanted = (heights: number): string =>
      `${client}\nexpect: [{receipt: {for: alice, included_within: ${heights} heights}}]\n${rest}`;
    expect(await failuresOf(wanted(2)), kind).toContainEqual(
      expect.stringMatching(/^receipt: \w+ of alice waited \d+ heights, expected at most 2$/),
    );
    expect(await failuresOf(wanted(40)), kind).toEqual([]);
  }
});

test('evidence against a key counts for the validator and for its twin', async () => {
  const twins = `validators: {a: {}, b: {}, c: {}, d: {}, e: {}, e2: {twin_of: e}}
timeline: [{at: 2s, do: {partition: [[a, b, e], [c, d, e2]]}, for: 4s}]
until: {height: 12}`;
  for (const against of ['[e]', '[e2]', '[e, e2]'])
    expect(await failuresOf(`${twins}\nexpect: [{evidence: {against: ${against}}}]`), against).toEqual([]);
});

test.each(['not (block.height >= 1)', 'not (block.time > prev.time)', 'not (prev.height >= 1)'])(
  'a sentence about blocks is judged only where there are some: never "%s"',
  async (sentence) => {
    expect(await failuresOf(`expect: [{never: "${sentence}"}]\nuntil: {height: 4}`)).toEqual([]);
  },
);

test('what is late says within what it was expected', async () => {
  const late = (within: string) => `expect: [{eventually: "block.height == 9", within: ${within}}]`;
  const [inTime] = await failuresOf(`${late('2s')}\nuntil: {height: 12}`);
  expect(inTime).toMatch(/^eventually: it came only at \S+ s, not within 2\.000000 s: block\.height == 9$/);
  const [inHeights] = await failuresOf(`${late('4 heights')}\nuntil: {height: 12}`);
  expect(inHeights).toContain('not within 4 heights');
});

test('a listener that reads rarely is there from the start, and is cut off as soon as it has too much to read', async () => {
  const rest = `clients:
  - {name: alice, kind: evm, at: v0, rate: 3/s, script: contracts}
  - {name: page, kind: ws, at: v0, subscribe: [logs, newHeads], read_rate: 6/m, args: {room: 2000}}
until: {time: 50s}`;
  expect(await failuresOf(`expect: [{ws: {for: page, cut_off: 1}}]\n${rest}`)).toEqual([]);
  const rare = rest.replace('6/m', '1/m');
  const { neverHappened, failures } = await run(`expect: [{ws: {for: page, at_least: 0}}]\n${rare}`);
  expect([failures, neverHappened]).toEqual([[], []]);
});

test('a wallet may be refused for less gas than the checks take, where no block has more', async () => {
  const text = `name: x
engine: {block_gas: 21000}
validators: {v2: {}}
clients: [{name: c2, kind: bank, at: v2, rate: 2/s, script: features}]
until: {height: 12}
`;
  const result = await runUnasked(text, { crypto: 'keyed-hash', seed: '2' });
  expect(result.ok && result.value.failures).toEqual([]);
});
