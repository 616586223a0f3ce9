import { describe, expect, test } from 'vitest';
import { runScenario } from '../../sim/run.ts';
import { parseScenario } from '../../sim/scenario/parse.ts';

const run = async (text: string, trace: string[] = []) => {
  const result = await runScenario(text, { tripwire: false, trace: (line) => trace.push(line) });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};
const notes = (trace: readonly string[], node: string, text: string): number =>
  trace.filter((line) => line.includes('"peers"') && line.includes(`"${node}"`) && line.includes(text))
    .length;

const HEAD = `
name: peers
engine: {crypto: keyed-hash, block_time: 4s}
choices: {zero: [sync, app, check, sign]}
`;

describe('nodes that find each other by themselves', () => {
  test('are connected with all whom their one seed knows, and the same seed gives the same run', async () => {
    const text = `${HEAD}
peers: {seeds: [v0]}
expect: [{eventually: "all n in correct: n.peers == 3"}]
until: {height: 3}`;
    const [one, two] = [await run(text), await run(text)];
    expect(one.failures).toEqual([]);
    expect(two.digest).toBe(one.digest);
  });

  test('keep their limits, and say whom they refuse', async () => {
    const trace: string[] = [];
    const report = await run(
      `${HEAD}
nodes: {f0: {}, f1: {}}
peers: {seeds: [v0], inbound_max: 2, outbound_max: 1}
expect: [{never: "exists n in nodes: n.peers > 3"}]
until: {time: 20s}`,
      trace,
    );
    expect(report.failures).toEqual([]);
    expect(notes(trace, 'v0', 'there are 2 inbound peers already')).toBeGreaterThan(0);
  });

  test('ban who sends addresses unasked, and keep the ban over a restart', async () => {
    const trace: string[] = [];
    const report = await run(
      `${HEAD}
peers: {seeds: [v0], liars: {v3: unasked}}
timeline: [{at: 6s, do: {crash: v0}, for: 1s}]
expect:
  - {never: "v0.lives == 2 and v3.peers > 2"}
  - {app: "v0.banned == 1 and v0.peers > 0"}
until: {time: 60s}`,
      trace,
    );
    expect(report.failures).toEqual([]);
    expect(notes(trace, 'v0', 'reason=sends addresses unasked')).toBe(1);
    expect(notes(trace, 'v0', 'is banned: sends addresses unasked')).toBeGreaterThan(0);
  });

  test('ban who breaks the protocol again and again, and take a persistent peer back after a minute', async () => {
    const trace: string[] = [];
    const report = await run(
      `${HEAD}
peers: {persistent: [v0, v1, v2, v3]}
byzantine: [{who: v3, behaviour: corrupt-parts, when: {for: 60s}}]
timeline: [{at: 60s, do: gst}]
expect:
  - {eventually: "v0.banned == 1"}
  - {app: "v0.banned == 0 and v0.peers == 3"}
until: {time: 160s}`,
      trace,
    );
    expect(report.failures).toEqual([]);
    expect(notes(trace, 'v0', 'peer banned')).toBeGreaterThan(0);
  });

  test('find each other again after a partition and after a power loss', async () => {
    const report = await run(`${HEAD}
peers: {persistent: [v0, v1, v2, v3]}
timeline:
  - {at: 3s, do: {partition: [[v0, v1]]}, for: 15s}
  - {at: 30s, do: {crash: v2, power_loss: hostile}, for: 5s}
  - {at: 35s, do: gst}
expect: [{app: "all n in correct: n.peers == 3"}, {liveness: {heights: 2, within: 60s}}]
until: {quiet: 30s}`);
    expect(report.failures).toEqual([]);
  });
});

test.each([
  ['peers: {inbound_max: 3}', 'expected seeds or persistent'],
  ['peers: {seeds: [v9]}', 'unknown validator "v9"'],
  ['peers: {seeds: [v0], liars: {v1: rude}}', 'expected a lie'],
  ['nodes: {f: {peers: [v0]}}\npeers: {seeds: [v0]}', 'expected no peers of f alone'],
])('%s is refused: %s', (keys, message) => {
  const parsed = parseScenario(`name: x\n${keys}\nuntil: {height: 1}`);
  expect(parsed.ok ? 'accepted' : parsed.error.message).toContain(message);
});
