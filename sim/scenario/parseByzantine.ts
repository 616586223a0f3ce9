import { parseHex } from '../../core/lib/bytes.ts';
import { nearest } from '../../core/lib/nearest.ts';
import type { Behaviour } from '../byzantine/behaviour.ts';
import { rangeOf } from '../byzantine/fieldRange.ts';
import { idleArgs } from '../byzantine/idleArgs.ts';
import {
  fieldKind,
  MESSAGE_FIELDS,
  MESSAGE_KINDS,
  type MessageKind,
  MUTATIONS,
} from '../byzantine/messageFields.ts';
import { MUTATE } from '../byzantine/mutate.ts';
import { BEHAVIOURS, behaviourOf, ELSEWHERE } from '../byzantine/registry.ts';
import { PPM } from '../world/choices.ts';
import type { Cursor } from './cursor.ts';
import { nodeName, target } from './names.ts';
import { eventOf, STEPS } from './parseWhen.ts';
import { type ByzantineEntry, type ByzantineTrigger, type Target, TIMES_MAX } from './scenario.ts';
import { duration, HEIGHT_MAX, period, probability } from './units.ts';

const ROUND_MAX = 10_000;

/**
 * @param voters Nodes that can lie.
 * @param known All nodes, which they can lie to.
 */
export function parseByzantine(
  at: Cursor,
  voters: readonly string[],
  known: readonly string[],
): readonly ByzantineEntry[] {
  return at.items('a list of Byzantine entries').flatMap((item) => entriesOf(item, voters, known));
}

function entriesOf(
  at: Cursor,
  voters: readonly string[],
  known: readonly string[],
): readonly ByzantineEntry[] {
  const fields = at.fields(
    ['who', 'behaviour', 'when', 'to', 'args'],
    'a Byzantine entry: {who, behaviour, when?, to?, args?}',
  );
  if (fields.who === undefined) return at.fail('expected a key who');
  if (fields.behaviour === undefined) return at.fail('expected a key behaviour');
  const name = fields.behaviour.text('the id or alias of a behaviour');
  const behaviour = behaviourOf(name);
  if (behaviour === undefined) {
    const elsewhere = ELSEWHERE.get(name);
    if (elsewhere !== undefined) fields.behaviour.fail(`${name} is no behaviour, but ${elsewhere}`);
    const all = BEHAVIOURS.map((one) => `${one.id} ${one.alias}`).join(', ');
    const near = nearest(
      name,
      BEHAVIOURS.map(({ alias }) => alias),
    );
    return fields.behaviour.fail(`unknown behaviour "${name}", expected one of ${all}${near}`);
  }
  const who = whoOf(fields.who, voters);
  const to = audienceOf(fields.to, who, known);
  const args = argsOf(fields.args, behaviour, known);
  const trigger = triggerOf(fields.when, known);
  return who.map((who) => ({ who, behaviour: behaviour.id, trigger, to, args }));
}

/** Who lies is fixed for the whole run, so it cannot be the proposer of a round. */
function whoOf(at: Cursor, known: readonly string[]): readonly string[] {
  const who = target(at, known);
  switch (who.kind) {
    case 'names':
      return who.names;
    case 'all':
      return known;
    case 'random':
      return [`random ${who.count}`];
    case 'proposer':
      return at.fail('expected names, all or random K: who lies is settled for the whole run');
  }
}

function audienceOf(at: Cursor | undefined, who: readonly string[], known: readonly string[]): Target {
  if (at === undefined) return { kind: 'all' };
  const to = target(at, known);
  const [one, ...others] = to.kind === 'names' ? to.names : [];
  if (others.length === 0 && who.length === 1 && one === who[0])
    at.fail(`expected others than ${one}: nobody lies to itself`);
  return to;
}

const MUTATE_KEYS = ['who', 'message', 'field', 'op', 'value', 'when', 'to'] as const;

/** `{who, message, field, op, value?, when?, to?}`: small changes of what a node sends. */
export function parseMutate(
  at: Cursor,
  voters: readonly string[],
  known: readonly string[],
): readonly ByzantineEntry[] {
  return at.items('a list of mutations').flatMap((item) => mutationsOf(item, voters, known));
}

function mutationsOf(
  at: Cursor,
  voters: readonly string[],
  known: readonly string[],
): readonly ByzantineEntry[] {
  const fields = at.fields(MUTATE_KEYS, 'a mutation: {who, message, field, op, value?, when?, to?}');
  if (fields.who === undefined) return at.fail('expected a key who');
  if (fields.message === undefined) return at.fail('expected a key message');
  if (fields.op === undefined) return at.fail('expected a key op');
  const message = fields.message.oneOf([...MESSAGE_KINDS, 'any'], 'a kind of message');
  const op = fields.op.oneOf([...MUTATIONS, 'any'], 'a mutation');
  const args = new Map<string, string | number | boolean>([
    ['message', message],
    ['op', op],
  ]);
  if (fields.field !== undefined) args.set('field', fieldOf(fields.field, message));
  else if (op !== 'drop') at.fail('expected a key field; only drop can take the whole message');
  if (op === 'set')
    args.set('value', valueToSet(fields.value ?? at.fail('expected a key value next to set'), args));
  else fields.value?.fail(`expected no value with ${op}`);
  const who = whoOf(fields.who, voters);
  const to = audienceOf(fields.to, who, known);
  const trigger = triggerOf(fields.when, known);
  return who.map((who) => ({ who, behaviour: MUTATE.id, trigger, to, args }));
}

function fieldOf(at: Cursor, message: MessageKind | 'any'): string {
  const fields: readonly string[] =
    message === 'any' ? MESSAGE_KINDS.flatMap((kind) => MESSAGE_FIELDS[kind]) : MESSAGE_FIELDS[message];
  const field = at.text('a field');
  if (field === 'any') return field;
  if (message === 'any') at.fail('expected any: a field belongs to one kind of message');
  return fields.includes(field)
    ? field
    : at.fail(
        `unknown field "${field}" of ${message}, expected one of ${[...fields, 'any'].join(', ')}${nearest(field, fields)}`,
      );
}

/** The value for `set`, which has to fit the kind of field. */
function valueToSet(at: Cursor, args: ReadonlyMap<string, unknown>): string | number | boolean {
  const field = String(args.get('field'));
  const value = at.raw() ?? at.fail('expected a text, a number, true or false');
  if (field === 'any' || field === 'undefined') return value;
  switch (fieldKind(field)) {
    case 'number':
      return at.integer(field, ...rangeOf(args.get('message') as MessageKind, field));
    case 'bytes':
      return parseHex(at.text(`${field} in hex, in quotes`)).ok
        ? value
        : at.fail(`expected ${field} in hex, two digits a byte, in quotes`);
    case 'flag':
      return at.boolean(field);
    case 'step':
      return at.oneOf(['prevote', 'precommit'], field);
    case 'text':
      return at.text(field);
    case 'list':
      return at.fail(`expected another op: ${field} is a list, which no value stands for`);
  }
}

function argsOf(
  at: Cursor | undefined,
  behaviour: Behaviour,
  known: readonly string[],
): ReadonlyMap<string, string | number | boolean> {
  const { args: allowed, words } = behaviour;
  const args = new Map<string, string | number | boolean>();
  if (at === undefined) return args;
  const entries = at.entries('a map of arguments');
  for (const [key, value] of entries) {
    if (!allowed.includes(key)) {
      value.fail(
        allowed.length === 0
          ? 'expected no arguments'
          : `unknown argument, expected one of: ${allowed.join(', ')}`,
      );
    }
    const some = words?.[key];
    args.set(key, some === undefined ? argOf(key, value, known) : value.oneOf(some, `a value of ${key}`));
  }
  for (const [key, value] of entries) {
    const idle = idleArgs(behaviour, args).find((one) => one.key === key);
    if (idle !== undefined) value.fail(`expected no ${key}: ${idle.why}`);
  }
  return args;
}

/** Arguments that are numbers: what they mean, their minimum and maximum. */
const NUMBERS: Readonly<Record<string, readonly [what: string, min: number, max: number]>> = {
  total: ['a number of parts', 0, 4_294_967_295],
  rounds: ['a number of rounds', 1, 1_000],
  ms: ['milliseconds without a unit', 0, 3_600_000],
  seconds: ['seconds without a unit', -1_000_000_000, 1_000_000_000],
  count: ['how many', 1, 1_000],
  age: ['a number of blocks', 0, 1_000_000],
  trusted: ['a height', 1, HEIGHT_MAX],
};

function argOf(key: string, value: Cursor, known: readonly string[]): string | number | boolean {
  if (key === 'victim') return nodeName(value, known);
  const range = NUMBERS[key];
  return range === undefined ? value.boolean(key) : value.integer(...range);
}

const TRIGGER_KEYS = [
  'at',
  'every',
  'height',
  'round',
  'step',
  'event',
  'after',
  'for',
  'times',
  'chance',
] as const;

function triggerOf(at: Cursor | undefined, known: readonly string[]): ByzantineTrigger {
  const fields = at?.fields(TRIGGER_KEYS, `a trigger: {${TRIGGER_KEYS.join('?, ')}?}`) ?? {};
  if (fields.event !== undefined)
    fields.at?.fail('expected after with an event: so long after it; at counts from the start');
  if (fields.after !== undefined) fields.at?.fail('expected only one of at and after');
  const after = fields.after ?? fields.at;
  return {
    heights: fields.height === undefined ? { from: 0, to: HEIGHT_MAX } : span(fields.height, HEIGHT_MAX),
    rounds: fields.round === undefined ? { from: 0, to: ROUND_MAX } : span(fields.round, ROUND_MAX),
    step: fields.step?.oneOf(STEPS, 'a step'),
    event: fields.event === undefined ? undefined : eventOf(fields.event, known),
    after: after === undefined ? 0 : duration(after),
    ...(fields.every === undefined ? {} : { every: period(fields.every) }),
    duration: fields.for === undefined ? undefined : duration(fields.for),
    times: fields.times?.integer('a number of times', 1, TIMES_MAX),
    chancePpm: fields.chance === undefined ? PPM : probability(fields.chance),
  };
}

/** `3`, or `3..5`, or `3..`. */
function span(at: Cursor, max: number): { readonly from: number; readonly to: number } {
  const value = at.raw();
  const match = /^(\d{1,16})(\.\.(\d{1,16})?)?$/.exec(String(value));
  if (match === null || (match[2] === undefined && typeof value !== 'number'))
    return at.fail('expected a number, or a span such as 3..5 or 3..');
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : match[3] === undefined ? max : Number(match[3]);
  if (Math.max(from, to) > max) return at.fail(`expected at most ${max}`);
  return to < from ? at.fail('expected a span that does not run backwards') : { from, to };
}
