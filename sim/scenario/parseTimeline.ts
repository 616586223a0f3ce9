import { PPM } from '../world/choices.ts';
import type { Cursor } from './cursor.ts';
import { parseAction } from './parseAction.ts';
import { ANY_MOVE, onNode, WHEN_KEYS, whenMap, whenOf } from './parseWhen.ts';
import { type Action, TIMES_MAX, type TimelineEntry, type When } from './scenario.ts';
import { duration, probability } from './units.ts';

const ENTRY_KEYS = [...WHEN_KEYS, 'when', 'after', 'on', 'do', 'for', 'times', 'chance'] as const;
type Fields = Partial<Record<(typeof ENTRY_KEYS)[number], Cursor>>;
const ENTRY = 'a timeline entry: {at | when | after, do}';
/** Actions that `for:` can undo later. */
const UNDONE: readonly Action['kind'][] = [
  'partition',
  'crash',
  'pause',
  'clog',
  'swizzle',
  'link',
  'upgrade',
  'rollback',
];
/** Disk faults that `for:` can end. */
const PASSING: readonly string[] = ['full', 'slow'];

export function parseTimeline(at: Cursor, known: readonly string[]): readonly TimelineEntry[] {
  const items = at.items('a list of timeline entries');
  for (const item of items) noteCheckpoint(item);
  const counts = new Map<string, number>();
  return items.map((item) => {
    const entry = entryOf(item, known);
    const count = counts.get(entry.text) ?? 0;
    counts.set(entry.text, count + 1);
    return { ...entry, dice: `timeline/${entry.text}/${count}` };
  });
}

/** Notes checkpoints first, because an entry may wait for one further down. */
function noteCheckpoint(item: Cursor): void {
  const action = item.fields(ENTRY_KEYS, ENTRY).do;
  const entries = action?.isMap === true ? action.entries(ENTRY) : [];
  const name = entries.find(([key]) => key === 'checkpoint')?.[1].raw();
  if (typeof name === 'string') item.names.checkpoints.add(name);
}

/** Keys of the entry are often put into its action by mistake. */
function refuseEntryKeys(action: Cursor): void {
  if (!action.isMap) return;
  for (const [name, value] of action.entries(ENTRY))
    if (ENTRY_KEYS.some((key) => key === name))
      value.fail(`expected "${name}" next to "do", not inside of it`);
}

function entryOf(at: Cursor, known: readonly string[]): Omit<TimelineEntry, 'dice'> {
  const fields = at.fields(ENTRY_KEYS, ENTRY);
  if (fields.do === undefined) return at.fail('expected a key do');
  refuseEntryKeys(fields.do);
  const action = parseAction(fields.do, known);
  if ((action.kind === 'clog' || action.kind === 'swizzle') && fields.for === undefined)
    fields.do.fail(`expected a key for next to ${action.kind}`);
  const isPassing = action.kind === 'disk' && PASSING.includes(action.fault);
  if (isPassing && fields.for === undefined)
    fields.do.fail(`expected a key for next to a disk that is ${action.fault}`);
  const hasEnd = UNDONE.includes(action.kind) || isPassing;
  if (!hasEnd && at.says('for'))
    fields.for?.fail(`expected no key for with ${written(action)}: nothing undoes it`);
  const { when, delay, on, chance } = whenAndDelay(at, fields, known);
  // Not the on of the defaults, which goes to those entries alone that can have it.
  const ownOn = at.says('on') || on !== fields.on ? on : undefined;
  if (when.kind === 'at' || when.kind === 'every')
    ownOn?.fail(`expected no on with ${when.kind}: a time is that of nobody`);
  if (when.kind === 'event') ownOn?.fail('expected no on with an event: it names its node');
  if (at.says('times') && when.kind === 'at')
    fields.times?.fail('expected no times with at: a moment comes once; every comes again');
  const times = fields.times?.integer('a number of times', 1, TIMES_MAX);
  if (at.says('times') && when.kind === 'state' && when.height !== undefined && (times ?? 1) > 1)
    fields.times?.fail('expected no times with a height: it comes once');
  const isRepeated = when.kind === 'every' || chance !== undefined;
  return {
    line: at.path,
    text: fields.do.written(),
    when,
    delay,
    on: onNode(on, known),
    duration: fields.for === undefined || !hasEnd ? undefined : duration(fields.for),
    times: times ?? (isRepeated ? TIMES_MAX : 1),
    chancePpm: chance === undefined ? PPM : probability(chance),
    action,
  };
}

/** An action as the file calls it. */
const written = ({ kind }: Action): string => kind.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);

interface Moment {
  readonly when: When;
  readonly delay: number;
  readonly on: Cursor | undefined;
  readonly chance: Cursor | undefined;
}

/** Refuses keys that say when, next to `when` or `after`. Only `at` has a meaning next to `after`. */
function refuseBeside(at: Cursor, { when, after, ...fields }: Fields): void {
  const map = after === undefined ? 'when' : 'after';
  if ((after ?? when) === undefined) return;
  const idle = WHEN_KEYS.find((key) => (key !== 'at' || map === 'when') && at.says(key));
  if (idle !== undefined) fields[idle]?.fail(`expected no ${idle} next to ${map}: it stands inside of that`);
}

/** With `after: WHEN`, an `at:` counts from the moment WHEN holds. */
function whenAndDelay(at: Cursor, fields: Fields, known: readonly string[]): Moment {
  const { on, chance } = fields;
  const own = (map: ReturnType<typeof whenMap>, delay: number): Moment => {
    for (const key of ['on', 'chance'] as const)
      if (at.says(key)) map[key]?.fail(`expected only one ${key}: it stands next to this too`);
    // What the condition says comes before the defaults of the section.
    return { when: map.when, delay, on: map.on ?? on, chance: map.chance ?? chance };
  };
  refuseBeside(at, fields);
  if (fields.after !== undefined) {
    if (fields.when !== undefined) at.fail('expected only one of when and after');
    return own(whenMap(fields.after, known), fields.at === undefined ? 0 : duration(fields.at));
  }
  if (fields.when !== undefined) return own(whenMap(fields.when, known), 0);
  const when = whenOf(fields, at, known) ?? (chance === undefined ? undefined : ANY_MOVE);
  return {
    when:
      when ??
      at.fail('expected when it happens: at, every, event, height, round, step, chance, when or after'),
    delay: 0,
    on,
    chance,
  };
}
