import { POWER_LOSSES } from '../disk/powerLoss.ts';
import { CRASH_POINTS } from '../machine/life.ts';
import { parseScenario } from '../scenario/parse.ts';
import { parseDuration } from '../scenario/units.ts';
import { changed, type Doc, docText, type Path, readDoc } from '../shrink/document.ts';
import { Choices } from '../world/choices.ts';

type Draw = (n: number) => number;

/** Draws a whole number up to twice the value. */
const upToTwice =
  (least: number) =>
  (value: unknown, draw: Draw): unknown =>
    typeof value === 'number' ? least + draw(2 * value + 1 - least + 1) : value;

/** Draws a duration up to twice the value, in milliseconds. */
function duration(value: unknown, draw: Draw): unknown {
  const micros = typeof value === 'string' ? parseDuration(value) : undefined;
  return micros === undefined ? value : `${draw(Math.floor(micros / 500) + 1)}ms`;
}

/** The period of something that repeats must not be zero. */
const period = (value: unknown, draw: Draw): unknown => {
  const drawn = duration(value, draw);
  return drawn === '0ms' ? '1ms' : drawn;
};

const oneOf =
  (values: readonly unknown[]) =>
  (_: unknown, draw: Draw): unknown =>
    values[draw(values.length)];

/** How the value of a key is drawn, given the one in the file. */
const KINDS: Readonly<Record<string, (value: unknown, draw: Draw) => unknown>> = {
  height: upToTwice(1),
  round: upToTwice(0),
  count: upToTwice(1),
  times: upToTwice(1),
  step: oneOf(['propose', 'prevote', 'precommit', 'commit']),
  power_loss: oneOf(POWER_LOSSES),
  point: oneOf(CRASH_POINTS),
  keep: oneOf(['random']),
  at: duration,
  every: period,
  for: duration,
};
/** Keys that `search: {swarm: {vary: […]}}` can name. */
export const VARIED: readonly string[] = Object.keys(KINDS);

/**
 * The scenario for a seed: the keys that `search: {swarm: {vary}}` names are drawn anew, and the search is gone, so
 * that the text runs, replays and shrinks by itself. Any other text comes back unchanged.
 */
export function varied(text: string, seed: string): string {
  const parsed = parseScenario(text);
  if (!parsed.ok || parsed.value.swarm === undefined || parsed.value.swarm.vary.length === 0) return text;
  const choices = new Choices({ seed });
  const { search: _, ...start } = readDoc(text);
  let doc: Doc = start;
  for (const wanted of parsed.value.swarm.vary) {
    for (const path of placesOf(doc['timeline'], wanted)) {
      const stream = choices.stream(`vary/${path.join('/')}`);
      const kind = KINDS[path.at(-1) as string];
      const value = path.reduce<unknown>(
        (tree, key) => (tree as Record<string | number, unknown>)?.[key],
        doc,
      );
      const other = changed(
        doc,
        path,
        kind?.(value, (n) => stream.choose(n)),
      );
      // A value that cannot stand there, such as twice at one height, leaves the one in the file.
      if (parseScenario(docText(other)).ok) doc = other;
    }
  }
  return docText(doc);
}

/** Where `KEY` or `ACTION.KEY` stands in a timeline: in the entry, its condition or its action. */
export function placesOf(timeline: unknown, wanted: string): readonly Path[] {
  const [action, key] = wanted.includes('.') ? wanted.split('.') : [undefined, wanted];
  return (Array.isArray(timeline) ? timeline : []).flatMap((entry: unknown, i) => {
    const act = (entry as Record<string, unknown> | null)?.['do'];
    const isTree = typeof act === 'object' && act !== null;
    if (action !== undefined && !(isTree && action in act)) return [];
    const within = (tree: unknown, path: Path): readonly Path[] =>
      typeof tree === 'object' && tree !== null
        ? Object.entries(tree).flatMap(([name, value]) =>
            name === key && typeof value !== 'object' ? [[...path, name]] : within(value, [...path, name]),
          )
        : [];
    return within(entry, ['timeline', i]);
  });
}
