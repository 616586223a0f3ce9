import { expect, test } from 'vitest';
import { runUnasked } from '../support/runUnasked.ts';

const heightOf = async (node: string, rest: string): Promise<number> => {
  const text = `name: timeline\nseed: 1\nengine: {crypto: keyed-hash}\nvalidators: {count: 4}\n${rest}`;
  const run = await runUnasked(text, {});
  if (!run.ok) throw new Error(run.error.message);
  expect(run.value.failures).toEqual([]);
  return run.value.nodes.find(({ name }) => name === node)?.height ?? -1;
};

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

test('a narrow link holds up nothing of the connection after it', async () => {
  const narrow = 'at: 5s, do: {link: {from: v0, rate: 1B/s}}, for: 1s';
  const crash = 'at: 10s, do: {crash: v0}, for: 1s';
  expect(await heightOf('v0', timeline('time: 60s', narrow, crash))).toBeGreaterThan(20);
});

test('quiet begins when what was begun is over', async () => {
  const cut = 'at: 3s, do: {partition: [[v0, v1], [v2, v3]]}, for: 60s';
  expect(await heightOf('v0', timeline('quiet: 20s', cut))).toBeGreaterThan(10);
});

test('of two crash points of a kind the nearer one comes first', async () => {
  const [far, near] = [9, 2].map((count) => `at: 0s, do: {crash: v1, point: sign, count: ${count}}`);
  expect(await heightOf('v1', timeline('time: 10s', `${far}`, `${near}`))).toBe(0);
});

test('taking one entry out leaves the draws of the others as they were', async () => {
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
