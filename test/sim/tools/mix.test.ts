import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchanged, valuesOf } from '../../../sim/mix/exchange.ts';
import { liarsOf, membersOf, swapped } from '../../../sim/mix/members.ts';
import { mixed } from '../../../sim/mix/mix.ts';
import { type Mix, mixes, type Written } from '../../../sim/mix/mixes.ts';
import { shaken } from '../../../sim/mix/shake.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { docText, readDoc } from '../../../sim/shrink/document.ts';
import { span } from '../../../sim/span.ts';
import { Choices } from '../../../sim/world/choices.ts';
import { runCli } from '../../support/cli.ts';
import { runUnasked } from '../../support/runUnasked.ts';
import { scenarioNames, scenarioText } from '../../support/scenarios.ts';

const shipped: readonly Written[] = scenarioNames.map((name) => ({ name, text: scenarioText(name) }));
function first(count: number, scenarios: readonly Written[], seed = '1'): readonly Mix[] {
  const made: Mix[] = [];
  for (const mix of mixes(scenarios, seed)) if (made.push(mix) === count) break;
  return made;
}
const EXCHANGED: Written = {
  name: 'exchanged',
  text: `name: exchanged
clients:
  - {name: alice, kind: evm, at: v0, rate: 2/s}
byzantine:
  - {who: v3, behaviour: silent}
until: {height: 4}
`,
};
const GROWN: Written = {
  name: 'grown',
  text: `name: grown
validators: {count: 5, power: 7}
clients:
  - {name: alice, kind: bank, at: v4, rate: 1/s}
timeline:
  - {when: {event: crashed(v1)}, do: {pause: v2}, for: 1s}
byzantine:
  - {who: [v1], behaviour: double-prevote, to: [v2, v3]}
until: {height: 9}
`,
};

describe('mixes', () => {
  test('are scenarios that can be run, and the same for the same seed', () => {
    const made = first(60, shipped);
    expect(made).toHaveLength(60);
    for (const { text } of made) expect(parseScenario(text)).toMatchObject({ ok: true });
    expect(first(60, shipped)).toEqual(made);
    expect(first(60, shipped, '2')).not.toEqual(made);
  });

  test('have sections of both, and of many a drawn world', () => {
    const made = first(100, shipped);
    const having = (key: string): number => made.filter(({ text }) => text.includes(`\n${key}:`)).length;
    for (const key of ['clients', 'timeline', 'byzantine', 'genesis', 'expect'])
      expect(having(key), key).toBeGreaterThan(25);
    const drawn = made.filter(({ of }) => of[0].startsWith('swarm ')).length;
    expect(drawn).toBeGreaterThan(15);
    expect(drawn).toBeLessThan(50);
  });

  test('of two scenarios have all validators, one liar, clients of different names, and the later end', () => {
    const docs = [GROWN, EXCHANGED].flatMap((one, which, both) =>
      span(1, 20).map((seed) => {
        const zeroed = (label: string): boolean => label === 'mix/isExchanged';
        const choices = new Choices({ seed: String(seed), zeroed });
        const other = both[1 - which] as Written;
        return readDoc(mixed(one.text, other.text, 'both', new Map(), choices) ?? '');
      }),
    );
    for (const doc of docs) {
      expect(Object.keys(doc['validators'] as object).sort()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
      expect(liarsOf(doc).length).toBeLessThan(2);
      expect(doc['until']).toMatchObject({ first: [{ height: 9 }, {}] });
    }
    const clients = docs.map((doc) => ((doc['clients'] ?? []) as { name: string }[]).map(({ name }) => name));
    expect(clients).toContainEqual(['alice', 'alice-2']);
  });

  test('keep their promises', async () => {
    for (const { text, of } of first(2, shipped, 'kept')) {
      const result = await runUnasked(text, { seed: '1', crypto: 'keyed-hash' });
      if (!result.ok) throw new Error(result.error.message);
      expect(result.value.failures, of.join(' with ')).toEqual([]);
    }
  });

  test('end when no two scenarios fit together', () => {
    const withDefaults = `${EXCHANGED.text}defaults: {clients: {rate: 1/s}}\n`;
    expect(first(1, [{ name: 'a', text: withDefaults }])).toEqual([]);
  });
});

test('names change places everywhere in a scenario, also within texts', () => {
  expect(swapped(readDoc(GROWN.text), 'v1', 'v2')).toMatchObject({
    timeline: [{ when: { event: 'crashed(v2)' }, do: { pause: 'v1' } }],
    byzantine: [{ who: ['v2'], to: ['v1', 'v3'] }],
  });
  expect(swapped({ 'link/v1>v10': ['v1', 'v10'] }, 'v1', 'v2')).toEqual({ 'link/v2>v10': ['v2', 'v10'] });
});

test('validators that are only counted have names, and are not one object', () => {
  const [one, other] = Object.values(membersOf({ validators: { count: 2, power: 7 } }));
  expect(one).not.toBe(other);
  expect(membersOf({})).toEqual({ v0: {}, v1: {}, v2: {}, v3: {} });
  expect(membersOf({ validators: { count: 2, power: 7 } })).toEqual({ v0: { power: 7 }, v1: { power: 7 } });
});

test('shaken numbers keep their units and stay positive, and names and ends stay', () => {
  const doc = {
    name: 'n',
    until: { height: 3 },
    a: ['10s', '3ms', '50%', '2/s', '100kB/s', 7, 0, 'v0', true, '10ms-30ms'],
  };
  const seen = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const out = shaken(doc, new Choices({ seed: String(seed) }).stream('shake')) as typeof doc;
    expect([out.name, out.until]).toEqual(['n', { height: 3 }]);
    for (const [i, value] of out.a.entries()) seen.add(`${i}: ${value}`);
  }
  const of = (i: number): string[] =>
    [...seen].filter((one) => one.startsWith(`${i}: `)).map((one) => one.slice(3));
  expect(of(0).sort()).toEqual(['1s', '20s', '30s', '10s', '3s', '5s', '100s'].sort());
  expect(of(2).sort()).toEqual(['100%', '15%', '25%', '5%', '50%'].sort());
  for (const one of of(1)) expect(one).toMatch(/^[1-9]\d*ms$/);
  for (const one of of(3)) expect(one).toMatch(/^[1-9]\d*\/s$/);
  for (const one of of(4)) expect(one).toMatch(/^[1-9]\d*kB\/s$/);
  for (const one of of(5)) expect(Number(one)).toBeGreaterThan(0);
  expect(of(9).sort()).toEqual([
    '100ms-300ms',
    '10ms-30ms',
    '1ms-3ms',
    '20ms-60ms',
    '30ms-90ms',
    '3ms-9ms',
    '5ms-15ms',
  ]);
  expect([...of(6), ...of(7), ...of(8)]).toEqual(['0', 'v0', 'true']);
});

test('exchanged values are those of other scenarios at such a place, and ends and promises stay', () => {
  const values = valuesOf([readDoc(GROWN.text)]);
  const doc = { ...readDoc(EXCHANGED.text), expect: ['agreement'] };
  const seen = new Set<string>();
  for (const seed of span(1, 60)) {
    const made = exchanged(doc, values, new Choices({ seed: String(seed) }).stream('exchange'));
    expect(parseScenario(docText(made))).toMatchObject({ ok: true });
    expect([made['name'], made['until'], made['expect']]).toEqual([
      'exchanged',
      { height: 4 },
      ['agreement'],
    ]);
    for (const line of docText(made).split('\n')) seen.add(line.trim());
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      // Another value here and there, another entry, a section more, and a value less.
      '- {name: alice, kind: bank, at: v0, rate: 2/s}',
      '- {who: [v1], behaviour: silent}',
      '- {who: [v1], behaviour: double-prevote, to: [v2, v3]}',
      'validators: {count: 5, power: 7}',
      '- {name: alice, kind: evm, at: v0}',
    ]),
  );
});

describe('sim mix', () => {
  let folder = '';
  const at = (name: string): string => path.join(folder, name);
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-mix-'));
    for (const { name, text } of [EXCHANGED, GROWN]) fs.writeFileSync(at(`${name}.yaml`), text);
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('writes scenarios that say what they are mixes of', async () => {
    const files = [at('exchanged.yaml'), at('grown.yaml')];
    const { code, out } = await runCli('sim', 'mix', ...files, '-o', at('mixes'), '--count', '12');
    expect([code, out]).toEqual([0, `12 scenarios written to ${at('mixes')}\n`]);
    const written = fs.readdirSync(at('mixes'));
    expect(written).toHaveLength(12);
    expect(written).toContain('mix-01.yaml');
    for (const name of written)
      expect(fs.readFileSync(path.join(at('mixes'), name), 'utf8')).toMatch(
        /^# \S.* with \S+\.yaml\nname: mix-\d+\n/,
      );
    expect((await runCli('sim', 'check', at('mixes'))).out).toBe('12 scenarios can be run\n');
  });

  test('refuses a folder with files, files that cannot be read, and scenarios that fit nothing', async () => {
    fs.mkdirSync(at('used'));
    fs.writeFileSync(at('used/a'), '');
    const used = await runCli('sim', 'mix', at('grown.yaml'), '-o', at('used'));
    expect([used.code, used.err]).toEqual([
      2,
      `Error: --output: expected a new or empty folder, ${at('used')} has files in it\n`,
    ]);
    expect((await runCli('sim', 'mix', at('none.yaml'), '-o', at('new'))).code).toBe(2);
    expect(fs.existsSync(at('new'))).toBe(false);
    fs.writeFileSync(at('defaults.yaml'), `${EXCHANGED.text}defaults: {clients: {rate: 1/s}}\n`);
    const unfit = await runCli('sim', 'mix', at('defaults.yaml'), '-o', at('new'));
    expect([unfit.code, unfit.err]).toEqual([
      2,
      'Error: 0 of 100 mixes written: no others of these scenarios can be run\n',
    ]);
  });
});
