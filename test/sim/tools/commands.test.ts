import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenLines } from '../../../adapters/cli/sim/broken.ts';
import type { Failure, ScenarioReport } from '../../../sim/report.ts';
import { runCli } from '../../support/cli.ts';

let folder = '';
const fileOf = (name: string): string => path.join(folder, name);
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-commands-'));
  fs.writeFileSync(
    fileOf('broken.yaml'),
    `name: broken
seed: first-one
engine: {crypto: keyed-hash}
timeline:
  - {at: 1s, do: {crash: v0, power_loss: prefix}, for: 1s}
  - {at: 500s, do: heal}
byzantine:
  - {who: v3, behaviour: double-prevote, when: {height: 90}}
expect: [{never: "block.height == 2"}]
until: {height: 3}
`,
  );
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const sim = (...args: string[]) => runCli('sim', ...args);
const run = (name: string, ...args: string[]) => sim('run', fileOf(name), ...args);

describe('a run', () => {
  test('that breaks a promise says so, also when it is run twice, traced and told as JSON', async () => {
    const { code, out, err } = await run(
      'broken.yaml',
      '--check-determinism',
      '--json',
      '--trace',
      fileOf('broken.jsonl'),
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      seed: 'first-one',
      passed: false,
      neverHappened: ['timeline[1] (line 6) heal', 'byzantine[0] (line 8) B02 of v3'],
      notJudged: [],
    });
    expect(err).toMatch(/^deterministic: \d+ happenings equal in both runs$/m);
    expect(err).toContain('--seed first-one');
    expect(err).toContain('-o broken.min.yaml');
    const trace = fs.readFileSync(fileOf('broken.jsonl'), 'utf8');
    expect(trace).toContain('"text":"crash: v0, power_loss: prefix (timeline[0])"');
    expect(trace.trimEnd().split('\n').at(-1)).toContain('"kind":"report"');
  });

  test('that is refused leaves an earlier trace alone', async () => {
    fs.writeFileSync(fileOf('refused.yaml'), 'name: refused\nvalidators: {count: 4}\nuntil: {first: []}\n');
    fs.writeFileSync(fileOf('earlier.jsonl'), 'kept');
    const { code, err } = await run('refused.yaml', '--trace', fileOf('earlier.jsonl'));
    expect([code, err]).toEqual([2, expect.stringContaining('3:16: until.first: expected at least one end')]);
    expect(fs.readFileSync(fileOf('earlier.jsonl'), 'utf8')).toBe('kept');
  });

  test('does not write over what it reads, under whatever name', async () => {
    const [scenario, link] = [fileOf('own.yaml'), fileOf('link.yaml')];
    fs.copyFileSync(fileOf('broken.yaml'), scenario);
    fs.symlinkSync(scenario, link);
    const before = fs.readFileSync(scenario, 'utf8');
    for (const [args, option] of [
      [['run', scenario, '--trace', scenario], '--trace'],
      [['run', scenario, '--trace', link], '--trace'],
      [['shrink', scenario, '-o', link], '--output'],
    ] as const)
      expect(await sim(...args)).toMatchObject({
        code: 2,
        err: expect.stringMatching(new RegExp(`${option}: .*\\.yaml is the scenario itself\n$`)),
      });
    expect(await sim('report', scenario, '-o', link)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is the trace itself'),
    });
    expect(fs.readFileSync(scenario, 'utf8')).toBe(before);
    expect(await sim('run', scenario, '--trace', '-')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--trace: expected a file, found -'),
    });
    expect(fs.existsSync('-')).toBe(false);
  });

  test('takes the seed that a file may say, and no other', async () => {
    expect((await run('broken.yaml', '--seed', 'x_1.-')).out).toContain('seed x_1.-\n');
    // As from a shell variable that is not set.
    expect((await run('broken.yaml', '--seed', '')).err).toContain(', found nothing\n');
    expect(await run('broken.yaml', '--seed', 'two words')).toMatchObject({
      code: 2,
      err: expect.stringContaining('expected a seed: 1 to 64 letters'),
    });
  });

  test('with a third of the power faulty says what nobody can judge', async () => {
    const names =
      'validators: {count: 4}\nbyzantine:\n  - {who: v2, behaviour: nil-votes}\n  - {who: v3, behaviour: nil-votes}\n';
    const file = `name: many\nengine: {crypto: keyed-hash}\n${names}expect: [agreement]\nuntil: {time: 2s}\n`;
    fs.writeFileSync(fileOf('many.yaml'), file);
    expect((await run('many.yaml')).out).toContain(
      'expected and not judged, as a third or more of the power is faulty: agreement\n' +
        'not judged, as a third or more of the power is faulty: app_hash, ' +
        'parts of validity, parts of no_crash, parts of conduct, parts of durability, parts of answers\n',
    );
  });

  test.each([
    { height: 1000, judged: 'all', isJudged: true },
    { height: 2, judged: 'what was before', isJudged: false },
  ])('with a third of it faulty from height $height on judges $judged', async ({ height, isJudged }) => {
    const powers = `validators: {count: 5}\nupdates: [{height: ${height}, validators: {v4: 40}}]\n`;
    const liar = 'byzantine: [{who: v4, behaviour: double-prevote}]\n';
    const file = `name: later\nengine: {crypto: keyed-hash}\n${powers}${liar}until: {height: 4}\n`;
    fs.writeFileSync(fileOf('later.yaml'), file);
    expect((await run('later.yaml')).out.includes('not judged')).toBe(!isJudged);
  });
});

describe('a trace', () => {
  test('is replayed to the end that it tells, and the exit code says how that was', async () => {
    const { code, out, err } = await sim('replay', fileOf('broken.jsonl'), '--tail', '1');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('broken: never at');
    const part = await sim('replay', fileOf('broken.jsonl'), '--until', '100', '--tail', '0');
    expect({ code: part.code, err: part.err }).toEqual({ code: 0, err: '' });
    expect(part.out).toContain('proposer v');
    expect(part.out).not.toContain('has ended before');
    const beyond = await sim('replay', fileOf('broken.jsonl'), '--until', '99999999', '--tail', '0');
    expect(beyond.out).toContain('the run has ended before 99999999');
  });

  test('of a node that threw is replayed, and holds its message without the stack', async () => {
    fs.writeFileSync(
      fileOf('halts.yaml'),
      `name: halts
engine: {crypto: keyed-hash}
timeline:
  - {at: 4s, do: {crash: v3}}
  - {at: 4s, do: {disk: {target: v3, fault: lost_batch}}}
  - {at: 5s, do: {restart: v3}}
until: {height: 5}
`,
    );
    const { code, out } = await run('halts.yaml', '--trace', fileOf('halts.jsonl'));
    expect(code).toBe(0);
    expect(out).toMatch(/^halted: v3: start failed: StartError: [^\n]*\nverdict/m);
    expect(fs.readFileSync(fileOf('halts.jsonl'), 'utf8')).not.toContain('file://');
    expect(await sim('replay', fileOf('halts.jsonl'))).toMatchObject({ code: 0, err: '' });
  });

  test('of another program is not believed', async () => {
    const lines = fs.readFileSync(fileOf('broken.jsonl'), 'utf8').split('\n');
    lines[20] = (lines[20] as string).replace(/"run":"[0-9a-f]+"/, '"run":"0"');
    fs.writeFileSync(fileOf('other.jsonl'), lines.join('\n'));
    const { code, err } = await sim('replay', fileOf('other.jsonl'), '--until', '100');
    expect(code).toBe(1);
    expect(err).toContain('line 21: the trace tells another run');
  });

  test('that ends in half a line is as good as it goes, and a page of it says so', async () => {
    const text = fs.readFileSync(fileOf('broken.jsonl'), 'utf8');
    fs.writeFileSync(fileOf('half.jsonl'), text.slice(0, text.length / 2));
    expect((await sim('replay', fileOf('half.jsonl'), '--until', '100')).err).toBe('');
    expect((await sim('replay', fileOf('half.jsonl'))).err).toMatch(
      /no end.*nothing after line \d+ was compared/,
    );
    const { code, err } = await sim('report', fileOf('half.jsonl'), '-o', fileOf('half.html'));
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('half.jsonl has no end') });
  });

  test('with a line that is none is refused, by the line', async () => {
    const lines = fs.readFileSync(fileOf('broken.jsonl'), 'utf8').split('\n');
    lines[20] = 'garbage';
    fs.writeFileSync(fileOf('garbage.jsonl'), lines.join('\n'));
    const { code, err } = await sim('report', fileOf('garbage.jsonl'), '-o', fileOf('garbage.html'));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('garbage.jsonl:21: not a line') });
    expect(fs.existsSync(fileOf('garbage.html'))).toBe(false);
  });

  test('of which the first or last line was edited is refused, by the line', async () => {
    const lines = fs.readFileSync(fileOf('broken.jsonl'), 'utf8').trimEnd().split('\n');
    fs.writeFileSync(fileOf('edited.jsonl'), [...lines.slice(0, -1), '{"kind":"report"}\n'].join('\n'));
    expect(await sim('report', fileOf('edited.jsonl'), '-o', fileOf('edited.html'))).toMatchObject({
      code: 2,
      err: expect.stringContaining(`edited.jsonl:${lines.length}: not the report of a run`),
    });
    const head = { ...JSON.parse(lines[0] as string), pct: 'x' };
    fs.writeFileSync(fileOf('edited.jsonl'), [JSON.stringify(head), ...lines.slice(1)].join('\n'));
    expect(await sim('replay', fileOf('edited.jsonl'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('edited.jsonl is not a trace'),
    });
  });

  test('is of one run, and of nodes that there are', async () => {
    expect((await sim('replay', fileOf('broken.jsonl'), '--seed', '2')).err).toContain(
      'a trace is of one run',
    );
    expect((await sim('replay', fileOf('broken.jsonl'), '--node', 'v9')).err).toContain(
      '--node: expected one of v0, v1, v2, v3, found v9',
    );
    expect((await sim('replay', fileOf('broken.jsonl'), '--until', '0')).code).toBe(2);
    fs.writeFileSync(fileOf('run.rec'), '{"kind":"recording"}\n');
    expect((await sim('replay', fileOf('run.rec'), '--seed', '3')).err).toContain(
      'a recording is of one node',
    );
  });
});

test('results are kept in a folder, not in a file', async () => {
  const { err } = await sim('sweep', fileOf('broken.yaml'), '--keep', fileOf('broken.yaml'));
  expect(err).toContain('is not a folder');
});

test('scenarios are checked without being run', async () => {
  expect(await sim('check', fileOf('broken.yaml'))).toMatchObject({
    code: 0,
    out: '1 scenario can be run\n',
  });
  fs.writeFileSync(fileOf('wrong.yaml'), 'name: wrong\nvaliators: {count: 1}\n');
  fs.writeFileSync(fileOf('latin.yaml'), Buffer.from('# K\u00e4se\nname: \u00e4\n', 'latin1'));
  expect(await sim('check', fileOf('latin.yaml'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('latin.yaml:1:4: expected UTF-8, found the byte 0xe4\n'),
  });
  const { code, err } = await sim('check', fileOf('wrong.yaml'), fileOf('broken.yaml'));
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('wrong.yaml:2:') });
  // All that is wrong is listed, also after a file that is not there.
  const all = await sim('check', fileOf('nowhere.yaml'), fileOf('latin.yaml'), fileOf('wrong.yaml'));
  expect(all.err.match(/(nowhere|latin|wrong)\.yaml:/g)).toEqual([
    'nowhere.yaml:',
    'latin.yaml:',
    'wrong.yaml:',
  ]);
  expect((await sim('run', '--swarm')).err).toContain('--swarm: expected --seed');
  fs.writeFileSync(fileOf('trace.jsonl'), '{"kind":"scenario","scenario":"name: x"}\n');
  for (const command of ['run', 'check', 'shrink'])
    expect(await sim(command, fileOf('trace.jsonl'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/is a trace, not a scenario: npx orrery sim replay \S+ runs it\n$/),
    });
});

test('of promises that are broken alike the first is told, and the others are counted', () => {
  const failed = (at: number, message: string): Failure => ({ checker: 'lock', message, at });
  const failures = [failed(1_000, 'v0: at 3'), failed(2_000, 'v1: at 4'), failed(3_000, 'other')];
  const nodes = ['v0', 'v1'].map((name) => ({ name }));
  const lines = brokenLines({ failures, nodes } as unknown as ScenarioReport);
  expect(lines).toEqual([
    'broken: lock at 0.001 s: v0: at 3\n    and 1 more like it',
    'broken: lock at 0.003 s: other',
  ]);
});

test('the shrinker counts clients of every kind, and quotes what the smaller file breaks with', async () => {
  const text = `name: late
engine: {crypto: keyed-hash}
clients: [{name: payer, kind: bank, at: v0}, {name: phone, kind: light, at: v0}]
expect: [{eventually: "block.height >= 90", within: 7s}]
until: {time: 20s}
`;
  fs.writeFileSync(fileOf('late.yaml'), text);
  const shrunk = await sim('shrink', fileOf('late.yaml'), '--runs', '30', '-o', fileOf('late.min.yaml'));
  expect(shrunk).toMatchObject({ code: 0, out: expect.stringMatching(/^before: .* 2 clients$/m) });
  const said = /^# broken: (\w+): (.*)\n/.exec(fs.readFileSync(fileOf('late.min.yaml'), 'utf8'));
  expect((await run('late.min.yaml')).out).toContain(said?.[2]);
  for (const wrong of ['0s', '10'])
    await expect(sim('shrink', fileOf('late.yaml'), '--budget', wrong)).resolves.toMatchObject({ code: 2 });
});
