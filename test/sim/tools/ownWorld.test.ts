import { describe, expect, test } from 'vitest';
import { runScenario } from '../../../sim/run.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { docText, readDoc } from '../../../sim/shrink/document.ts';
import { type Candidate, ownWorld } from '../../../sim/shrink/ownWorld.ts';
import { scenarioText } from '../../support/scenarios.ts';
import { BREAKS } from '../breaks/breaks.ts';
import { brokenSim } from '../breaks/broken.ts';

/** Parts of a file, each of which a case may take away (undefined) or write anew. */
const FILE = {
  name: 'own-world',
  validators: '{count: 4}',
  network: '{delay: 20ms}',
  byzantine: '[{who: v3, behaviour: double-prevote}, {who: v2, behaviour: replay}]',
  timeline: '[{at: 1s, do: {crash: v0}}, {at: 2s, do: {pause: v1}}, {at: 3s, do: {restart: v0}}]',
  expect: '[{evidence: {against: v3}}]',
  until: '{height: 5}',
};
type Parts = Partial<Record<keyof typeof FILE | 'mutate' | 'defaults' | 'search', string | undefined>>;

function candidate(parts: Parts = {}): Candidate {
  const lines = Object.entries({ ...FILE, ...parts }).filter(([, text]) => text !== undefined);
  const doc = readDoc(lines.map(([key, text]) => `${key}: ${text}\n`).join(''));
  const parsed = parseScenario(docText(doc));
  if (!parsed.ok) throw new Error(parsed.error.message);
  return { doc, scenario: parsed.value };
}

const mayBecome = (checker: string, after: Parts, before: Parts = {}): boolean =>
  ownWorld(checker, candidate(before))(candidate({ ...before, ...after }));

const [V3_LIES, V2_LIES] = ['[{who: v3, behaviour: double-prevote}]', '[{who: v2, behaviour: replay}]'];
const [V3_ALTERS, BOTH_ALTER] = ['[{who: v3}]', '[{who: v3}, {who: v2}]'];
const ALTERED = { mutate: BOTH_ALTER, defaults: '{mutate: {message: vote, op: drop}}' };
const [NONE_WANTED, BOTH] = ['[{evidence: {against: v3, exactly: 0}}]', '[{evidence: {against: [v2, v3]}}]'];

describe('a shrunk scenario', () => {
  test.each<[string, string, boolean, Parts, Parts?]>([
    [
      'conduct',
      'any world, for standing checkers judge each',
      true,
      { byzantine: undefined, validators: '{count: 5}' },
    ],
    ['never', 'no other number of validators', false, { validators: '{count: 5}' }],
    ['eventually', 'none without its liars', false, { byzantine: V3_LIES }],
    ['app', 'none without its trouble', false, { timeline: undefined }],
    ['app', 'another end and other promises', true, { until: '{height: 4}', expect: '[agreement]' }],
    ['evidence', 'none without the lies of the accused', false, { byzantine: V2_LIES }],
    ['evidence', 'one without the lies of others', true, { byzantine: V3_LIES }],
    [
      'evidence',
      'none without them where they are accused as well',
      false,
      { byzantine: V3_LIES },
      { expect: BOTH },
    ],
    [
      'evidence',
      'one without lies where none is to come about',
      true,
      { byzantine: V2_LIES },
      { expect: NONE_WANTED },
    ],
    [
      'evidence',
      'none without trouble that might keep it away',
      false,
      { timeline: undefined },
      { expect: NONE_WANTED },
    ],
    ['evidence', 'none with another network', false, { network: undefined }],
    ['resources', 'none with nodes of other sizes', false, { validators: '{count: 5}' }],
    ['until', 'a calmer one', true, { byzantine: undefined, timeline: undefined, network: undefined }],
    ['until', 'one without mutations', true, { mutate: undefined, defaults: undefined }, ALTERED],
    [
      'until',
      'none with other mutations',
      false,
      { defaults: '{mutate: {message: proposal, op: drop}}' },
      ALTERED,
    ],
    ['evidence', 'one without mutations by others', true, { mutate: V3_ALTERS }, ALTERED],
    ['evidence', 'none without those by the accused', false, { mutate: '[{who: v2}]' }, ALTERED],
    [
      'evidence',
      'none without those that name the accused for all',
      false,
      { mutate: undefined, defaults: undefined },
      { mutate: '[{}]', defaults: '{mutate: {who: v3, message: vote, op: drop}}' },
    ],
    ['app', 'one that is not searched', true, { search: undefined }, { search: '{pct: {depth: 2}}' }],
    ['until', 'none in which trouble lasts', false, { timeline: '[{at: 1s, do: {crash: v0}}]' }],
    [
      'until',
      'one in which some trouble ends',
      true,
      { timeline: '[{at: 1s, do: {crash: v0}}, {at: 3s, do: {restart: v0}}]' },
    ],
    [
      'until',
      'none in which trouble is other trouble',
      false,
      { timeline: '[{at: 2s, do: {crash: v0}}, {at: 3s, do: {restart: v0}}]' },
    ],
    ['until', 'none with fewer validators while some are away', false, { validators: '{count: 5}' }],
    [
      'until',
      'one with fewer validators where nobody is',
      true,
      { validators: '{count: 5}', timeline: undefined },
    ],
    [
      'liveness',
      'any world where the bound follows from it',
      true,
      { validators: '{count: 5}' },
      { expect: '[{liveness: {heights: 2}}]' },
    ],
    [
      'liveness',
      'no other number of validators within a time that is named',
      false,
      { validators: '{count: 5}' },
      { expect: '[{liveness: {heights: 2, within: 60s}}]' },
    ],
  ])('of %s: %s', (checker, _, may, after, before) => {
    expect(mayBecome(checker, after, before)).toBe(may);
  });

  test.each(['punish-forgotten', 'late-precommit-refused'])(
    'of %s is kept by a core without the bug',
    async (id) => {
      const one = BREAKS.find((known) => known.id === id) as (typeof BREAKS)[0];
      const text = scenarioText(one.scenario);
      const sim = await brokenSim(one);
      const shrunk = await sim.shrinkScenario(text, {
        seed: '1',
        run: { crypto: 'keyed-hash' },
        runsMax: 30,
      });
      if (!shrunk.ok) throw new Error(shrunk.error.kind);
      const [broken, sound] = [
        await sim.runScenario(shrunk.value.text),
        await runScenario(shrunk.value.text),
      ];
      if (!broken.ok || !sound.ok) throw new Error('the shrunk scenario is not readable');
      expect(broken.value.passed).toBe(false);
      expect(sound.value.failures).toEqual([]);
    },
  );
});
