import { nearest } from '../../core/lib/nearest.ts';
import type { Cursor } from './cursor.ts';
import type { Target } from './scenario.ts';

/** Most nodes of one scenario: more is another kind of test. */
export const NODES_MAX = 200;

/** What a node or client may be called: it ends up in labels, peer ids and file names. */
export function newName(at: Cursor, text: string): string {
  if (/^[a-z][a-z0-9_-]{0,31}$/i.test(text)) return text;
  return at.fail('expected a name: a letter, then letters, digits, - and _, at most 32 in all');
}

export const SCENARIO_NAME_MAX = 100;

/** What a scenario may be called: kept files are named for it. */
export function scenarioName(at: Cursor): string {
  const text = at.raw();
  if (typeof text === 'number') return at.fail(`expected text as a name: "${at.spelled()}", in quotes`);
  if (typeof text === 'string' && text.length <= SCENARIO_NAME_MAX && /^[a-z0-9][a-z0-9_-]*$/i.test(text))
    return text;
  return at.fail(
    `expected a name: a letter or digit, then letters, digits, - and _, at most ${SCENARIO_NAME_MAX} in all`,
  );
}

/** Words with a meaning wherever a node can be named. */
const RESERVED: readonly string[] = [
  ...['all', 'proposer', 'random', 'group', 'world', 'count'],
  ...['correct', 'nodes', 'heights', 'block', 'prev', 'self', 'node', 'genesis'],
  ...['not', 'and', 'or', 'in', 'exists', 'equal', 'committed', 'supply', 'burned', 'sum', 'max', 'min'],
];

/** The name of a validator or node, which may not be a reserved word. */
export const newNodeName = (at: Cursor, text: string): string =>
  RESERVED.includes(text)
    ? at.fail(`expected another name: the word "${text}" has a meaning`)
    : newName(at, text);

/** The names that could have stood there, for the end of a message. */
export const choiceOf = (known: readonly string[]): string =>
  known.length === 0 ? ': there is none' : `, expected one of ${known.join(', ')}`;

export function nodeName(at: Cursor, known: readonly string[], kind = 'validator'): string {
  const text = at.text(`the name of a ${kind}`);
  if (/^(all|proposer|random \d+)$/.test(text) && !known.includes(text))
    at.fail(`expected names here, or group NAME where a list can stand, not "${text}"`);
  return known.includes(text)
    ? text
    : at.fail(`unknown ${kind} "${text}"${choiceOf(known)}${nearest(text, known)}`);
}

/** One name, `group G`, or a list of these. */
export function nodeNames(at: Cursor, known: readonly string[]): readonly string[] {
  if (!at.isList) return oneOrGroup(at, known);
  const names = at.items('a list of validators').flatMap((item) => oneOrGroup(item, known));
  return names.length > 0 ? [...new Set(names)] : at.fail('expected at least one validator');
}

/** `group G` stands for all validators whose region is G. */
function oneOrGroup(at: Cursor, known: readonly string[]): readonly string[] {
  const text = at.raw();
  const group = typeof text === 'string' ? /^group (.+)$/.exec(text)?.[1] : undefined;
  if (group === undefined) return [nodeName(at, known)];
  const names = at.names.groups.get(group)?.filter((name) => known.includes(name)) ?? [];
  if (names.length > 0) return names;
  const all = [...at.names.groups.keys()];
  return at.fail(
    `unknown group "${group}", expected ${all.length === 0 ? 'a region among the validators' : `one of ${all.join(', ')}`}`,
  );
}

/** NAME, [NAMES], `group G`, all, proposer, or `random K`. */
export function target(at: Cursor, known: readonly string[]): Target {
  const text = at.raw();
  if (text === 'all') return { kind: 'all' };
  if (text === 'proposer') return { kind: 'proposer' };
  if (text === 'random') at.fail('expected how many: random 1, for example');
  const random = typeof text === 'string' ? /^random (\d{1,3})$/.exec(text) : null;
  if (random !== null) return { kind: 'random', count: randomOf(at, Number(random[1]), known.length) };
  return { kind: 'names', names: nodeNames(at, known) };
}

/** If there is a single node, any number means that one. */
function randomOf(at: Cursor, count: number, there: number): number {
  if (count === 0) at.fail('expected at least one');
  return count <= there || there === 1
    ? count
    : at.fail(`expected at most random ${there}: there are no more`);
}
