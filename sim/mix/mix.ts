import { parseScenario } from '../scenario/parse.ts';
import { type Doc, docText, readDoc, withoutSection } from '../shrink/document.ts';
import { pick } from '../swarm/pick.ts';
import type { ChoiceStream, Choices } from '../world/choices.ts';
import { exchanged, type Values } from './exchange.ts';
import { liarsOf, type Members, membersOf, swapped } from './members.ts';
import { shaken } from './shake.ts';

/** Percent of the entries of a list that stay. */
const KEPT = 85;
/** Sections that are lists, with what makes the entries of two scenarios fit together. */
const LISTS: Readonly<Record<string, (both: readonly Doc[]) => readonly Doc[]>> = {
  clients: namedApart,
  timeline: (both) => both,
  byzantine: (both) => both,
  mutate: (both) => both,
  updates: risingHeights,
};
/** Sections that are maps. A key that both have comes from one of them. */
const MAPS = ['engine', 'genesis', 'network', 'nodes'] as const;
/** What is left out, one set after the other, until a scenario can be read. */
const LESS: readonly (readonly string[])[] = [
  [],
  ['expect'],
  ['expect', 'peers'],
  ['expect', 'updates'],
  ['expect', 'peers', 'updates'],
];

/**
 * One scenario of two: the clients, faults, liars, settings and nodes of both in one world. It finds bugs that need two
 * features at once which nobody thought to combine. Half of the mixes have numbers shaken as well: times, sizes, rates
 * and shares many times larger or smaller than written. In half of them some values are as any scenario has them at such
 * a place.
 *
 * The expectations of the two may not hold in the mix, so it has none but liveness. The checkers that are always on
 * judge it.
 *
 * @returns undefined if the two do not fit together, or have `defaults`.
 */
export function mixed(
  first: string,
  second: string,
  name: string,
  values: Values,
  choices: Choices,
): string | undefined {
  const [a, other] = [readDoc(first), readDoc(second)];
  if (a['defaults'] !== undefined || other['defaults'] !== undefined) return undefined;
  const b = sharingLiars(a, other, choices.stream('mix/liars'));
  const whole: Doc = {
    name,
    ...sections(a, b, choices),
    expect: [{ liveness: { heights: 2, within: 'auto' } }],
  };
  const doc =
    choices.choose('mix/isShaken', 2) === 0 ? whole : (shaken(whole, choices.stream('mix/shake')) as Doc);
  const fit = LESS.map((less) => less.reduce(withoutSection, doc)).find(
    (one) => parseScenario(docText(one)).ok,
  );
  if (fit === undefined) return undefined;
  const isExchanged = choices.choose('mix/isExchanged', 2) === 1;
  return docText(isExchanged ? exchanged(fit, values, choices.stream('mix/exchange')) : fit);
}

/** The liars of the second scenario take the names of those of the first, so that they have no more power together. */
function sharingLiars(a: Doc, b: Doc, stream: ChoiceStream): Doc {
  const known = liarsOf(a);
  if (known.length === 0) return b;
  return liarsOf(b).reduce((doc, liar) => swapped(doc, liar, pick(stream, known)) as Doc, b);
}

function sections(a: Doc, b: Doc, choices: Choices): Doc {
  const doc: Doc = { validators: { ...membersOf(b), ...membersOf(a) } satisfies Members };
  for (const section of MAPS) {
    const [under, over] = choices.choose(`mix/${section}`, 2) === 0 ? [b, a] : [a, b];
    const both = { ...(under[section] as object), ...(over[section] as object) };
    if (Object.keys(both).length > 0) doc[section] = both;
  }
  const peers = choices.choose('mix/peers', 2) === 0 ? (a['peers'] ?? b['peers']) : a['peers'];
  if (peers !== undefined) doc['peers'] = peers;
  for (const [section, fitted] of Object.entries(LISTS)) {
    const stream = choices.stream(`mix/${section}`);
    const both = [a, b].flatMap((one) => (one[section] ?? []) as readonly Doc[]);
    const kept = fitted(both.filter(() => stream.choose(100) < KEPT));
    if (kept.length > 0) doc[section] = kept;
  }
  return { ...doc, until: untilOf(a, b, choices.stream('mix/until')) };
}

function namedApart(clients: readonly Doc[]): readonly Doc[] {
  const names = new Set<unknown>();
  return clients.map((client) => {
    let name = client['name'];
    for (let n = 2; names.has(name); n++) name = `${client['name']}-${n}`;
    names.add(name);
    return { ...client, name };
  });
}

function risingHeights(updates: readonly Doc[]): readonly Doc[] {
  return updates
    .toSorted((a, b) => Number(a['height']) - Number(b['height']))
    .filter((one, i, all) => one['height'] !== all[i - 1]?.['height']);
}

/** Both timelines are to be heard: the greater height of the two ends the run, or a time. */
function untilOf(a: Doc, b: Doc, stream: ChoiceStream): Doc {
  const ends = [a, b].flatMap(({ until }) => {
    const { first } = until as { first?: readonly Doc[] };
    return first ?? [until as Doc];
  });
  const heights = ends.map(({ height }) => height).filter((one) => typeof one === 'number');
  const time = { time: pick(stream, ['60s', '40s', '90s']) };
  return heights.length === 0 ? time : { first: [{ height: Math.max(...heights) }, time] };
}
