import type { Doc } from '../shrink/document.ts';

/** Validators by name, with what their scenario says of them. */
export type Members = Readonly<Record<string, object>>;

/** The validators of a scenario, each with a name of its own. */
export function membersOf({ validators }: Doc): Members {
  const { count, ...rest } = (validators ?? { count: 4 }) as { count?: number } & Members;
  if (count === undefined) return rest;
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, { ...rest }]));
}

/** Names of the nodes that lie. */
export function liarsOf({ byzantine, mutate, peers }: Doc): readonly string[] {
  const entries = [...((byzantine ?? []) as readonly Doc[]), ...((mutate ?? []) as readonly Doc[])];
  const named = entries.flatMap(({ who }) => (Array.isArray(who) ? who : [who]));
  const { liars } = (peers ?? {}) as { liars?: object };
  const names = [...named, ...Object.keys(liars ?? {})].filter(
    (one) => /^\w[\w-]*$/.test(one) && one !== 'all',
  );
  return [...new Set(names)].sort();
}

/** The tree with two names in each other's place, also within texts such as `crashed(v1)` and `link/v0>v1`. */
export function swapped(tree: unknown, one: string, other: string): unknown {
  if (one === other) return tree;
  const either = new RegExp(`(?<![\\w-])(?:${one}|${other})(?![\\w-])`, 'g');
  const inText = (text: string): string => text.replace(either, (name) => (name === one ? other : one));
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [inText(key), walk(inner)]));
  };
  return walk(tree);
}
