import { execFile, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseScenario } from '../../../sim/scenario/parse.ts';

/** Nodes are not asked for all that they serve: it takes longer than the rest of such short runs. */
const UNASKED = '{off: answers}';
const bin = path.resolve(import.meta.dirname, '../../../bin/orrery.js');
let folder = '';
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-sweep-'));
  const fileOf = (name: string): string => path.join(folder, `${name}.yaml`);
  const head = 'engine: {crypto: keyed-hash}\nvalidators: {count: 1}\n';
  fs.writeFileSync(fileOf('calm'), `name: calm\n${head}expect: [${UNASKED}]\nuntil: {height: 2}\n`);
  fs.writeFileSync(
    fileOf('broken'),
    `name: broken\n${head}expect: [${UNASKED}, {never: "node(v0).height >= 2"}]\nuntil: {height: 2}\n`,
  );
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Swept {
  readonly code: number;
  readonly out: string;
}

const sim = (...args: string[]): Promise<Swept> =>
  new Promise((resolve) => {
    execFile(process.execPath, [bin, 'sim', ...args], { cwd: folder }, (error, out) =>
      resolve({ code: error === null ? 0 : Number(error.code), out }),
    );
  });

const sweep = (...args: string[]): Promise<Swept> => sim('sweep', ...args, '--jobs', '1');

test('a sweep counts, goes on where it stopped, and keeps what fails with the line that runs it again', async () => {
  const first = await sweep('calm.yaml', '--seeds', '1..2', '--keep', 'kept');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('2 runs, 0 failed\n') });
  const second = await sweep('calm.yaml', 'broken.yaml', '--seeds', '1..3', '--keep', 'kept');
  expect(second.code).toBe(1);
  expect(second.out).toContain('6 runs, 2 of them done earlier, 3 failed\n');
  expect(second.out).toContain('3 × never: it happened: node(NODE).height >= N\n');
  expect(second.out).toContain('npx orrery sim run broken.yaml --seed 1\n');
  expect(fs.readFileSync(path.join(folder, 'kept/broken-3.yaml'), 'utf8')).toContain('seed: 3');
});

test('a result of which a killed campaign wrote half a line, or that was edited, costs that run alone', async () => {
  await sweep('calm.yaml', '--seeds', '1..2', '--keep', 'torn');
  const results = path.join(folder, 'torn', 'results.jsonl');
  fs.truncateSync(results, fs.statSync(results).size - 9);
  const wrong = [
    'null',
    '{"key":"x"}',
    fs.readFileSync(results, 'utf8').replace('[]', '[{}]').split('\n')[0],
  ];
  fs.writeFileSync(results, `${wrong.join('\n')}\n`);
  await sweep('calm.yaml', '--seeds', '1..2', '--keep', 'torn');
  const { out } = await sweep('calm.yaml', '--seeds', '1..2', '--keep', 'torn');
  expect(out).toContain('2 runs, 2 of them done earlier, 0 failed\n');
});

test('a run that took too long is done again once it may take longer', async () => {
  const args = ['calm.yaml', '--seeds', '1', '--keep', 'hung'];
  for (const _ of ['', 'again'])
    expect((await sweep(...args, '--run-timeout', '1ms')).out).toContain('the run took more than 0.001 s');
  expect(fs.readFileSync(path.join(folder, 'hung/results.jsonl'), 'utf8').split('\n')).toHaveLength(2);
  expect(await sweep(...args)).toMatchObject({ code: 0, out: expect.stringContaining('1 run, 0 failed\n') });
});

test('what never happened in any run of a scenario is listed, and what did in one is not', async () => {
  const entries = [
    '{at: 900ms, do: {crash: v0}, for: 1s}',
    '{when: {event: crashed(v1)}, do: {restart: v1}}',
  ];
  const text = `name: untold\ntimeline: [${entries.join(', ')}]\nexpect: [${UNASKED}]\nuntil: {first: [{height: 3}, {time: 9s}]}\n`;
  fs.writeFileSync(path.join(folder, 'untold.yaml'), text);
  const { out } = await sweep('untold.yaml', 'calm.yaml', '--seeds', '1..2');
  expect(out).toContain('never happened in any run of untold.yaml: timeline[1] (line 2) restart: v1\n');
  expect(out).not.toContain('calm.yaml');
  const { neverHappened } = JSON.parse((await sweep('untold.yaml', '--seeds', '1', '--json')).out);
  expect(neverHappened).toEqual([{ scenario: 'untold.yaml', entries: ['timeline[1] (line 2) restart: v1'] }]);
});

test('what a scenario expects and its runs have not judged is counted, with forks, and kept', async () => {
  const seven = 'validators: {count: 7}\n';
  const side = (from: string, to: string): string =>
    `{at: 0s, do: {link: {from: [${from}], to: [${to}], loss: 100%}}}`;
  const text = `name: cartel\nengine: {crypto: keyed-hash}\n${seven}timeline: [${side('v0, v1', 'v2, v3')}, ${side('v2, v3', 'v0, v1')}]
byzantine: [{who: [v4, v5, v6], behaviour: fork, to: [v0, v1], when: {height: 2}}]
expect: [agreement, {liveness: {heights: 2, within: 9s}}, ${UNASKED}]
until: {time: 10s}
`;
  fs.writeFileSync(path.join(folder, 'cartel.yaml'), text);
  const { out } = await sweep('cartel.yaml', 'calm.yaml', '--seeds', '1..2', '--keep', 'cartels');
  const why = 'a third or more of the power is faulty';
  expect(out).toContain(
    `expected and not judged in 2 of 2 runs of cartel.yaml, as ${why}: agreement, liveness\n` +
      '    correct nodes forked in 2 and halted in ',
  );
  // The same from the results that were kept.
  const again = await sweep('cartel.yaml', 'calm.yaml', '--seeds', '1..2', '--keep', 'cartels', '--json');
  expect(JSON.parse(again.out)).toMatchObject({
    resumed: 4,
    notJudged: [
      {
        scenario: 'cartel.yaml',
        runs: 2,
        promises: [
          { promise: 'agreement', why, runs: 2 },
          { promise: 'liveness', why, runs: 2 },
        ],
        forked: 2,
      },
    ],
  });
});

test('runs that are checked for determinism are runs of their own, and shards share them out', async () => {
  const args = ['calm.yaml', '--seeds', '1..4', '--keep', 'kept', '--json'];
  const part = await sweep(...args, '--check-determinism', '--shard', '1/2');
  expect({ code: part.code, ...JSON.parse(part.out) }).toMatchObject({
    code: 0,
    runs: 2,
    failed: 0,
    resumed: 0,
  });
  const rest = await sweep(...args, '--check-determinism');
  expect(JSON.parse(rest.out)).toMatchObject({ runs: 4, failed: 0, resumed: 2 });
});

test('scenarios of one name in two folders are both kept', async () => {
  const text = fs.readFileSync(path.join(folder, 'broken.yaml'), 'utf8');
  for (const [part, name] of ['one', 'two'].entries()) {
    fs.mkdirSync(path.join(folder, name));
    fs.writeFileSync(path.join(folder, name, 'c.yaml'), text.replace('name: broken', `name: c${part}`));
  }
  const { out } = await sweep('one', 'two/c.yaml', '--seeds', '1', '--keep', 'both');
  expect(out).toContain('2 runs, 2 failed\n');
  const kept = fs.readdirSync(path.join(folder, 'both')).filter((name) => name.endsWith('.yaml'));
  expect(kept.map((name) => name.replace(/[0-9a-f]{8}/, 'KEY')).sort()).toEqual(['c-1-KEY.yaml', 'c-1.yaml']);
});

test('a kept scenario can be read again, however the file was written', async () => {
  const text = fs.readFileSync(path.join(folder, 'broken.yaml'), 'utf8');
  fs.mkdirSync(path.join(folder, 'forms'));
  const forms = {
    'bom.yaml': `\ufeff${text}`,
    'document.yml': `---\n${text}`,
    'indented.yaml': text.replace(/^/gm, '  ').trimEnd(),
    'quoted.yaml': `"seed": 4\n${text}`,
    'json.yaml': JSON.stringify(parse(text)),
  };
  for (const [name, form] of Object.entries(forms))
    fs.writeFileSync(path.join(folder, 'forms', name), `${form}\n`);
  expect((await sweep('forms', '--seeds', '2', '--keep', 'formed')).out).toContain('5 runs, 5 failed\n');
  const kept = fs.readdirSync(path.join(folder, 'formed')).filter((name) => name.endsWith('.yaml'));
  expect(kept).toEqual(
    Object.keys(forms)
      .map((name) => name.replace(/\.ya?ml/, '-2.yaml'))
      .sort(),
  );
  for (const name of kept) {
    const parsed = parseScenario(fs.readFileSync(path.join(folder, 'formed', name), 'utf8'));
    expect(parsed).toMatchObject({ ok: true, value: { name: 'broken', seed: '2' } });
  }
});

test('Ctrl-C ends a sweep with what was found so far', async () => {
  const args = ['broken.yaml', '--seeds', '1..1000000', '--jobs', '1', '--keep', 'stopped'];
  const child = spawn(process.execPath, [bin, 'sim', 'sweep', ...args], { cwd: folder });
  let out = '';
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  // Said once the first run is over.
  child.stderr.once('data', () => child.kill('SIGINT'));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(130);
  expect(out).toMatch(/\d+ runs?, \d+ failed, \d+ left undone\n/);
  expect(fs.readFileSync(path.join(folder, 'stopped/broken-1.yaml'), 'utf8')).toContain('# broken: never');
});

test('what is wrong with the arguments is said before anything runs', async () => {
  for (const wrong of ['3..1', '1..1000000000000', 'x'])
    expect((await sweep('calm.yaml', '--seeds', wrong)).code).toBe(2);
  expect((await sweep('calm.yaml', '--seeds', '1', '--budget', '0s')).code).toBe(2);
  // Where nothing can be made, though what it would be in is there.
  if (fs.existsSync('/proc'))
    expect((await sweep('calm.yaml', '--seeds', '1', '--keep', '/proc/kept/here')).code).toBe(2);
});

describe('what a search finds', () => {
  const head = `engine: {crypto: keyed-hash}\nexpect: [{never: "block.height == 2"}, ${UNASKED}]\nuntil: {height: 3}\n`;
  const fileOf = (name: string): string => path.join(folder, name);
  /** The arguments after `npx orrery sim` that do the first failing run again. */
  const again = (out: string): string[] => JSON.parse(out).groups[0].examples[0].again.split(' ').slice(3);

  test('among twins is a case that its number names, and a scenario of its own', async () => {
    const names = 'validators: {a: {}, b: {}, c: {}, d: {}, d2: {twin_of: d}}\n';
    const search = 'search: {twins: {rounds: 1, partitions: all, leaders: all}}\n';
    fs.writeFileSync(fileOf('tw.yaml'), `name: tw\n${head}${names}${search}`);
    const all = await sim('twins', 'tw.yaml', '--sample', '1', '--json');
    expect({ code: all.code, ...JSON.parse(all.out) }).toMatchObject({
      code: 1,
      cases: 48,
      runs: 1,
      failed: 1,
    });
    const one = await sim(...again(all.out));
    expect(one.code).toBe(1);
    const number = /scenario: tw-(\d+), seed 1\n/.exec(one.out)?.[1];
    expect((await sim('run', `tw-${number}.yaml`)).out).toBe(one.out);
    expect((await sim('twins', 'tw.yaml', '--case', '48')).code).toBe(2);
    expect((await sim('twins', 'tw.yaml', '--case', '1', '--keep', 'cases')).code).toBe(2);
    // Each case is a story of its own, most of which end before all of it is told.
    const more = search.replace('rounds: 1', 'rounds: 3');
    fs.writeFileSync(
      fileOf('calm-tw.yaml'),
      `name: calm-tw\n${names}${more}expect: [${UNASKED}]\nuntil: {height: 1}\n`,
    );
    const calm = await sim('twins', 'calm-tw.yaml', '--sample', '3', '--budget', '1h', '--json');
    expect(JSON.parse(calm.out)).toMatchObject({ runs: 3, failed: 0, left: 0, neverHappened: [] });
    expect((await sim('twins', 'calm-tw.yaml', '--budget', '0s')).code).toBe(2);
    const often = 'defaults: {timeline: {chance: 50%}}\ntimeline: [{at: 1s, do: heal}]\n';
    fs.writeFileSync(fileOf('chance-tw.yaml'), `name: chance-tw\n${head}${names}${search}${often}`);
    expect((await sim('twins', 'chance-tw.yaml', '--sample', '1')).code).toBe(2);
    // With one more twin a third of the power is faulty.
    const two = `${names.replace('}\n', ', c2: {twin_of: c}}\n')}expect: [agreement, ${UNASKED}]\n`;
    fs.writeFileSync(fileOf('two-tw.yaml'), `name: two-tw\n${two}${search}until: {height: 1}\n`);
    expect((await sim('twins', 'two-tw.yaml', '--sample', '2')).out).toContain(
      'expected and not judged in 2 of 2 runs of two-tw.yaml, as a third or more of the power is faulty: agreement\n',
    );
  });

  test('among orders of messages is run, traced, replayed and shrunk with the depth of the search', async () => {
    fs.writeFileSync(fileOf('order.yaml'), `name: order\n${head}`);
    const all = await sim('pct', 'order.yaml', '--runs', '1', '--json', '--keep', 'orders');
    expect({ code: all.code, ...JSON.parse(all.out) }).toMatchObject({ code: 1, depth: 3, failed: 1 });
    expect(fs.readFileSync(fileOf('orders/order-1.yaml'), 'utf8')).toContain('# run it with --pct 3\n');
    for (const depth of ['1', '2'])
      await sim('pct', 'order.yaml', '--runs', '1', '--depth', depth, '--keep', 'orders');
    const depths = fs
      .readdirSync(fileOf('orders'))
      .map((name) => /--pct (\d)/.exec(fs.readFileSync(fileOf(`orders/${name}`), 'utf8'))?.[1] ?? '');
    expect(depths.sort()).toEqual(['', '1', '2', '3']);
    const traced = await sim(...again(all.out), '--check-determinism', '--trace', 'order.jsonl');
    expect(traced.out).toContain('deterministic: ');
    const digest = (out: string): string | undefined => /digest: (.*)/.exec(out)?.[1];
    expect(digest((await sim('run', 'orders/order-1.yaml', '--pct', '3')).out)).toBe(digest(traced.out));
    expect(digest((await sim('run', 'order.yaml', '--seed', '1')).out)).not.toBe(digest(traced.out));
    expect((await sim('replay', 'order.jsonl', '--tail', '0')).out).toContain('broken: never');
    const [, ...args] = again(all.out);
    const small = await sim('shrink', ...args, '--runs', '3', '-o', 'small.yaml');
    expect(small).toMatchObject({ code: 0, out: expect.stringMatching(/small\.yaml --pct 3\n$/) });
    expect(fs.readFileSync(fileOf('small.yaml'), 'utf8')).toMatch(
      /^# broken: never: .*\n# run it with --pct 3\n/,
    );
  });
});
