import type { Cursor } from './cursor.ts';
import type { Target } from './scenario.ts';

/** Nodes of one scenario at most: more is another kind of test. */
export const NODES_MAX = 200;

/** What a node or client may be called: it ends up in labels, peer ids and file names. */
export function newName(at: Cursor, text: string): string {
  if (!/^[a-z][a-z0-9_-]{0,31}$/i.test(text))
    at.fail(`expected a name of letters, digits, - and _, not "${text}"`);
  return text;
}

export function nodeName(at: Cursor, known: readonly string[]): string {
  const text = at.text('the name of a validator');
  return known.includes(text)
    ? text
    : at.fail(`unknown validator "${text}", expected one of ${known.join(', ')}`);
}

/** One name, `group G`, or a list of these. */
export function nodeNames(at: Cursor, known: readonly string[]): readonly string[] {
  if (!at.isList) return oneOrGroup(at, known);
  const names = at.items('a list of validators').flatMap((item) => oneOrGroup(item, known));
  return names.length > 0 ? [...new Set(names)] : at.fail('expected at least one validator');
}

/** `group G` stands for all whose region is G. */
function oneOrGroup(at: Cursor, known: readonly string[]): readonly string[] {
  const text = at.raw();
  const group = typeof text === 'string' ? /^group (.+)$/.exec(text)?.[1] : undefined;
  if (group === undefined) return [nodeName(at, known)];
  const names = at.groups.get(group)?.filter((name) => known.includes(name)) ?? [];
  if (names.length > 0) return names;
  const all = [...at.groups.keys()];
  return at.fail(
    `unknown group "${group}", expected ${all.length === 0 ? 'a region among the validators' : `one of ${all.join(', ')}`}`,
  );
}

/** NAME, [NAMES], `group G`, all, proposer, or `random K`. */
export function target(at: Cursor, known: readonly string[]): Target {
  const text = at.raw();
  if (text === 'all') return { kind: 'all' };
  if (text === 'proposer') return { kind: 'proposer' };
  const random = typeof text === 'string' ? /^random (\d{1,3})$/.exec(text) : null;
  if (random !== null) return { kind: 'random', count: Number(random[1]) };
  return { kind: 'names', names: nodeNames(at, known) };
}
