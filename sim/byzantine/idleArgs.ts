import type { Behaviour } from './behaviour.ts';

export interface IdleArg {
  readonly key: string;
  /** Why it changes nothing, in words. */
  readonly why: string;
}

/** The arguments that change nothing about what the behaviour does with the others. */
export function idleArgs(
  { effectiveWith, excludes = [] }: Pick<Behaviour, 'effectiveWith' | 'excludes'>,
  args: ReadonlyMap<string, unknown>,
): readonly IdleArg[] {
  const lacking = Object.entries(effectiveWith ?? {}).flatMap(([key, { arg, words, usual }]): IdleArg[] => {
    const isEffective = words.includes(String(args.get(arg) ?? usual));
    return !args.has(key) || isEffective
      ? []
      : [{ key, why: `it has an effect only with ${arg}: ${words.join(' or ')}` }];
  });
  const [first, ...others] = excludes.filter((key) => args.get(key) === true);
  return [...lacking, ...others.map((key) => ({ key, why: `it has no effect next to ${first}` }))];
}
