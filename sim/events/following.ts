import { present } from '../../core/lib/assert.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { shown } from '../difference.ts';
import { Between, type Happening, toldHappening } from './between.ts';
import { type Keys, type Matches, readQuery } from './query.ts';
import { BETWEEN, type Event, eventsOf, untruth, wrongKeys } from './told.ts';

const COMPLAINTS_MAX = 20;

export interface EventResult {
  readonly query?: string;
  readonly data?: { readonly type: string; readonly value?: unknown };
  readonly events?: Readonly<Record<string, readonly string[]>>;
  readonly position?: {
    readonly height: string;
    readonly tx_index: number | null;
    readonly event_index: number;
  };
}

interface Told {
  readonly place: string;
  readonly result: EventResult;
}

type Place = readonly [height: number, event: number];

const isAfter = ([height, event]: Place, [otherHeight, otherEvent]: Place): boolean =>
  height > otherHeight || (height === otherHeight && event > otherEvent);

const TYPE = 'tendermint/event/';

/** One query that a client follows: what it was told, and where it resumes after a break. */
export class Following {
  readonly query: string;
  readonly told: Told[] = [];
  readonly complaints: string[] = [];
  /** Where to resume: the first height that may hold something new. */
  from = 1;
  readonly #matches: Matches;
  readonly #between = new Between();
  /** The newest event that the client has, and the last one of this connection. */
  #newest: Place = [0, -1];
  #last: Place = [0, -1];
  #isCancelled = false;

  constructor(query: string) {
    this.query = query;
    this.#matches = present(readQuery(query), 'the scenario was checked');
  }

  #complain(text: string): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(text);
  }

  /** A connection begins. */
  onConnect(): void {
    this.#last = [0, -1];
    this.#isCancelled = false;
    this.#between.onConnect();
  }

  /** The node cannot read its past: this connection hears nothing more. */
  onCancelled(): void {
    this.#isCancelled = true;
  }

  /** From now on it hears everything. */
  onLive(): void {
    this.#between.onLive();
  }

  /** The node announces something between blocks. */
  onHappening(one: Happening): void {
    if (this.#matches(new Map([['tm.event', [one.name]]]))) this.#between.onHappening(one);
  }

  /** Takes an event and returns whether it is new. */
  onEvent(result: EventResult): boolean {
    if (result.query !== this.query) this.#complain(`was told of ${result.query} instead of ${this.query}`);
    if (result.position === undefined) {
      this.#onBetween(result);
      return true;
    }
    const place: Place = [Number(result.position.height), result.position.event_index];
    if (!isAfter(place, this.#last))
      this.#complain(`was told ${place.join('/')} after ${this.#last.join('/')}`);
    this.#last = place;
    // A resumed subscription begins at the height of the last event. The client skips what it has, as docs/events.md
    // says.
    if (!isAfter(place, this.#newest)) return false;
    this.#newest = place;
    this.from = place[0];
    this.told.push({ place: place.join('/'), result });
    return true;
  }

  /** An announcement between blocks has no position, and no key but its name. */
  #onBetween({ data, events = {} }: EventResult): void {
    const name = events['tm.event']?.join() ?? '';
    const keys: Keys = new Map([['tm.event', [name]]]);
    if (`${TYPE}${BETWEEN[name]}` !== data?.type || wrongKeys(events, keys) !== undefined)
      this.#complain(`got a ${data?.type} without a position and with ${shown(events)}`);
    else if (!this.#matches(keys))
      this.#complain(`was told of ${name}, which ${this.query} does not ask for`);
    const told = toldHappening(name, data?.value);
    const problem = told && this.#between.problem(told);
    if (problem !== undefined) this.#complain(problem);
  }

  /**
   * Describes the first difference between what was told and this chain. Everything up to `least` must have been told.
   */
  problem(rpc: RpcContext, least: number): string | undefined {
    let next = 0;
    for (let height = Math.max(1, rpc.chain.base()); height <= rpc.chain.head(); height++) {
      for (const [index, event] of eventsOf(rpc, height).entries()) {
        if (!this.#matches(event.keys)) continue;
        const told = this.told[next++];
        const place = `${height}/${index}`;
        if (told === undefined && (height > least || this.#isCancelled)) return undefined;
        if (told?.place !== place)
          return `was told ${told?.place ?? 'nothing'} as event ${next - 1} of ${this.query}, the chain has ${place}, a ${event.type}`;
        const wrong = wrongResult(told.result, event);
        if (wrong !== undefined) return `was told at ${place} a ${event.type} with ${wrong.slice(0, 300)}`;
      }
    }
    const rest = this.told[next];
    return rest === undefined ? undefined : `was told ${rest.place} of ${this.query}, the chain has no more`;
  }
}

const wrongResult = ({ data, events = {}, position }: EventResult, event: Event): string | undefined =>
  untruth(data, { type: TYPE + event.type, value: event.value }, 'data') ??
  wrongKeys(events, event.keys) ??
  untruth(position?.tx_index, event.txIndex, 'tx_index');
