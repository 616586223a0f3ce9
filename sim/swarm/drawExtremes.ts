import { parseScenario } from '../scenario/parse.ts';
import { parseDuration } from '../scenario/units.ts';
import { at, changed, type Doc, docText, type Path, places } from '../shrink/document.ts';
import { type DrawnClient, isFeatured, isPriced } from './drawClients.ts';
import type { Dice } from './drawn.ts';
import {
  FAR_DELAYS,
  HASTY,
  HOLDING,
  LATE,
  LISTED,
  PEERS,
  PRICES,
  ROUGH,
  SCANT,
  SECTIONS,
  type Values,
} from './extremeValues.ts';
import { pick } from './pick.ts';

const PLACES_MAX = 24;
/** As many validators may be late. */
const MACHINES_MAX = 3;
/** Virtual seconds of a chain that may stand still, and of one that makes blocks faster than anybody can fetch them. */
const HOLDING_SECONDS = 60;
const HASTY_SECONDS = 10;
/** Time-outs that grow by at least this exceed the delays of a far network within a dozen rounds. */
const IMPATIENT_MICROS = 300_000;

interface Place {
  readonly path: Path;
  readonly values: Values;
  /** When the run ends at the latest. */
  readonly seconds: number | undefined;
}
interface Change extends Omit<Place, 'values'> {
  readonly value: unknown;
}

/**
 * In an extreme world some values are set to their least or greatest, or left out. Changes that the parser refuses are
 * dropped.
 * @param isStream Frames are neither lost nor repeated.
 * @param isAlone At some time one validator needs no other.
 */
export function drawExtremes(
  { choices, isExtreme }: Dice,
  world: Doc,
  clients: readonly DrawnClient[],
  isStream: boolean,
  isAlone: boolean,
): Doc {
  if (!isExtreme) return world;
  const stream = choices.stream('extremes/values');
  const isBound = stream.choose(3) === 2;
  const kinds = [
    [
      ...(clients.some(isFeatured) ? [] : sectionPlaces(SCANT)),
      ...(clients.some(isPriced) ? [] : sectionPlaces(PRICES)),
    ],
    sectionPlaces(SECTIONS),
    [...listPlaces(world), ...(isStream ? [] : sectionPlaces({ network: ROUGH }))],
    isBound ? [...sectionPlaces(HASTY, HASTY_SECONDS), ...sectionPlaces(HOLDING, HOLDING_SECONDS)] : [],
    isBound ? machinePlaces(world) : [],
    'peers' in world ? sectionPlaces(PEERS, HOLDING_SECONDS) : [],
  ].filter((places) => places.length > 0);
  // Values of one kind, so that they meet, or of all kinds.
  const all = stream.choose(2) === 0 ? kinds.flat() : pick(stream, kinds);
  const changes = Array.from({ length: 1 + stream.choose(PLACES_MAX) }, (): Change => {
    const { values, ...place } = pick(stream, all);
    return { ...place, value: pick(stream, values) ?? undefined };
  });
  const taken = isScenario(changes.reduce(withChange, world)) ? changes : takenOf(changes, world);
  const doc = taken.reduce(withChange, world);
  const isOutrun = isAlone && isHasty(doc) && isFar(doc);
  const seconds = Math.min(
    ...taken.flatMap((change) => change.seconds ?? []),
    isOutrun ? HASTY_SECONDS : Infinity,
    isImpatient(doc) && isFar(doc) ? HOLDING_SECONDS : Infinity,
  );
  return seconds === Infinity ? doc : { ...doc, until: { first: [doc['until'], { time: `${seconds}s` }] } };
}

const isHasty = (doc: Doc): boolean =>
  ['100ms', '300ms'].includes(at(doc, ['engine', 'block_time']) as string);

/** Time-outs that grow so slowly that a far network needs a hundred rounds. */
const isImpatient = (doc: Doc): boolean =>
  ['propose', 'prevote', 'precommit'].some((step) => {
    const delta = at(doc, ['engine', `timeout_${step}_delta`]);
    return typeof delta === 'string' && (parseDuration(delta) ?? 0) < IMPATIENT_MICROS;
  });

const isFar = (doc: Doc): boolean => FAR_DELAYS.includes(at(doc, ['network', 'delay']) as string);

/** The changes that the parser accepts with those before them. */
function takenOf(changes: readonly Change[], world: Doc): readonly Change[] {
  let doc = world;
  return changes.filter((change) => {
    const next = withChange(doc, change);
    const isTaken = isScenario(next);
    if (isTaken) doc = next;
    return isTaken;
  });
}

const isScenario = (doc: Doc): boolean => parseScenario(docText(doc)).ok;

function withChange(doc: Doc, { path, value }: Change): Doc {
  const section = path[0] as string;
  if (value === undefined) return at(doc, path) === undefined ? doc : changed(doc, path, undefined);
  return changed(doc[section] === undefined ? { ...doc, [section]: {} } : doc, path, value);
}

const sectionPlaces = (
  tables: Readonly<Record<string, Readonly<Record<string, Values>>>>,
  seconds?: number,
): readonly Place[] =>
  Object.entries(tables).flatMap(([section, table]) =>
    Object.entries(table).map(([key, values]) => ({ path: [section, key], values, seconds })),
  );

const machinePlaces = ({ validators }: Doc): readonly Place[] =>
  Object.keys(validators as object)
    .slice(0, MACHINES_MAX)
    .flatMap((name) =>
      Object.entries(LATE).map(([key, values]) => ({
        path: ['validators', name, key],
        values,
        seconds: HOLDING_SECONDS,
      })),
    );

/** Places in lists that hold a key of the tables. */
function listPlaces(doc: Doc): readonly Place[] {
  return places(doc).flatMap((path) => {
    const values = path.length > 2 ? LISTED[path[0] as string]?.[path.at(-1) as string] : undefined;
    // A node that is restarted before it stops would stay away.
    const isRestart = at(doc, [...path.slice(0, 2), 'do', 'restart']) !== undefined;
    return values === undefined || isRestart ? [] : [{ path, values, seconds: undefined }];
  });
}
