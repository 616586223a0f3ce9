import type { Behaviour } from '../byzantine/behaviour.ts';
import { rangeOf } from '../byzantine/fieldRange.ts';
import { idleArgs } from '../byzantine/idleArgs.ts';
import {
  type FieldKind,
  fieldKind,
  MESSAGE_FIELDS,
  MESSAGE_KINDS,
  type MessageKind,
  MUTATIONS,
} from '../byzantine/messageFields.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { drawOccasions, STEPS } from './drawMoments.ts';
import type { Drawn } from './drawn.ts';
import { isSeldom, liesFor, type Occasion } from './lies.ts';
import { pick } from './pick.ts';

/** A lie, and which of its ways. */
interface Way {
  readonly behaviour: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A lie as the scenario has it. */
export interface DrawnLie extends Way {
  readonly who: string;
  readonly when?: object;
  readonly to?: string | readonly string[];
}

/** What each liar does, to whom and when. */
export function drawByzantine(drawn: Drawn): readonly DrawnLie[] {
  const { choices, names, liars } = drawn;
  return liars.flatMap((who) => {
    const able = liesFor({ ...drawn, ...careerOf(who, drawn) });
    const more = choices.stream(`byzantine/${who}/more`);
    const stream = choices.stream(`byzantine/${who}`);
    const lies = Array.from({ length: 1 + stream.choose(3) }, () => {
      const behaviour = pick(stream, able);
      const { alias, args: keys, words } = behaviour;
      const isPlain = stream.choose(4) === 0;
      const told = Object.entries(isPlain ? {} : (words ?? {})).map(([key, values]) => [
        key,
        pick(stream, values),
      ]);
      const args = effective(behaviour, { ...Object.fromEntries(told), ...drawMore(more, keys, names) });
      const others = names.filter((name) => name !== who);
      const audience = others.filter(() => stream.choose(2) === 1);
      const isAll = stream.choose(3) === 0 || audience.length === 0;
      const when = drawWhen(stream, drawn, isSeldom(alias));
      return {
        who,
        behaviour: alias,
        ...(Object.keys(args).length === 0 ? {} : { args }),
        ...(when === undefined ? {} : { when }),
        ...(isAll ? {} : { to: audience }),
      };
    });
    return [...drawOccasions(drawn, who, lies), ...drawWords(drawn, who, able)];
  });
}

/** Whether a node ever is a validator, and ever ceases to be one. */
function careerOf(who: string, { stages }: Drawn): Pick<Occasion, 'votes' | 'leaves'> {
  const powers = stages.map((stage) => stage[who] ?? 0);
  return {
    votes: powers.some((power) => power > 0),
    leaves: powers.some((power, i) => power === 0 && Number(powers[i - 1]) > 0),
  };
}

/** What there is an occasion for in few heights gets time until the end. */
function drawWhen(
  stream: ChoiceStream,
  { before, heights, isContested }: Drawn,
  seldom: boolean,
): object | undefined {
  const from = before + 1 + stream.choose(Math.min(heights, 4));
  const to = seldom ? '' : from + stream.choose(4);
  return [
    undefined,
    { chance: 0.5 },
    { height: `${from}..${to}` },
    { round: 0 },
    isContested ? { round: '1..' } : undefined,
  ][stream.choose(5)];
}

/** Each word that a behaviour takes as an argument. */
const waysOf = (behaviour: Behaviour): readonly Way[] =>
  Object.entries(behaviour.words ?? {}).flatMap(([key, values]) =>
    values.map((value) => {
      const args = effective(behaviour, { [key]: value });
      return { behaviour: behaviour.alias, ...(Object.keys(args).length === 0 ? {} : { args }) };
    }),
  );

/** Without the arguments that have no effect next to the others, which no scenario may have. */
function effective(
  behaviour: Behaviour,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const idle = idleArgs(behaviour, new Map(Object.entries(args)));
  return Object.fromEntries(Object.entries(args).filter(([key]) => !idle.some((one) => one.key === key)));
}

/**
 * Half of the liars also lie in some of these ways, one after the other. Half of them are as likely as any other word,
 * the others as any other behaviour: one behaviour has as many words as all the rest. Lies with few occasions share
 * them: of two about one block the later one is told, so it gets less chance.
 */
function drawWords(
  { choices, before, heights }: Drawn,
  who: string,
  able: readonly Behaviour[],
): readonly DrawnLie[] {
  const stream = choices.stream(`byzantine/${who}/words`);
  if (stream.choose(2) === 0) return [];
  const ways = able.map(waysOf).filter((some) => some.length > 0);
  const all = ways.flat();
  const count = 1 + stream.choose(6);
  let sharing = 1;
  return Array.from({ length: count }, (_, i) => {
    const way = pick(stream, stream.choose(2) === 0 ? all : pick(stream, ways));
    const from = before + 1 + Math.floor((i * heights) / count);
    const span = { height: `${from}..${from + stream.choose(2)}` };
    if (!isSeldom(way.behaviour)) return { who, ...way, when: span };
    sharing += 1;
    return { who, ...way, when: { chance: `${Math.floor(100 / sharing)}%` } };
  });
}

/** Values of arguments that are not words: least, usual and greatest. */
const NUMBERS: Readonly<Record<string, readonly (number | boolean)[]>> = {
  total: [0, 1, 2, 4_294_967_295],
  rounds: [1, 30],
  ms: [0, 1, 900, 12_000],
  seconds: [-3_600, -1, 0, 1, 1_000_000_000],
  count: [1, 8, 66, 210],
  age: [0, 1, 3],
  trusted: [1, 2],
  only: [true],
  claimed: [true],
};

/** Half of the arguments that take a number, a flag or a victim get a value. */
function drawMore(stream: ChoiceStream, keys: readonly string[], names: readonly string[]): object {
  const values = (key: string) => NUMBERS[key] ?? (key === 'victim' ? names : []);
  const known = keys.filter((key) => values(key).length > 0);
  return Object.fromEntries(
    known.flatMap((key) => (stream.choose(2) === 0 ? [] : [[key, pick<unknown>(stream, values(key))]])),
  );
}

/** `set` is drawn later, because it needs a value that fits. */
const OPS = MUTATIONS.filter((op) => op !== 'set');

interface Mutation {
  readonly who: string;
}
interface CertainMutation extends Mutation {
  readonly message: MessageKind;
  readonly field: string;
  readonly op: string;
  readonly value?: string | number | boolean;
}

/** Sometimes a liar also changes any field of some of its messages, or a certain one. */
export function drawMutations(drawn: Drawn): readonly object[] {
  const certain = drawCertainMutations(drawn).map((one) => settled(drawn, one));
  return narrowed(drawn, [...drawAnyMutations(drawn), ...certain]);
}

/** Values that a field of each kind is set to; a number at most to what its field can hold. A list has none. */
const SET: Readonly<Record<FieldKind, readonly (string | number | boolean)[]>> = {
  number: [0, 1, -1, 2_147_483_647, 4_294_967_295, Number.MAX_SAFE_INTEGER],
  bytes: ['00', 'ff'.repeat(20), 'ff'.repeat(32)],
  flag: [true, false],
  step: ['prevote', 'precommit'],
  text: ['x', 'elsewhere'],
  list: [],
};

/** One mutation in four sets its field to a value instead. */
function settled({ choices }: Drawn, one: CertainMutation): CertainMutation {
  const stream = choices.stream(`mutate/${one.who}/set`);
  const values = SET[fieldKind(one.field)];
  const isSet = stream.choose(4) === 3 && values.length > 0;
  return isSet ? { ...one, op: 'set', value: fitting(one, pick(stream, values)) } : one;
}

function fitting(
  { message, field }: CertainMutation,
  value: string | number | boolean,
): string | number | boolean {
  if (typeof value !== 'number') return value;
  const [min, max] = rangeOf(message, field);
  return Math.min(max, Math.max(min, value));
}

function drawCertainMutations({ choices, rarely, liars }: Drawn): readonly CertainMutation[] {
  return liars.flatMap((who) => {
    const stream = choices.stream(`mutate/${who}/certain`);
    if (!rarely(stream, 6)) return [];
    return Array.from({ length: 1 + stream.choose(4) }, () => {
      const message = pick(stream, MESSAGE_KINDS);
      const field = pick<string>(stream, MESSAGE_FIELDS[message]);
      return { who, message, field, op: pick(stream, OPS), when: { chance: pick(stream, ['20%', '100%']) } };
    });
  });
}

/** Half of the mutations are limited to some of the others, or to a certain time. */
function narrowed({ choices, names, before }: Drawn, mutations: readonly Mutation[]): readonly object[] {
  const stream = choices.stream('mutate/narrow');
  return mutations.map((one) => {
    const height = before + 1 + stream.choose(6);
    const moments = [{}, { when: { height } }, { when: { step: pick(stream, STEPS) } }];
    const to = names.filter((name) => name !== one.who && stream.choose(2) === 1);
    return stream.choose(2) === 0
      ? one
      : { ...one, ...pick(stream, moments), ...(to.length === 0 ? {} : { to }) };
  });
}

function drawAnyMutations({ choices, rarely, liars }: Drawn): readonly Mutation[] {
  return liars.flatMap((who) => {
    const stream = choices.stream(`mutate/${who}`);
    if (!rarely(stream, 5)) return [];
    const when = [{ chance: `${pick(stream, [5, 20, 50])}%` }, { round: 0 }, { round: '1..' }][
      stream.choose(3)
    ];
    return [{ who, message: 'any', field: 'any', op: 'any', when }];
  });
}
