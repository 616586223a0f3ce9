import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Progress } from '../../../adapters/cli/sim/progress.ts';
import { compareRuns } from '../../../sim/replay/compare.ts';
import { replayTo } from '../../../sim/replay/snapshot.ts';
import { reportPage } from '../../../sim/report/page.ts';
import { runScenario } from '../../../sim/run.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { withCrypto } from '../../../sim/scenario/withCrypto.ts';
import { docText, readDoc, smallerLeaves, without } from '../../../sim/shrink/document.ts';
import { PASSES, withoutValidator } from '../../../sim/shrink/passes.ts';
import { reduceList } from '../../../sim/shrink/reduceList.ts';
import { isTolerable, shrinkScenario } from '../../../sim/shrink/shrink.ts';
import { drawSwarm } from '../../../sim/swarm/draw.ts';
import { causeOf } from '../../../sim/sweep/cause.ts';
import { FailureGroups } from '../../../sim/sweep/groups.ts';
import { CHOICE_GROUPS, groupOf } from '../../../sim/world/choices.ts';
import { scenarioNames, scenarioText } from '../../support/scenarios.ts';

const failure = (message: string) => ({ checker: 'agreement', message, at: 0 });

describe('the cause of a failure', () => {
  test('is the same for other nodes, heights and hashes, and another for another sentence', () => {
    const names = ['v0', 'v1', 'alice'];
    const first = causeOf(failure('height 3: v0 decided ab12cd34ef56, v1 decided 0012cd34ef56'), names);
    expect(first).toBe('height N: NODE decided HASH, NODE decided HASH');
    expect(causeOf(failure('height 14: v1 decided 99ffcd34ef56, v0 decided 1112cd34ef56'), names)).toBe(
      first,
    );
    expect(causeOf(failure('height 14: v1 decided twice'), names)).not.toBe(first);
    expect(causeOf(failure('v0 calls v1 again after 231853 µs'), names)).toBe(
      'NODE calls NODE again after N µs',
    );
    expect(causeOf(failure('v0 at 3/1, step prevote-wait: goes on'), names)).toBe(
      causeOf(failure('v1 at 12/0, step propose: goes on'), names),
    );
    expect(
      causeOf(failure('v0: answers the traces, at [3].logs[0].topics[1], with "0x2", expected "0x3"'), names),
    ).toBe(causeOf(failure('v1: answers the traces, at [0].gas, with "0x12", expected nothing'), names));
    expect(causeOf(failure('v0 votes at 2026-01-01T00:00:01.000017Z, too early'), names)).toBe(
      causeOf(failure('v1 votes at 2026-11-30T10:59:31.123456Z, too early'), names),
    );
    for (const hash of ['0xebbafef96c5c', '0X360B34095D8C', '360B34095D8C'])
      expect(causeOf(failure(`${hash} of alice waited 6 heights`), names)).toBe(
        'HASH of NODE waited N heights',
      );
  });

  test('groups runs, counts all and names a few', () => {
    const groups = new FailureGroups();
    for (let seed = 1; seed <= 20; seed++)
      groups.add({ scenario: 'x.yaml', seed: String(seed) }, [failure(`height ${seed}`)], []);
    groups.add({ scenario: 'x.yaml', seed: '21' }, [failure('other')], []);
    groups.add({ scenario: 'x.yaml', seed: '22' }, [], []);
    expect(groups.list().map(({ cause, count, examples }) => [cause, count, examples.length])).toEqual([
      ['height N', 20, 8],
      ['other', 1, 1],
    ]);
  });
});

describe('a scenario with another signature scheme', () => {
  test('is the run that the option asks for, with nothing else changed, and keeps its comments', async () => {
    const text = scenarioText('four-honest');
    const keyed = withCrypto(text, 'keyed-hash');
    expect(keyed.split('\n')[0]).toBe(text.split('\n')[0]);
    const { engine, ...rest } = parse(keyed);
    expect(engine).toEqual({ ...parse(text).engine, crypto: 'keyed-hash' });
    expect(rest).toEqual((({ engine: _, ...others }) => others)(parse(text)));
    const byText = await runScenario(keyed, { seed: '3' });
    const byOption = await runScenario(text, { seed: '3', crypto: 'keyed-hash' });
    expect(byText.ok && byText.value.digest).toBe(byOption.ok && byOption.value.digest);
  });

  test('stays as it is where it is no scenario, so that its own error is told', () => {
    const text = 'name: x\n\nengines: {}\n';
    expect(withCrypto(text, 'ed25519')).toBe(text);
  });
});

describe('a swarm world', () => {
  test('is a scenario that the parser takes, the same for the same seed, seldom a third of it lying', () => {
    let cartels = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const text = drawSwarm(String(seed));
      const parsed = parseScenario(text);
      if (!parsed.ok) throw new Error(`seed ${seed}: ${parsed.error.message}\n${text}`);
      const { validators, byzantine } = parsed.value;
      const liars = new Set(byzantine.map(({ who }) => who));
      const power = (names: readonly { readonly power: number }[]): number =>
        names.reduce((sum, one) => sum + one.power, 0);
      const [faulty, total] = [power(validators.filter(({ name }) => liars.has(name))), power(validators)];
      expect(3 * faulty).toBeLessThan(2 * total);
      if (3 * faulty >= total) cartels++;
    }
    expect(cartels).toBeGreaterThan(0);
    expect(cartels).toBeLessThan(60);
    expect(drawSwarm('7')).toBe(drawSwarm('7'));
    expect(drawSwarm('7')).not.toBe(drawSwarm('8'));
  });
});

test('progress fits into one line of the terminal, as one that wraps cannot be rewritten', async () => {
  for (const columns of [200, 70, 12]) {
    const said: string[] = [];
    const err = (text: string): void => void said.push(text);
    const world = { errIsTty: true, errColumns: columns, env: {}, exitCode: 0, out() {}, err };
    const progress = new Progress(world, 2);
    await new Promise((resolve) => setTimeout(resolve, 250));
    progress.count(false, 5_000_000);
    const line = said.join('').replace('\r\x1b[K', '');
    expect(line.length).toBeLessThan(columns);
    expect(line.startsWith('[####')).toBe(columns === 200);
    expect(line).toContain('1/2 runs');
  }
});

test('the streams of a run are of groups that a scenario may name', async () => {
  const groups = new Set<string>();
  const onChoices = (choices: ReadonlyMap<string, unknown>): void => {
    for (const label of choices.keys()) groups.add(groupOf(label));
  };
  const late =
    'name: late\ntimeline: [{at: 0s, do: {clock: {target: all, jitter: 9ms}}}]\nuntil: {height: 2}\n';
  const drawn = Array.from({ length: 4 }, (_, i) => drawSwarm(String(i + 1)));
  for (const text of [late, ...drawn]) await runScenario(text, { crypto: 'keyed-hash', onChoices });
  expect([...groups].filter((group) => !CHOICE_GROUPS.some((known) => known === group))).toEqual([]);
  expect(groups.has('link')).toBe(true);
});

describe('shrinking', () => {
  test('finds the entries that matter in any list', async () => {
    const list = Array.from({ length: 40 }, (_, i) => i);
    let runs = 0;
    const kept = await reduceList(list, async (smaller) => {
      runs++;
      return smaller.includes(3) && smaller.includes(31);
    });
    expect(kept).toEqual([3, 31]);
    expect(runs).toBeLessThan(80);
  });

  test('leaves no restart without its crash, and no region that nothing names', async () => {
    const text = `name: stuck
engine: {crypto: keyed-hash, time_max: 20s}
validators: {a: {region: eu}, b: {}, c: {}, d: {region: us}}
timeline:
  - {at: 1s, do: {crash: [a, b]}}
  - {at: 1s, do: {crash: c}}
  - {at: 3s, do: {restart: c}}
  - {at: 0s, do: {link: {from: group us, loss: 1%}}}
until: {height: 4}
`;
    const found: string[] = [];
    const shrunk = await shrinkScenario(text, { runsMax: 16, onStep: (best) => found.push(best.text) });
    if (!shrunk.ok) throw new Error('there is nothing to shrink');
    expect(shrunk.value.broken.checker).toBe('until');
    expect(shrunk.value.text).toContain('crash');
    expect(shrunk.value.text).not.toMatch(/restart|region/);
    const again = await runScenario(shrunk.value.text);
    expect(again).toMatchObject({ ok: true, value: { passed: false, neverHappened: [] } });
    // Each one on the way fails by itself: who ends the search early has a scenario.
    expect(found.at(-1)).toBe(shrunk.value.text);
    expect(await runScenario(found[0] as string)).toMatchObject({ ok: true, value: { passed: false } });
  });

  test('drops what never happens with the defaults of its section', async () => {
    const text = `name: idle
engine: {crypto: keyed-hash}
defaults: {timeline: {for: 2s}}
timeline: [{at: 100s, do: {crash: v0}}]
expect: [{never: "block.height == 2"}]
until: {height: 2}
`;
    const shrunk = await shrinkScenario(text, { runsMax: 1 });
    expect(shrunk.ok && shrunk.value.text).not.toMatch(/crash|defaults/);
  });

  test('keeps the end before which nobody had shown his guilt', async () => {
    const text =
      'name: nobody\nengine: {crypto: keyed-hash}\nexpect: [{guilty: {equals: [v3]}}]\nuntil: {time: 2s}\n';
    const shrunk = await shrinkScenario(text, { runsMax: 20 });
    expect(shrunk.ok && shrunk.value.broken.checker).toBe('guilty');
    expect(shrunk.ok && shrunk.value.text).toContain('until: {time: 2s}');
  });

  test('takes a failure at a node without a vote for the same at any other node', async () => {
    const text =
      'name: follower\nengine: {crypto: keyed-hash}\nnodes: {full0: {}}\nexpect: [{never: "node(full0).height == 1"}]\nuntil: {height: 2}\n';
    const shrunk = await shrinkScenario(text, { runsMax: 1 });
    expect(shrunk.ok && shrunk.value.broken.cause).toBe('it happened: node(NODE).height == N');
  });

  test.each([
    'byzantine: [{who: v2, behaviour: silent}]',
    'mutate: [{who: v2, message: vote, op: drop}]',
    'peers: {seeds: [v0], liars: {v2: asks}}',
    'clients: [{name: judge, kind: accuser, at: v0, args: {against: v2}}]',
  ])('counts the power of whoever is faulty by %s', (section) => {
    const [three, four] = [3, 4].map((count) =>
      parseScenario(`name: x\nvalidators: {count: ${count}}\n${section}\nuntil: {height: 2}\n`),
    );
    if (three?.ok !== true || four?.ok !== true) throw new Error('the scenario is not readable');
    expect([isTolerable(three.value), isTolerable(four.value)]).toEqual([false, true]);
  });

  test('writes every shipped scenario so that it reads back the same', () => {
    for (const name of scenarioNames) {
      const doc = parse(scenarioText(name));
      const again = parseScenario(docText(doc));
      expect(again).toEqual(parseScenario(scenarioText(name)));
    }
  });

  test('takes a name out of everything that speaks of it', () => {
    const entry = { do: { partition: [['v0', 'v1'], ['v2']] } };
    expect(without(entry, 'v1')).toEqual({ do: { partition: [['v0'], ['v2']] } });
    expect(without({ at: '1s', do: { crash: 'v1' } }, 'v1')).toBeUndefined();
    expect(without({ after: { event: 'crashed(v1)' }, do: 'heal' }, 'v1')).toBeUndefined();
  });

  test.each([
    'nodes: {full0: {peers: [v0, v3]}}\n',
    'peers: {seeds: [v0, v3], liars: {v3: moved}}\n',
    'choices: {zero: [sync, "link/v0>v3"]}\n',
    'mutate:\n  - {who: v3, message: vote, op: drop}\n  - {who: v2, message: vote, op: drop, to: [v0, v3]}\n',
    'mutate:\n  - {message: vote, op: drop}\ndefaults: {mutate: {who: [v2, v3]}}\n',
    'byzantine: [{who: v3}]\ndefaults: {byzantine: {behaviour: replay}}\n',
  ])('takes a validator out of a file that names it in %j', (section) => {
    const left = docText(withoutValidator(readDoc(`name: x\n${section}until: {height: 2}\n`), 'v3'));
    expect(parseScenario(left)).toMatchObject({ ok: true });
    expect(left).not.toContain('v3');
  });

  test('takes away whole nodes, and mutations, with all that speaks of them', async () => {
    const timeline = '[{at: 1s, do: {crash: [v0, full0]}}, {at: 2s, do: {restart: full0}}]';
    const mutate = '[{message: vote}, {message: proposal}]';
    const file = `name: x\nnodes: {full0: {}}\ntimeline: ${timeline}\nmutate: ${mutate}\ndefaults: {mutate: {who: v1, op: drop}}\nuntil: {height: 2}\n`;
    let best = readDoc(file);
    for (const pass of PASSES.filter(({ name }) => ['nodes', 'mutate entries'].includes(name)))
      await pass.run(
        () => best,
        async (doc) => {
          const parsed = parseScenario(docText(doc));
          if (parsed.ok) best = doc;
          return parsed.ok;
        },
      );
    expect(docText(best)).toBe('name: x\ntimeline:\n  - {at: 1s, do: {crash: [v0]}}\nuntil: {height: 2}\n');
  });

  test('tries the smallest value of a leaf first', () => {
    expect(smallerLeaves(10)).toEqual([0, 1, 2, 5, 9]);
    expect(smallerLeaves('3.5s')).toEqual(['0s', '1s', '2s', '3s']);
    expect(smallerLeaves('3..5')).toEqual([3, 5]);
  });

  test('gives a probability one value to try, so that a search for smaller ones ends', () => {
    expect(smallerLeaves('7.5%')).toEqual(['100%']);
    expect(smallerLeaves('100%')).toEqual([]);
  });
});

describe('replay', () => {
  const options = { seed: '3', crypto: 'keyed-hash' } as const;

  test('stops at an event or a time and shows what every node holds', async () => {
    const at = await replayTo(scenarioText('four-honest'), { ...options, untilEvent: 400 });
    if (!at.ok) throw new Error(at.error.message);
    expect(at.value.events).toBe(400);
    expect(at.value.nodes.map(({ name }) => name)).toEqual(['v0', 'v1', 'v2', 'v3']);
    expect(at.value.nodes[0]?.at).toMatch(/^\d+\/\d+\/\d+$/);
    expect(at.value.report.failures).toEqual([]);
    const time = await replayTo(scenarioText('four-honest'), { ...options, untilTime: 2_000_000 });
    if (!time.ok) throw new Error(time.error.message);
    expect(time.value.isCut).toBe(true);
    expect(time.value.virtualMicros).toBeLessThanOrEqual(2_000_000);
    expect(time.value.virtualMicros).toBeGreaterThan(1_000_000);
    const { events } = time.value;
    const next = await replayTo(scenarioText('four-honest'), { ...options, untilEvent: events + 1 });
    expect(next.ok && next.value.virtualMicros).toBeGreaterThan(2_000_000);
    const early = await replayTo(scenarioText('four-honest'), { ...options, untilTime: 1 });
    expect(early.ok && early.value.virtualMicros).toBe(0);
    const late = await replayTo(scenarioText('four-honest'), { ...options, untilTime: 3.6e9 });
    expect(late.ok && late.value.isCut).toBe(false);
  });

  test('of the same seed is equal in every happening; one that differs is shown where it parts', async () => {
    const text = scenarioText('silent-validator');
    const same = await compareRuns(text, options);
    expect(same.ok && same.value.parted).toBeUndefined();
    let drawn = 0;
    // Dice that remember the run before.
    const steer = (label: string) => (label === 'link/v0>v1/delay' ? () => drawn++ : undefined);
    const other = await compareRuns(text, { ...options, steer });
    if (!other.ok) throw new Error(other.error.message);
    expect(other.value.parted?.first).not.toBe(other.value.parted?.second);
  });
});

describe('the report page', () => {
  test('stands alone and holds the whole trace, whatever text is in it', async () => {
    const lines: string[] = [];
    const scenario = scenarioText('silent-validator');
    const result = await runScenario(scenario, { crypto: 'keyed-hash', trace: (line) => lines.push(line) });
    if (!result.ok) throw new Error(result.error.message);
    const hostile = JSON.stringify({ t: 1, n: 1, kind: 'fault', text: '</script><script>alert(1)</script>' });
    const trace = { head: { scenario }, lines: [...lines, hostile], report: result.value };
    const page = reportPage(trace, { script: '/* script */', style: '/* style */' });
    expect(page).not.toMatch(/https?:\/\/|<link|src=/);
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    const json = /<script type="application\/json" id="trace">([\s\S]*?)<\/script>/.exec(page)?.[1] as string;
    expect(JSON.parse(json).lines).toHaveLength(lines.length + 1);
  });
});
