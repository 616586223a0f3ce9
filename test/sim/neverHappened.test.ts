import { expect, test } from 'vitest';
import { runUnasked } from '../support/runUnasked.ts';

async function untouched(rest: string): Promise<readonly string[]> {
  const run = await runUnasked(`name: untouched\nengine: {crypto: keyed-hash}\n${rest}`, {});
  if (!run.ok) throw new Error(run.error.message);
  return run.value.neverHappened;
}

const timeline = (...actions: readonly string[]): string =>
  `timeline: [${actions.map((action) => `{at: 1s, do: {${action}}}`).join(', ')}]\nuntil: {time: 1500ms}\n`;

test('an action that leaves everything as it is has never happened', async () => {
  const idle = [
    'partition: [[v0, v1, v2, v3]]',
    'link: {loss: 0%, delay: 10ms-100ms}',
    'link: {from: v0, to: v0, loss: 50%}',
    'clock: {target: v0, skew: 0s}',
    'clock: {target: v0, drift: 0ppm}',
    'clock: {target: v0, jitter: 0ms}',
  ];
  expect(await untouched(timeline(...idle))).toEqual(idle.map((text, i) => `timeline[${i}] ${text}`));
});

test('an action that takes back an earlier one has happened', async () => {
  const both = [
    'link: {from: v0, loss: 5%}',
    'link: {loss: 0%}',
    'clock: {target: v0, skew: +1ms}',
    'clock: {target: v0, skew: 0s}',
    'clock: {target: v0, jitter: 1ms}',
    'clock: {target: v0, jitter: 0ms}',
    'remove_node: v3',
    'link: {to: v1, dup: 5%}',
    'link: {to: v1, dup: 5%}',
  ];
  expect(await untouched(timeline(...both, 'remove_node: v3'))).toEqual(['timeline[9] remove_node: v3']);
});

test('damage that takes nothing away, or that nobody reads, has never happened', async () => {
  const damage = ['fault: torn, keep: 1000000', 'fault: rot', 'fault: torn, keep: 0'];
  const actions = damage.map((one) => `disk: {target: v3, ${one}}`);
  expect(await untouched(timeline('crash: v3', ...actions))).toEqual([
    `timeline[1] ${actions[0]}`,
    `timeline[2] ${actions[1]}`,
  ]);
  const rots = Array.from({ length: 40 }, () => 'disk: {target: v3, fault: rot}');
  expect((await untouched(timeline('crash: v3', ...rots, 'restart: v3'))).length).toBeLessThan(40);
});

test('clients that never acted, and updates beyond the last height, have never happened', async () => {
  const kinds = ['evm', 'bank', 'light', 'eth', 'rpc', 'ws', 'ws'];
  const rest = [
    '',
    '',
    '',
    '',
    ', script: nonsense',
    ', subscribe: [newHeads]',
    ', args: {query: "height > 0"}',
  ];
  const clientsAt = (node: string, letter: string): readonly string[] =>
    kinds.map((kind, i) => `{name: ${letter}${i}, at: ${node}, kind: ${kind}${rest[i]}}`);
  const text = `nodes: {late: {}}
clients: [${[...clientsAt('v0', 'a'), ...clientsAt('late', 'b')].join(', ')}]
updates: [{height: 1, validators: {v3: 11}}, {height: 90, block_bytes: 30000}]
timeline: [{at: 90s, do: {add_node: late}}]
until: {time: 5s}
`;
  const said = await untouched(text);
  expect(said.filter((one) => !one.startsWith('clients'))).toEqual([
    'timeline[0] add_node: late',
    'updates[1] of height 90',
  ]);
  expect(said.filter((one) => one.startsWith('clients')).sort()).toEqual(
    kinds.map((_, i) => `clients.b${i} at late`),
  );
});

test('liars that nobody asked have never happened', async () => {
  const text = `peers: {seeds: [v0], liars: {v2: nonsense, v3: moved}}
timeline: [{at: 0s, do: {crash: v3}}]
until: {time: 1500ms}
`;
  expect(await untouched(text)).toEqual(['peers.liars.v3 moved']);
});
