import { BEHAVIOURS, behaviourOf } from '../byzantine/registry.ts';
import { PPM } from '../choices.ts';
import type { Cursor } from './cursor.ts';
import { nodeNames } from './names.ts';
import type { ByzantineEntry, ByzantineTrigger } from './scenario.ts';
import { duration, probability } from './units.ts';

const HEIGHT_MAX = 1_000_000;
const ROUND_MAX = 10_000;

export function parseByzantine(at: Cursor, known: readonly string[]): readonly ByzantineEntry[] {
  return at.items('a list of Byzantine entries').flatMap((item) => entriesOf(item, known));
}

function entriesOf(at: Cursor, known: readonly string[]): readonly ByzantineEntry[] {
  const fields = at.fields(
    ['who', 'behaviour', 'when', 'to', 'args'],
    'a Byzantine entry: {who, behaviour, when?, to?, args?}',
  );
  if (fields.who === undefined) return at.fail('expected a key who');
  if (fields.behaviour === undefined) return at.fail('expected a key behaviour');
  const name = fields.behaviour.text('the id or alias of a behaviour');
  const behaviour = behaviourOf(name);
  if (behaviour === undefined) {
    const all = BEHAVIOURS.map((one) => `${one.id} ${one.alias}`).join(', ');
    return fields.behaviour.fail(`unknown behaviour "${name}", expected one of ${all}`);
  }
  const to = fields.to === undefined || fields.to.raw() === 'all' ? undefined : nodeNames(fields.to, known);
  const args = argsOf(fields.args, behaviour.args);
  const trigger = triggerOf(fields.when);
  return nodeNames(fields.who, known).map((who) => ({
    who,
    behaviour: behaviour.id,
    trigger,
    to,
    args,
  }));
}

function argsOf(
  at: Cursor | undefined,
  allowed: readonly string[],
): ReadonlyMap<string, string | number | boolean> {
  const args = new Map<string, string | number | boolean>();
  if (at === undefined) return args;
  for (const [key, value] of at.entries('a map of arguments')) {
    if (!allowed.includes(key)) {
      value.fail(
        allowed.length === 0 ? 'expected no arguments' : `expected an argument of ${allowed.join(', ')}`,
      );
    }
    args.set(key, value.raw() ?? value.fail('expected text, a number, true or false'));
  }
  return args;
}

function triggerOf(at: Cursor | undefined): ByzantineTrigger {
  const always = {
    heights: { from: 0, to: HEIGHT_MAX },
    rounds: { from: 0, to: ROUND_MAX },
    after: 0,
    chancePpm: PPM,
  };
  if (at === undefined) return always;
  const fields = at.fields(
    ['height', 'round', 'after', 'chance'],
    'a trigger: {height?, round?, after?, chance?}',
  );
  return {
    heights: fields.height === undefined ? always.heights : span(fields.height, HEIGHT_MAX),
    rounds: fields.round === undefined ? always.rounds : span(fields.round, ROUND_MAX),
    after: fields.after === undefined ? 0 : duration(fields.after),
    chancePpm: fields.chance === undefined ? PPM : probability(fields.chance),
  };
}

/** `3`, or `3..5`, or `3..`. */
function span(at: Cursor, max: number): { readonly from: number; readonly to: number } {
  const value = at.raw();
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { from: value, to: value };
  const match = typeof value === 'string' ? /^(\d{1,7})\.\.(\d{1,7})?$/.exec(value) : null;
  if (match === null) return at.fail('expected a number, or a span such as 3..5 or 3..');
  const from = Number(match[1]);
  const to = match[2] === undefined ? max : Number(match[2]);
  return to < from ? at.fail('expected a span that does not run backwards') : { from, to };
}
