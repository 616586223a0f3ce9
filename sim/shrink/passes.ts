import { ZERO_GROUPS } from '../world/choices.ts';
import { at, changed, type Doc, places, smallerLeaves, without, withoutSection } from './document.ts';
import { reduceList } from './reduceList.ts';

/**
 * One way to make a scenario smaller. `best` is the smallest so far. `keeps` tries another, which becomes the best if
 * it still fails.
 */
export interface Pass {
  readonly name: string;
  /** Other seeds may be tried too, because removing structure shifts choices. */
  readonly mayReseed: boolean;
  run(best: () => Doc, keeps: (doc: Doc) => Promise<boolean>): Promise<void>;
}

/** Removes entries from a list of the document. */
const listPass = (key: string): Pass => ({
  name: `${key} entries`,
  mayReseed: true,
  async run(best, keeps) {
    const list = best()[key];
    if (!Array.isArray(list)) return;
    await reduceList(list, (smaller) => keeps(withList(best(), key, smaller)));
  },
});

const withList = (doc: Doc, key: string, list: readonly unknown[]): Doc =>
  list.length === 0 ? withoutSection(doc, key) : changed(doc, [key], list);

const validatorsPass: Pass = {
  name: 'validators',
  mayReseed: true,
  async run(best, keeps) {
    const names = namesIn(best());
    for (const name of names.reverse()) await keeps(withoutValidator(best(), name));
  },
};

/** Those without a vote. */
const nodesPass: Pass = {
  name: 'nodes',
  mayReseed: true,
  async run(best, keeps) {
    for (const name of Object.keys(best()['nodes'] ?? {})) await keeps(withoutName(best(), name));
  },
};

function namesIn(doc: Doc): string[] {
  const { validators } = doc;
  if (validators === undefined) return ['v0', 'v1', 'v2', 'v3'];
  const { count, ...named } = validators as Record<string, unknown>;
  return typeof count === 'number' ? Array.from({ length: count }, (_, i) => `v${i}`) : Object.keys(named);
}

/** Numbered validators get names first, so that any of them can be removed. */
export function withoutValidator(doc: Doc, name: string): Doc {
  const { count, power, ...named } = (doc['validators'] ?? { count: 4 }) as Record<string, unknown>;
  const all =
    typeof count === 'number'
      ? Object.fromEntries(namesIn(doc).map((one) => [one, power === undefined ? {} : { power }]))
      : named;
  const rest = Object.fromEntries(Object.entries(all).filter(([key]) => key !== name));
  return withoutName({ ...doc, validators: numberedAgain(rest) }, name);
}

/** Sections that name nodes, in a list of entries or by keys. */
const NAMING: readonly string[] = [
  ...['nodes', 'peers', 'defaults', 'timeline', 'byzantine', 'mutate', 'updates', 'clients', 'expect'],
  'choices',
];

function withoutName(doc: Doc, name: string): Doc {
  return NAMING.reduce((out, key) => {
    const section = out[key];
    if (typeof section !== 'object' || section === null) return out;
    const left = Object.entries(section).flatMap(([own, entry]): [string, unknown][] => {
      const rest = own === name ? undefined : without(entry, name);
      return rest === undefined ? [] : [[own, rest]];
    });
    if (left.length === 0) return withoutSection(out, key);
    const rest = Array.isArray(section) ? left.map(([, entry]) => entry) : Object.fromEntries(left);
    return changed(out, [key], rest);
  }, doc);
}

/** {v0: {}, v1: {}} is {count: 2}. */
function numberedAgain(named: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(named);
  const isPlain = entries.every(([key, value], i) => key === `v${i}` && JSON.stringify(value) === '{}');
  return isPlain ? { count: entries.length } : named;
}

/** Removes everything that the parser can do without: triggers, audiences, arguments, network faults, options. */
const optionsPass: Pass = {
  name: 'options',
  mayReseed: false,
  async run(best, keeps) {
    for (let i = 0; ; i++) {
      const path = places(best())[i];
      if (path === undefined) return;
      const isFixed = path.length === 1 && ['name', 'seed', 'choices', 'expect'].includes(String(path[0]));
      // Without `for` a fault lasts for ever: that is another scenario, not a smaller one.
      const isWayBack = path.includes('timeline') && path[path.length - 1] === 'for';
      if (isFixed || isWayBack || path[0] === 'until' || path[0] === 'validators') continue;
      // The next entries move up, so it goes on at the same index.
      if (await keeps(changed(best(), path, undefined))) i--;
    }
  },
};

const leavesPass = (name: string, isMine: (path: readonly (string | number)[]) => boolean): Pass => ({
  name,
  mayReseed: false,
  async run(best, keeps) {
    for (const path of places(best())) {
      if (!isMine(path)) continue;
      for (const value of smallerLeaves(at(best(), path))) {
        if (await keeps(changed(best(), path, value))) break;
      }
    }
  },
});

/**
 * Groups of streams whose choices may all be zero: least delay, no jitter. Not those by which checkers choose where to
 * look.
 */
const ZEROED = ZERO_GROUPS.filter((group) => group !== 'checkers' && group !== 'wires');

const choicesPass: Pass = {
  name: 'choices',
  mayReseed: false,
  async run(best, keeps) {
    const zero = (groups: readonly string[]): Doc => ({ ...best(), choices: { zero: groups } });
    const now = (at(best(), ['choices', 'zero']) ?? []) as readonly string[];
    if (now.length === ZEROED.length || (await keeps(zero(ZEROED)))) return;
    for (const group of ZEROED) {
      const kept = (at(best(), ['choices', 'zero']) ?? []) as readonly string[];
      if (!kept.includes(group)) await keeps(zero([...kept, group]));
    }
  },
};

/**
 * In order of benefit: first the other expectations, which may not hold in a smaller world, then whole entries, last
 * numbers.
 */
export const PASSES: readonly Pass[] = [
  listPass('expect'),
  listPass('timeline'),
  listPass('byzantine'),
  listPass('mutate'),
  listPass('updates'),
  validatorsPass,
  nodesPass,
  listPass('clients'),
  leavesPass('heights', (path) => path.includes('height') || path.includes('heights')),
  optionsPass,
  leavesPass('times', (path) => path[0] === 'timeline' || path[0] === 'engine' || path[0] === 'until'),
  choicesPass,
  // Another number in an expectation is another promise, not a smaller case of it.
  leavesPass('numbers', (path) => !['seed', 'choices', 'name', 'expect'].includes(String(path[0]))),
];
