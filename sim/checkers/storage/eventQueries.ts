/** Questions for a node's event index, and their answers worked out from the events of its blocks; for eventIndex.ts. */
import type { ChainReader } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import type { AbciEvent } from '../../../core/types/result.ts';

/** Events of transactions and events of blocks are searched separately. */
export type Kind = 'tx' | 'block';
type Pair = readonly [tag: string, value: string];

/** An event of a stored block, with the attributes that are to be indexed. */
export interface IndexedEvent {
  readonly kind: Kind;
  readonly height: number;
  /** What a search that finds the event answers: `height/index` for a transaction, the height for a block. */
  readonly place: string;
  readonly attributes: readonly Pair[];
}

/** A query and the events that meet it. */
export interface EventQuery {
  readonly kind: Kind;
  /** Every event that meets the query has this attribute. */
  readonly tag: string;
  /** If given, the attribute has this value. */
  readonly value?: string;
  readonly text: string;
  readonly isMet: (event: IndexedEvent) => boolean;
}

/** Attributes that the index itself provides. An application cannot set them. */
const OWN_TAGS: ReadonlySet<string> = new Set(['tx.hash', 'tx.height', 'block.height']);

/** Every event of the stored blocks, in order. */
export function indexed(chain: ChainReader): readonly IndexedEvent[] {
  const all: IndexedEvent[] = [];
  for (let height = Math.max(1, chain.base()); height <= chain.head(); height++) {
    const results = present(chain.results(height), 'the results of a kept height');
    const add = (kind: Kind, place: string, events: readonly AbciEvent[]): void => {
      for (const event of events) all.push({ kind, height, place, attributes: asked(event) });
    };
    add('block', String(height), results.events);
    for (const [i, { events }] of results.txResults.entries()) add('tx', `${height}/${i}`, events);
  }
  return all;
}

function asked({ type, attributes }: AbciEvent): readonly Pair[] {
  if (type === '') return [];
  return attributes.flatMap(({ key, value, index }) => {
    const tag = `${type}.${key}`;
    return index && key !== '' && !OWN_TAGS.has(tag) ? [[tag, value] as const] : [];
  });
}

/** An address is found in upper, lower and mixed case. */
export const spelled = (value: string): string =>
  /^0[xX][0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value;

/** Events by tag and kind, and by tag, kind and value. */
export class EventsByTag {
  readonly #events = new Map<string, IndexedEvent[]>();

  constructor(events: readonly IndexedEvent[]) {
    for (const event of events)
      for (const [tag, value] of event.attributes) {
        this.#add(`${event.kind} ${tag}`, event);
        this.#add(`${event.kind} ${tag}=${spelled(value)}`, event);
      }
  }

  /** Adds an event only once even if it repeats an attribute. */
  #add(key: string, event: IndexedEvent): void {
    const known = this.#events.get(key);
    if (known === undefined) this.#events.set(key, [event]);
    else if (known.at(-1) !== event) known.push(event);
  }

  /** The places of all events that meet the question, in order, each once. */
  places({ kind, tag, value, isMet }: EventQuery): readonly string[] {
    const key = value === undefined ? `${kind} ${tag}` : `${kind} ${tag}=${spelled(value)}`;
    const found = (this.#events.get(key) ?? []).filter(isMet);
    return [...new Set(found.map(({ place }) => place))];
  }
}

/** Each attribute that a query can quote, with an event that has it and the event that follows. */
export function attributesOf(
  events: readonly IndexedEvent[],
): readonly (readonly [Pair, IndexedEvent, IndexedEvent])[] {
  const found = new Map<string, readonly [Pair, IndexedEvent, IndexedEvent]>();
  for (const [i, event] of events.entries())
    for (const pair of event.attributes.filter(isPlain))
      found.set(`${event.kind} ${pair.join('=')}`, [pair, event, events[i + 1] ?? event]);
  return [...found.values()];
}

const isPlain = ([, value]: Pair): boolean => !value.includes("'");

/** Comparisons with a number. The height determines which one is asked. */
const COMPARISONS = [
  ['<', (order: number) => order < 0],
  ['<=', (order: number) => order <= 0],
  ['>', (order: number) => order > 0],
  ['>=', (order: number) => order >= 0],
] as const;
const WITH_HEIGHTS = [...COMPARISONS, ['=', (order: number) => order === 0]] as const;

/** A plain decimal number in units of 10^-18; undefined for any other text. */
function decimalOf(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^([0-9]+)(?:\.([0-9]{0,18}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(18, '0'));
}

const orderOf = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Questions about one attribute: alone; from a height on; before, at or after a height; by part of its value; by its
 * number or, if it is no number, its existence; and together with another attribute, once of the same event and once of
 * the next.
 */
export function eventQueries(
  [pair, event, next]: readonly [Pair, IndexedEvent, IndexedEvent],
  turn: number,
): readonly EventQuery[] {
  const { kind, height, attributes } = event;
  const [tag, value] = pair;
  const alone = `${tag}='${value}'`;
  const isMet = (one: IndexedEvent): boolean => has(one, pair);
  const piece = value.slice(1, -1);
  const number = decimalOf(value);
  const [op, isOrdered] = COMPARISONS[height % COMPARISONS.length] as (typeof COMPARISONS)[number];
  // The bound may lie between two heights.
  const bound = height + (height % 2) / 2;
  const [heightOp, isThere] = WITH_HEIGHTS[turn % WITH_HEIGHTS.length] as (typeof WITH_HEIGHTS)[number];
  const others = [attributes, next.attributes].flatMap((list) =>
    list.filter((other) => other[0] !== tag && isPlain(other)).slice(0, 1),
  );
  return [
    { kind, tag, value, text: alone, isMet },
    {
      kind,
      tag,
      value,
      text: `${kind}.height>=${height} AND ${alone}`,
      isMet: (one) => one.height >= height && isMet(one),
    },
    {
      kind,
      tag,
      value,
      text: `${kind}.height${heightOp}${bound} AND ${alone}`,
      isMet: (one) => isThere(one.height - bound) && isMet(one),
    },
    number === undefined
      ? { kind, tag, text: `${tag} EXISTS`, isMet: (one) => one.attributes.some(([name]) => name === tag) }
      : {
          kind,
          tag,
          text: `${tag}${op}${value}`,
          isMet: (one) =>
            one.attributes.some(([name, text]) => {
              const other = name === tag ? decimalOf(text) : undefined;
              return other !== undefined && isOrdered(orderOf(other, number));
            }),
        },
    {
      kind,
      tag,
      text: `${tag} CONTAINS '${piece}'`,
      isMet: (one) => one.attributes.some(([name, text]) => name === tag && text.includes(piece)),
    },
    ...others.map((other) => ({
      kind,
      tag,
      value,
      text: `${alone} AND ${other[0]}='${other[1]}'`,
      isMet: (one: IndexedEvent) => isMet(one) && has(one, other),
    })),
    ...(turn % SEVERAL_EVERY === 1 ? besidePlaces(pair, event) : []),
    ...(turn % SEVERAL_EVERY === 0 ? severalAtOnce(pair, event, others, number, turn / SEVERAL_EVERY) : []),
  ];
}

/** One attribute in so many is also asked for with several conditions. */
const SEVERAL_EVERY = 3;

/**
 * Questions that go beyond plain height ranges: by a digit of the height; with the `tm.event` condition that
 * subscribers use, which everything searched for meets; by existence from a height on; by a date, which no height meets;
 * and by a height next to a range of heights, where only the range counts.
 */
function besidePlaces([tag, value]: Pair, { kind, height }: IndexedEvent): readonly EventQuery[] {
  const alone = `${tag}='${value}'`;
  const digit = String(height).slice(-1);
  const isMet = (one: IndexedEvent): boolean => has(one, [tag, value]);
  return [
    {
      kind,
      tag,
      value,
      text: `${alone} AND ${kind}.height CONTAINS '${digit}'`,
      isMet: (one) => String(one.height).includes(digit) && isMet(one),
    },
    { kind, tag, value, text: `tm.event='${kind === 'tx' ? 'Tx' : 'NewBlock'}' AND ${alone}`, isMet },
    {
      kind,
      tag,
      text: `${kind}.height>=${height} AND ${tag} EXISTS`,
      isMet: (one) => one.height >= height && one.attributes.some(([name]) => name === tag),
    },
    { kind, tag, value, text: `${kind}.height<DATE 2999-12-31 AND ${alone}`, isMet: () => false },
    {
      kind,
      tag,
      value,
      text: `${kind}.height=${height + 1} AND ${kind}.height<=${height} AND ${alone}`,
      isMet: (one) => one.height <= height && isMet(one),
    },
  ];
}

/** A question with more than two conditions, or with two that act as one. The kinds take turns. */
function severalAtOnce(
  [tag, value]: Pair,
  { kind, height }: IndexedEvent,
  others: readonly Pair[],
  number: bigint | undefined,
  turn: number,
): readonly EventQuery[] {
  const alone = `${tag}='${value}'`;
  const isMet = (one: IndexedEvent): boolean => has(one, [tag, value]);
  const [other, another] = others;
  const asked: EventQuery[] = [
    {
      kind,
      tag,
      value,
      // Only the first equality counts.
      text: `${kind}.height=${height} AND ${kind}.height=${height + 1} AND ${alone}`,
      isMet: (one) => one.height === height && isMet(one),
    },
  ];
  if (number !== undefined)
    asked.push({
      kind,
      tag,
      text: `${tag}>=${value} AND ${tag}<=${value}`,
      isMet: (one) => one.attributes.some(([name, text]) => name === tag && decimalOf(text) === number),
    });
  if (other !== undefined)
    asked.push({
      kind,
      tag,
      value,
      text: `${alone} AND ${other[0]} CONTAINS '${other[1]}'`,
      isMet: (one) =>
        isMet(one) && one.attributes.some(([name, text]) => name === other[0] && text.includes(other[1])),
    });
  if (other !== undefined && another !== undefined)
    asked.push({
      kind,
      tag,
      value,
      text: `${alone} AND ${[other, another].map(([name, text]) => `${name}='${text}'`).join(' AND ')}`,
      isMet: (one) => isMet(one) && has(one, other) && has(one, another),
    });
  return asked.slice(turn % asked.length).slice(0, 1);
}

const has = ({ attributes }: IndexedEvent, [tag, value]: Pair): boolean =>
  attributes.some(
    ([name, text]) => name === tag && text.length === value.length && spelled(text) === spelled(value),
  );
