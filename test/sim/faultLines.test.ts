import { expect, test } from 'vitest';
import { runUnasked } from '../support/runUnasked.ts';

const scenario = (entries: readonly string[]): string =>
  `name: faults
engine: {crypto: keyed-hash}
timeline: [${entries.map((entry) => `{${entry}}`).join(', ')}]
until: {time: 4s}
`;

/** What a trace says about faults: the time in ms, the node if it is one, the text. The run is that without a trace. */
async function faults(...entries: readonly string[]): Promise<readonly string[]> {
  const said: string[] = [];
  const trace = (line: string): void => {
    const { kind, t, node, text: what } = JSON.parse(line);
    if (kind === 'fault') said.push([t / 1000, node, what].filter((one) => one !== undefined).join(' '));
  };
  const run = await runUnasked(scenario(entries), { trace });
  if (!run.ok) throw new Error(run.error.message);
  expect(await runUnasked(scenario(entries))).toMatchObject({ value: { digest: run.value.digest } });
  return said;
}

test('a trace names the nodes that `random` and `proposer` have chosen, and the end for each', async () => {
  const said = await faults('at: 1s, do: {pause: random 2}, for: 1s', 'at: 3s, do: {pause: proposer}');
  const [, first, second] =
    /^1000 pause: random 2 \(timeline\[0\]\): (v\d), (v\d)$/.exec(said[0] ?? '') ?? [];
  expect(said.slice(1, 3)).toEqual(
    [first, second].map((name) => `2000 ${name} end of pause: random 2 (timeline[0])`),
  );
  expect(said[3]).toMatch(/^3000 pause: proposer \(timeline\[1\]\): v\d$/);
});

test('a trace marks actions without effect, and does not report their end', async () => {
  const said = await faults(
    'at: 1s, do: heal',
    'at: 1s, do: {wipe: [v0, v1]}',
    'at: 1s, do: {resume: v0}',
    'at: 1s, do: {crash: v3}, for: 2s',
    'at: 2s, do: {restart: all}',
    'at: 2s, do: {link: {from: v0, loss: 0%}}, for: 1s',
  );
  expect(said).toEqual([
    '1000 heal (timeline[0]), no effect',
    '1000 wipe: [v0, v1] (timeline[1]), no effect',
    '1000 resume: v0 (timeline[2]), no effect',
    '1000 crash: v3 (timeline[3])',
    '2000 restart: all (timeline[4]), no effect on v0, v1, v2',
    '2000 link: {from: v0, loss: 0%} (timeline[5]), no effect',
  ]);
});

test('a trace says when clogs end', async () => {
  const said = await faults(
    'at: 1s, do: {clog: v1}, for: 500ms',
    'at: 1200ms, do: {clog: v1}, for: 1s',
    'at: 2500ms, do: {swizzle: v2}, for: 1s',
  );
  expect(said.slice(0, 4)).toEqual([
    '1000 clog: v1 (timeline[0])',
    '1200 clog: v1 (timeline[1])',
    '2200 v1 end of clog: v1 (timeline[1])',
    '2500 swizzle: v2 (timeline[2])',
  ]);
  expect(said[4]).toMatch(/^\d+(\.\d+)? v2 swizzle: v2 \(timeline\[2\]\)$/);
  expect(said[5]).toMatch(/^\d+(\.\d+)? v2 end of swizzle: v2 \(timeline\[2\]\)$/);
});
