import type { Cursor } from './cursor.ts';
import { choiceOf, nodeName } from './names.ts';
import { EVENT_WORDS, type StepWord, type When } from './scenario.ts';
import { duration, HEIGHT_MAX, period } from './units.ts';

export const WHEN_KEYS = ['at', 'every', 'height', 'round', 'step', 'event'] as const;
type WhenKey = (typeof WHEN_KEYS)[number];

export const STEPS: readonly StepWord[] = ['propose', 'prevote', 'precommit', 'commit'];
const ROUND_MAX = 10_000;

/** Reads the keys of a `when`, inline or as a map of its own. */
export function whenOf(
  fields: Partial<Record<WhenKey, Cursor>>,
  place: Cursor,
  known: readonly string[],
): When | undefined {
  const { at, every, height, round, step, event } = fields;
  const isState = height !== undefined || round !== undefined || step !== undefined;
  const kinds = [at, every, event, isState ? place : undefined].filter((one) => one !== undefined);
  if (kinds.length === 0) return undefined;
  if (kinds.length > 1) place.fail('expected only one of at, every, event, or height/round/step');
  if (at !== undefined) return { kind: 'at', at: duration(at) };
  if (every !== undefined) return { kind: 'every', period: period(every) };
  if (event !== undefined) return eventOf(event, known);
  return {
    kind: 'state',
    height: height?.integer('a height', 1, HEIGHT_MAX),
    round: round?.integer('a round', 0, ROUND_MAX),
    step: step?.oneOf(STEPS, 'a step'),
  };
}

/** `crashed(v1)`. */
export function eventOf(at: Cursor, known: readonly string[]): Extract<When, { kind: 'event' }> {
  const match = /^([a-z]+)\(([^()]+)\)$/.exec(at.text('an event such as crashed(v1)'));
  const event = EVENT_WORDS.find((word) => word === match?.[1]);
  const node = match?.[2];
  if (event === undefined || node === undefined) {
    return at.fail(`expected an event: ${EVENT_WORDS.map((word) => `${word}(NAME)`).join(', ')}`);
  }
  if (event === 'checkpoint') {
    const moments = [...at.names.checkpoints];
    if (!moments.includes(node))
      at.fail(`no checkpoint of the timeline is called "${node}"${choiceOf(moments)}`);
  } else if (!known.includes(node)) at.fail(`unknown validator "${node}"${choiceOf(known)}`);
  return { kind: 'event', event, node };
}

const WHEN = 'a when: {at | every | event | height, round, step | chance, on?}';

/** A `when` as a map of its own, which may also name a node and a chance. */
export function whenMap(
  at: Cursor,
  known: readonly string[],
): { readonly when: When; readonly chance: Cursor | undefined; readonly on: Cursor | undefined } {
  const fields = at.fields([...WHEN_KEYS, 'chance', 'on'], WHEN);
  const { chance, on } = fields;
  const when = whenOf(fields, at, known) ?? (chance === undefined ? undefined : ANY_MOVE);
  return { when: when ?? at.fail(`expected ${WHEN}`), chance, on };
}

/** What `chance` alone applies to: each new height, round or step of a node. */
export const ANY_MOVE: When = { kind: 'state', height: undefined, round: undefined, step: undefined };

/** `on: v1` next to a when. */
export const onNode = (at: Cursor | undefined, known: readonly string[]): string | undefined =>
  at === undefined ? undefined : nodeName(at, known);
