import { expect, test } from 'vitest';
import type { NodeReport } from '../../sim/report.ts';
import { runUnasked } from '../support/runUnasked.ts';

const nodeOf = async (node: string, rest: string): Promise<NodeReport> => {
  const text = `name: timeline\nseed: 1\nengine: {crypto: keyed-hash}\nvalidators: {count: 4}\n${rest}`;
  const run = await runUnasked(text, {});
  if (!run.ok) throw new Error(run.error.message);
  expect(run.value.failures).toEqual([]);
  const found = run.value.nodes.find(({ name }) => name === node);
  if (found === undefined) throw new Error(`no node ${node}`);
  return found;
};

const heightOf = async (node: string, rest: string): Promise<number> => (await nodeOf(node, rest)).height;

const timeline = (until: string, ...entries: readonly string[]): string =>
  `timeline: [${entries.map((entry) => `{${entry}}`).join(', ')}]\nuntil: {${until}}\n`;

test('the end of a short partition does not end the long one around it', async () => {
  const long = 'at: 3s, do: {partition: [[v0], [v1, v2, v3]]}, for: 30s';
  const short = 'at: 5s, do: {partition: [[v0], [v1, v2, v3]]}, for: 1s';
  expect(await heightOf('v0', timeline('time: 25s', long, short))).toBeLessThan(6);
});

test('a partition ends though another has begun meanwhile', async () => {
  const first = 'at: 3s, do: {partition: [[v0], [v1, v2, v3]]}, for: 3s';
  const second = 'at: 5s, do: {partition: [[v1], [v0, v2, v3]], oneway: true}, for: 60s';
  expect(await heightOf('v0', timeline('time: 40s', first, second))).toBeGreaterThan(9);
});

test.each([
  ['a full disk', '{disk: {target: v1, fault: full}}'],
  ['a slow disk', '{disk: {target: v1, fault: slow}}'],
  ['a paused node', '{pause: v1}'],
])('%s is one until the last of its causes is over', async (_, trouble) => {
  const long = `at: 5s, do: ${trouble}, for: 20s`;
  const short = `at: 3s, do: ${trouble}, for: 4s`;
  const both = await heightOf('v1', timeline('time: 20s', short, long));
  const alone = await heightOf('v1', timeline('time: 20s', `at: 3s, do: ${trouble}, for: 22s`));
  expect(both).toBeLessThanOrEqual(alone + 1);
});

const crash = (at: string, during: string): string => `at: ${at}, do: {crash: v1}, for: ${during}`;
test.each([
  { what: 'a crash within it', entries: [crash('1s', '10s'), crash('3s', '1s')], downAt: 10, upAt: 12 },
  {
    what: 'a crash within a rollback',
    entries: ['at: 1s, do: {rollback: v1}, for: 10s', crash('3s', '1s')],
    downAt: 10,
    upAt: 12,
  },
  {
    what: 'an upgrade within it',
    entries: [crash('1s', '10s'), "at: 3s, do: {upgrade: v1, to: '2.0.0'}"],
    downAt: 10,
    upAt: 12,
  },
  {
    what: 'one that began later',
    entries: [crash('1s', '4s'), crash('3s', '8s')],
    downAt: 10,
    upAt: 12,
  },
])('$what does not end a downtime before its time', async ({ entries, downAt, upAt }) => {
  const at = (seconds: number) => nodeOf('v1', timeline(`time: ${seconds}s`, ...entries));
  expect(await at(downAt)).toMatchObject({ state: 'down', lives: 1 });
  expect(await at(upAt)).toMatchObject({ state: 'up', lives: 2 });
});

test('the end of a crash that a restart has ended does not end a later crash', async () => {
  const entries = [crash('1s', '10s'), 'at: 3s, do: {restart: v1}', 'at: 5s, do: {crash: v1}'];
  expect(await nodeOf('v1', timeline('time: 15s', ...entries))).toMatchObject({ state: 'down', lives: 2 });
});

test('an upgrade starts a node that is down, and the end of a crash does not start a node that was not added yet', async () => {
  const upgraded = ['at: 1s, do: {crash: v1}', "at: 3s, do: {upgrade: v1, to: '2.0.0'}"];
  expect(await nodeOf('v1', timeline('time: 9s', ...upgraded))).toMatchObject({ state: 'up', lives: 2 });
  const early = ['at: 1s, do: {crash: late}, for: 1s', 'at: 8s, do: {add_node: late}'];
  const late = `nodes: {late: {}}\n${timeline('time: 7s', ...early)}`;
  expect(await nodeOf('late', late)).toMatchObject({ state: 'down', lives: 0 });
});

test.each(['{restart: late}', "{upgrade: late, to: '2.0.0'}"])(
  '%s does not start a node that was not added yet',
  async (action) => {
    const early = [`at: 2s, do: ${action}`, 'at: 8s, do: {add_node: late}'];
    const until = (time: string): string => `nodes: {late: {}}\n${timeline(time, ...early)}`;
    expect(await nodeOf('late', until('time: 7s'))).toMatchObject({ state: 'down', lives: 0 });
    expect(await nodeOf('late', until('height: 12'))).toMatchObject({ state: 'up', lives: 1, height: 12 });
  },
);

test('until.height waits for a halted node that the timeline starts again', async () => {
  const entries = [
    'at: 2s, do: {disk: {target: v1, fault: eio}}',
    'after: {event: halted(v1)}, at: 20s, do: {restart: v1}',
  ];
  const node = await nodeOf('v1', timeline('height: 5', ...entries));
  expect(node).toMatchObject({ state: 'up', lives: 2 });
  expect(node.height).toBeGreaterThanOrEqual(5);
});

const GONE = [
  ['halted', 'disk: {target: v1, fault: eio}'],
  ['down', 'crash: v1'],
] as const;
const UNSURE = ['event: crashed(v2)', 'round: 9', 'height: 2, round: 9'];
test.each(GONE.flatMap(([state, fault]) => UNSURE.map((condition) => [state, condition, fault])))(
  'until.height does not wait for a node that is %s and that only {%s} would start',
  async (state, condition, fault) => {
    const entries = [`at: 2s, do: {${fault}}`, `when: {${condition}}, do: {restart: v1}`];
    expect(await nodeOf('v1', timeline('height: 5', ...entries))).toMatchObject({ state, lives: 1 });
  },
);

test('until.height waits for a halted node that a later height starts', async () => {
  const entries = ['at: 2s, do: {disk: {target: v1, fault: eio}}', 'when: {height: 9}, do: {restart: v1}'];
  expect(await nodeOf('v1', timeline('height: 5', ...entries))).toMatchObject({ state: 'up', lives: 2 });
});

test('messages held up by a slow link do not delay a later connection', async () => {
  const narrow = 'at: 5s, do: {link: {from: v0, rate: 1B/s}}, for: 1s';
  const crash = 'at: 10s, do: {crash: v0}, for: 1s';
  expect(await heightOf('v0', timeline('time: 60s', narrow, crash))).toBeGreaterThan(20);
});

test('until.height waits for nodes without a vote, and for one that joins later', async () => {
  const late = `nodes: {late: {}}\n${timeline('height: 3', 'at: 9s, do: {add_node: late}')}`;
  expect(await heightOf('late', late)).toBe(3);
});

test('until.quiet counts from the end of the last timeline entry', async () => {
  const cut = 'at: 3s, do: {partition: [[v0, v1], [v2, v3]]}, for: 60s';
  expect(await heightOf('v0', timeline('quiet: 20s', cut))).toBeGreaterThan(10);
});

test('quiet begins after the last of the times that an entry comes again', async () => {
  const pauses = 'every: 4s, times: 2, do: {pause: v0}, for: 1s';
  const run = await runUnasked(`name: x\nengine: {crypto: keyed-hash}\n${timeline('quiet: 2s', pauses)}`);
  if (!run.ok) throw new Error(run.error.message);
  expect(run.value.neverHappened).toEqual([]);
  expect(run.value.stats.virtualMicros).toBeGreaterThan(10_900_000);
});

test('a checkpoint that comes again is an event again', async () => {
  const tick = 'every: 2s, times: 3, do: {checkpoint: tick}';
  const crashes = 'when: {event: checkpoint(tick)}, times: 3, do: {crash: v0}, for: 500ms';
  expect(await nodeOf('v0', timeline('time: 9s', tick, crashes))).toMatchObject({ lives: 4 });
});

test.each(["{upgrade: v1, to: '2.0.0'}", '{rollback: v1}', '{restart: v1}'])(
  'a height is waited for by a node that is down until %s',
  async (start) => {
    const entries = ['at: 1s, do: {crash: v1}', `at: 12s, do: ${start}`];
    expect(await nodeOf('v1', timeline('height: 4', ...entries))).toMatchObject({ height: 4, lives: 2 });
  },
);

test('entries that call each other in a circle end the run', async () => {
  const there = 'when: {event: checkpoint(back)}, times: 1000000, do: {checkpoint: there}';
  const back = 'when: {event: checkpoint(there)}, times: 1000000, do: {checkpoint: back}';
  const start = 'at: 1s, do: {checkpoint: back}';
  const text = `name: x\nengine: {crypto: keyed-hash}\n${timeline('time: 9s', there, back, start)}`;
  const run = await runUnasked(text);
  if (!run.ok) throw new Error(run.error.message);
  expect(run.value.failures).toMatchObject([
    { checker: 'until', message: 'timeline[0] comes again and again at one moment' },
  ]);
});

test('of two crash points of one kind, the one with the smaller count comes first', async () => {
  const [far, near] = [9, 2].map((count) => `at: 0s, do: {crash: v1, point: sign, count: ${count}}`);
  expect(await heightOf('v1', timeline('time: 10s', `${far}`, `${near}`))).toBe(0);
});

test('removing one entry does not change the draws of the others', async () => {
  const times = async (...entries: readonly string[]): Promise<readonly number[]> => {
    const text = `name: draws\nengine: {crypto: keyed-hash}\nvalidators: {count: 4}\n${timeline('time: 9s', ...entries)}`;
    const seen: number[] = [];
    await runUnasked(text, {
      seed: '1',
      trace: (line) => {
        if (/"fault".*clog/.test(line)) seen.push(Number(/"t":(\d+)/.exec(line)?.[1]));
      },
    });
    return seen;
  };
  const clock = 'at: 0s, do: {clock: {target: v0, skew: +1ms}}';
  const clog = 'every: 1s, chance: 50%, times: 5, do: {clog: random 1}, for: 1ms';
  const alone = await times(clog);
  expect(alone.length).toBeGreaterThan(1);
  expect(await times(clock, clog)).toEqual(alone);
});
