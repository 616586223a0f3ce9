import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../sim/scenario/parse.ts';

const errorOf = (text: string): string => {
  const parsed = parseScenario(text);
  if (parsed.ok) return 'accepted';
  const { line, column, message } = parsed.error;
  return `${line}:${column} ${message}`;
};

const base = 'name: x\nuntil: {height: 3}\n';

describe('a scenario file', () => {
  test('has defaults: four validators of power 10 and links of 10 to 100 ms', () => {
    const parsed = parseScenario(base);
    expect(parsed.ok && parsed.value).toMatchObject({
      name: 'x',
      validators: [{ name: 'v0', power: 10 }, { name: 'v1' }, { name: 'v2' }, { name: 'v3' }],
      network: { delay: { low: 10_000, high: 100_000 }, lossPpm: 0 },
      until: { kind: 'height', height: 3 },
      engine: { crypto: 'ed25519' },
    });
  });

  test('reads timelines with their conditions, delays and durations', () => {
    const parsed = parseScenario(`${base}timeline:
  - {at: 5s, do: {partition: [[v0], [v1, v2]], oneway: true}, for: 1.5s}
  - {when: {height: 4, round: 0, step: precommit}, on: v1, do: {crash: v1, power_loss: hostile}}
  - {after: {event: crashed(v1)}, at: 3s, do: {restart: v1}}
  - {every: 10s, chance: 50%, do: {pause: random 1}, for: 2s}
`);
    expect(parsed.ok && parsed.value.timeline).toMatchObject([
      {
        when: { kind: 'at', at: 5_000_000 },
        duration: 1_500_000,
        action: { kind: 'partition', oneWay: true },
      },
      {
        when: { kind: 'state', height: 4, round: 0, step: 'precommit' },
        on: 'v1',
        action: { powerLoss: 'hostile' },
      },
      {
        when: { kind: 'event', event: 'crashed', node: 'v1' },
        delay: 3_000_000,
        action: { kind: 'restart' },
      },
      {
        when: { kind: 'every' },
        chancePpm: 500_000,
        action: { kind: 'pause', target: { kind: 'random', count: 1 } },
      },
    ]);
  });

  test('takes a behaviour by id or alias and spans of heights', () => {
    const parsed = parseScenario(`${base}byzantine:
  - {who: v3, behaviour: B02, when: {height: 3..5, chance: 0.5}, to: [v0]}
  - {who: [v2, v3], behaviour: silent, args: {what: voter}}
`);
    expect(parsed.ok && parsed.value.byzantine).toMatchObject([
      {
        who: 'v3',
        behaviour: 'B02',
        to: ['v0'],
        trigger: { heights: { from: 3, to: 5 }, chancePpm: 500_000 },
      },
      { who: 'v2', behaviour: 'B15' },
      { who: 'v3', behaviour: 'B15' },
    ]);
  });

  test.each([
    ['an unknown key', `${base}nonsense: 1\n`, '3:1 unknown key "nonsense", expected one of name, seed'],
    [
      'a key that is planned',
      `${base}search: {swarm: {}}\n`,
      '3:9 search: the key "search" is not supported yet',
    ],
    [
      'a duration without a unit',
      `${base}timeline: [{at: 5, do: heal}]\n`,
      '3:17 timeline[0].at: expected a duration with a unit',
    ],
    ['a bad unit', 'name: x\nuntil: {time: 5 minutes}\n', '2:15 until.time: expected a duration with a unit'],
    [
      'an unknown validator',
      `${base}timeline: [{at: 5s, do: {crash: v9}}]\n`,
      '3:33 timeline[0].do.crash: unknown validator "v9", expected one of v0, v1, v2, v3',
    ],
    [
      'an unknown behaviour',
      `${base}byzantine: [{who: v0, behaviour: rude}]\n`,
      '3:34 byzantine[0].behaviour: unknown behaviour "rude"',
    ],
    [
      'an unknown argument',
      `${base}byzantine: [{who: v0, behaviour: B15, args: {why: 1}}]\n`,
      '3:51 byzantine[0].args.why: expected an argument of what',
    ],
    [
      'two actions in one',
      `${base}timeline: [{at: 1s, do: {crash: v0, pause: v1}}]\n`,
      '3:25 timeline[0].do: expected exactly one action',
    ],
    [
      'an option that does not belong',
      `${base}timeline: [{at: 1s, do: {pause: v0, power_loss: none}}]\n`,
      'expected no such key with pause',
    ],
    [
      'a duration for what cannot be undone',
      `${base}timeline: [{at: 1s, do: heal, for: 2s}]\n`,
      'expected no key for with heal',
    ],
    ['a missing end', 'name: x\n', '1:1 expected a key until'],
    ['a missing name', 'until: {height: 1}\n', '1:1 expected a key name'],
    ['a duplicate key', 'name: x\nname: y\nuntil: {height: 1}\n', '2:1 Map keys must be unique'],
    ['an alias', 'name: &a x\nseed: *a\nuntil: {height: 1}\n', '2:7 aliases are not allowed'],
    ['broken YAML', 'name: [x\n', '2:1 '],
    ['no map', '- 1\n', '1:1 expected a scenario'],
    ['an empty file', '', '1:1 expected a scenario'],
    ['a probability above one', `${base}network: {loss: 2}\n`, '3:17 network.loss: expected a probability'],
    [
      'a height of zero',
      'name: x\nuntil: {height: 0}\n',
      '2:17 until.height: expected a height, a whole number 1..1000000',
    ],
    [
      'a checker that does not exist',
      `${base}expect: [honesty]\n`,
      '3:10 expect[0]: expected a checker, one of agreement',
    ],
    ['an unknown client', `${base}expect: [{receipt: {for: bob}}]\n`, 'unknown client "bob"'],
    [
      'a validator in two groups',
      `${base}timeline: [{at: 1s, do: {partition: [[v0], [v0, v1]]}}]\n`,
      '"v0" is in two',
    ],
    [
      'a clog without an end',
      `${base}timeline: [{at: 1s, do: {clog: v0}}]\n`,
      'expected a key for next to clog',
    ],
  ])('with %s is refused where it is wrong', (_, text, expected) => {
    expect(errorOf(text)).toContain(expected);
  });
});
