import { describe, expect, test } from 'vitest';
import type { ScenarioReport } from '../../sim/report.ts';
import { type RunOptions, runScenario } from '../../sim/run.ts';
import { ZERO_GROUPS } from '../../sim/world/choices.ts';
import { runUnasked } from '../support/runUnasked.ts';
import { scenarioNames, scenarioText } from '../support/scenarios.ts';

/** Take two seconds and more: the sweep of `npm run campaign` runs them, as all others, with many seeds. */
const LONG: ReadonlySet<string> = new Set([
  'address-liars',
  'addresses-moved',
  'addresses-moved-after-restart',
  'all-crash',
  'asked-too-often',
  'blocks-in-parts',
  'blocks-waited-for',
  'blocks-without-pause',
  'book-outlives-the-seed',
  'busy-chain',
  'busy-chain-outbid',
  'changing-params',
  'contract-liars',
  'contract-storms',
  'crowded-blocks',
  'faulty-programs',
  'index-off-and-on',
  'isolated-node-catches-up',
  'later-genesis',
  'limits-hold',
  'little-at-once',
  'many-validators',
  'mutated-addresses',
  'parts-cut-short',
  'parts-from-the-others',
  'parts-to-the-limit',
  'parts-told-once',
  'pex-discovers',
  'pool-after-partition',
  'pool-told-to-all',
  'precommits-of-a-later-round',
  'sync-in-parts',
  'sync-liar-clock-back',
  'sync-liar-forgiven',
  'sync-loose-frames',
  'sync-near-peer',
  'sync-of-large-blocks',
  'sync-peer-leaves',
  'sync-peers-leave-at-work',
  'sync-poisoned',
  'vain-addresses-forgotten',
]);

async function run(text: string, options: RunOptions = {}, by = runScenario): Promise<ScenarioReport> {
  const result = await by(text, { crypto: 'keyed-hash', ...options });
  if (!result.ok) throw new Error(`${result.error.line}:${result.error.column} ${result.error.message}`);
  return result.value;
}

describe('the shipped scenarios', () => {
  test('say what a correct node must do', () => {
    for (const name of scenarioNames) expect(scenarioText(name), name).toMatch(/^# [\s\S]*correct/);
  });

  test.each(scenarioNames.filter((name) => !LONG.has(name)).map((name, i) => [name, i] as const))(
    '%s keeps its promises, and its liars lie',
    async (name, i) => {
      const text = scenarioText(name);
      // Not every node is asked at the end of its run for all that it serves: the campaign asks all of them.
      const isAsked = i % (/^clients:|block_sync/m.test(text) ? 8 : 24) === 0;
      const { failures, neverHappened } = await run(text, {}, isAsked ? runScenario : runUnasked);
      expect(failures).toEqual([]);
      expect(neverHappened.filter((entry) => !entry.startsWith('timeline'))).toEqual(
        name === 'time-stands-still' ? ['until (block time stands still)'] : [],
      );
    },
  );
});

describe('bugs that a sweep found stay fixed', () => {
  test.each([
    ['mixed-trouble', '17', 'a proof of lock is claimed to those who saw another vote of the liar first'],
    ['double-precommit', '5', 'a contradiction among late precommits becomes evidence'],
    ['crash-at-signed', '2', 'the log of a proposer can be replayed'],
  ])('%s, seed %s: %s', async (name, seed) => {
    expect((await run(scenarioText(name), { seed })).failures).toEqual([]);
  });
});

describe('a run', () => {
  const mixed = scenarioText('mixed-trouble');

  test('is the same whoever judges it', async () => {
    const asked = new Set<string>();
    const judges = (checker: string): boolean => asked.add(checker) && checker === 'lock';
    expect((await run(mixed, { judges })).digest).toBe((await run(mixed)).digest);
    expect([...asked]).toEqual(expect.arrayContaining(['conduct', 'records', 'lock']));
  });

  test('is the same for the same seed, traced or not, and another for another seed', async () => {
    const lines: string[] = [];
    const first = await run(mixed, { seed: '5', trace: (line) => lines.push(line) });
    expect(await run(mixed, { seed: '5' })).toEqual(first);
    expect(first.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await run(mixed, { seed: '6' })).digest).not.toBe(first.digest);
    expect(lines.length).toBeGreaterThan(1000);
    const last = JSON.parse(lines.at(-1) as string);
    expect(Object.keys(last)).toEqual(
      expect.arrayContaining(['t', 'n', 'node', 'kind', 'at', 'state', 'run']),
    );
  });

  test('passes with real ed25519 as well as with keyed hashes', async () => {
    const real = await run(scenarioText('one-equivocator'), { crypto: 'ed25519' });
    expect(real.failures).toEqual([]);
    expect(real.stats.evidence).toBe(1);
  });

  test('replays from its recorded choices alone', async () => {
    let choices: ReadonlyMap<string, readonly number[]> = new Map();
    const first = await run(scenarioText('crash-restart'), {
      seed: '4',
      onChoices: (made) => {
        choices = made;
      },
    });
    expect(choices.size).toBeGreaterThan(10);
    const replayed = await run(scenarioText('crash-restart'), { seed: '4', replay: choices });
    expect(replayed).toEqual(first);
  });

  test('keeps its promises when all dice fall on the harmless side', async () => {
    const zeroed = `${mixed}\nchoices: {zero: [${ZERO_GROUPS.join(', ')}]}\n`;
    expect((await run(zeroed)).failures).toEqual([]);
  });

  test('says in which line a scenario is wrong', async () => {
    const result = await runScenario('name: x\nuntil: {heigth: 3}\n');
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.error).toMatchObject({ line: 2, column: 9 });
  });

  test('fails when an expectation is not met, with the checker that says so', async () => {
    const hasty = 'name: x\nexpect: [{liveness: {heights: 5, within: 1s}}]\nuntil: {height: 5}\n';
    expect((await run(hasty)).failures.map((failure) => failure.checker)).toEqual(
      new Array(4).fill('liveness'),
    );
    const innocent = 'name: x\nexpect: [{evidence: {against: [v0]}}]\nuntil: {height: 3}\n';
    expect((await run(innocent)).failures[0]).toMatchObject({
      checker: 'evidence',
      message: 'no evidence against v0 is in the chain, whose key never signed two values either',
    });
    const never = 'name: x\nengine: {time_max: 5s}\nuntil: {height: 1000}\n';
    expect((await run(never)).failures[0]).toMatchObject({
      checker: 'until',
      message: 'the end was not reached: engine.time_max is over, and v0 is at height 4 of 1000',
    });
    const waiting = `${never.replace('{height: 1000}', '{quiet: 1s}')}timeline: [{event: crashed(v0), do: gst}]
`;
    expect((await run(waiting)).failures[0]?.message).toBe(
      'the end was not reached: engine.time_max is over, and timeline[0] has not come',
    );
    const restless = waiting.replace('event: crashed(v0)', 'every: 900ms');
    expect((await run(restless)).failures[0]?.message).toBe(
      'the end was not reached: engine.time_max is over, and the timeline acted less than 1.000000 s ago',
    );
  });

  test('waits for nothing that chance has decided against', async () => {
    const endsWith = async (until: string, timeline: string): Promise<readonly unknown[]> =>
      (await run(`name: x\nuntil: {${until}}\ntimeline: [${timeline}]\n`)).failures;
    const crash = '{at: 1s, do: {crash: v0}}';
    const event = 'event: crashed(v0)';
    const quiet = `{at: 1s, chance: 1%, do: gst}, ${crash}, {${event}, chance: 1%, do: gst}`;
    expect(await endsWith('quiet: 1s', quiet)).toEqual([]);
    const back = `${crash}, {after: {${event}}, at: 1s, chance: 1%, do: {restart: v0}}`;
    expect(await endsWith('height: 4', back)).toEqual([]);
  });

  test('names what the timeline says and nothing came of', async () => {
    const actions = [
      '{at: 900s, do: heal}',
      '{at: 1s, do: {disk: {target: v0, fault: torn, file: wal}}}', // its node runs
      '{at: 1s, do: {disk: {target: v0, fault: lost_batch, file: db}}}', // so here
      '{at: 1s, do: {restart: v0}}',
      '{at: 1s, do: {wipe: v0}}',
      '{at: 1s, do: {resume: v0}}',
      '{at: 0s, do: {rollback: v2}}', // there is no block yet
      '{at: 1s, do: {crash: v0, point: batch, count: 900}}',
      '{at: 1s, do: {crash: v1, point: batch}}',
      '{after: {event: crashed(v1)}, at: 1s, do: {crash: v1}}', // it lies already
      '{after: {event: crashed(v1)}, at: 1s, do: {pause: v1}}',
      '{after: {event: crashed(v1)}, at: 1s, do: {disk: {target: v1, fault: torn, file: wal}}}',
      '{after: {event: crashed(v1)}, at: 2s, do: {restart: v1}}',
      '{after: {event: started(v1)}, at: 1s, do: {pause: v1}, for: 1s}',
      '{at: 1s, do: heal}',
      '{at: 1s, do: {link: {from: v2, to: v2, loss: 1%}}}',
      '{at: 3s, do: {remove_node: full0}}',
      "{at: 4s, do: {upgrade: full0, to: '2.0.0'}}", // it has left
      '{at: 4s, do: {clog: full0}, for: 1s}',
    ];
    const text = `name: x\nnodes: {full0: {}}\ntimeline:\n${actions.map((one) => `  - ${one}\n`).join('')}until: {height: 9}\n`;
    const { failures, neverHappened } = await run(text);
    expect(failures).toEqual([]);
    expect(neverHappened.map((entry) => entry.split(' ')[0])).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 14, 15, 17, 18].map((index) => `timeline[${index}]`),
    );
  });
});
