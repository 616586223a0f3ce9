import { CometSession } from '../../core/rpc/comet/session.ts';
import { type Matches, readQuery } from '../events/query.ts';
import { type Event, eventsOf } from '../events/told.ts';
import { type Frame, placeOf, toldIn, type Value } from './cometFrames.ts';
import { LazyWire } from './lazyWire.ts';
import { LIMITS, type Stage } from './stage.ts';
import { wronglyTold } from './telling.ts';

/** Values that a query can quote. */
const PLAIN = /^[ -&(-~]+$/;
const NUMBER = /^\d{1,18}$/;
const ORDERS = ['=', '<', '<=', '>', '>='] as const;
const QUERY_CHARS_MAX = 400;

interface Followed {
  readonly query: string;
  readonly matches: Matches;
  readonly from: number;
  readonly told: string[];
}

/**
 * Clients of CometBFT's websocket subscribe from a past height on, with queries of every kind made from what the blocks
 * have: by a whole value, by part of one, by a number or by existence. Each is told all that meets its query, once and
 * in order, whether it is old or new, and however the node finds it.
 */
export class PastReader {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #events = new Map<number, readonly Event[]>();
  readonly #first: number;

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
    this.#first = Math.max(1, stage.ctx.chain.base(), stage.head - choose(4));
    for (let height = this.#first; height <= stage.last; height++)
      this.#events.set(height, eventsOf(stage.ctx, height));
  }

  /** The problem in words. */
  async play(): Promise<string | undefined> {
    const clients = await Promise.all([0, 1].map((i) => this.#come(i)));
    // Meanwhile some clients still get past events.
    while (!this.#stage.isOver) {
      this.#stage.grow();
      this.#stage.tell();
      await undefined;
    }
    for (const { session, wire, followed } of clients) {
      for (const text of await wire.takeAll(session)) {
        const frame = JSON.parse(text) as Frame;
        const one = followed[frame.id];
        const { message = '', data = '' } = frame.error ?? {};
        if (frame.error !== undefined) return `whoever follows ${one?.query} is told ${message} ${data}`;
        const event = toldIn(frame);
        if (event !== undefined) one?.told.push(event);
      }
      session.closed();
      for (const one of followed) {
        const problem = this.#problem(one);
        if (problem !== undefined) return problem;
      }
    }
    return undefined;
  }

  async #come(
    place: number,
  ): Promise<{ readonly session: CometSession; readonly wire: LazyWire; readonly followed: Followed[] }> {
    const wire = new LazyWire(this.#choose(2) === 0);
    const session = new CometSession(this.#stage.ctx, wire, `reader ${place}`);
    const followed: Followed[] = [];
    for (let id = 0; id < LIMITS.perClient; id++) {
      const one = this.#follow();
      if (one === undefined || followed.some(({ query }) => query === one.query)) continue;
      const params = { query: one.query, from_height: String(one.from) };
      followed.push(one);
      const request = { jsonrpc: '2.0', id: followed.length - 1, method: 'subscribe', params };
      await session.receive(JSON.stringify(request));
    }
    return { session, wire, followed };
  }

  /** A query of one or two conditions, each taken from one event of these blocks. */
  #follow(): Followed | undefined {
    const from = this.#first + this.#choose(this.#stage.head - this.#first + 1);
    const events = this.#events.get(this.#first + this.#choose(this.#events.size)) ?? [];
    const { keys } = events[this.#choose(Math.max(1, events.length))] ?? {};
    const pairs = [...(keys ?? [])].flatMap(([tag, values]) => values.map((value) => [tag, value] as const));
    const plain = pairs.filter(([, value]) => PLAIN.test(value));
    if (plain.length === 0) return undefined;
    const conditions = Array.from({ length: 1 + this.#choose(2) }, () =>
      this.#condition(plain[this.#choose(plain.length)] as (typeof plain)[0]),
    );
    const query = conditions.join(' AND ');
    const matches = query.length > QUERY_CHARS_MAX ? undefined : readQuery(query);
    return matches && { query, matches, from, told: [] };
  }

  #condition([tag, value]: readonly [string, string]): string {
    const what = this.#choose(4);
    if (what === 0) return `${tag} EXISTS`;
    if (what === 1) return `${tag} = '${value}'`;
    if (what === 2 && NUMBER.test(value)) return `${tag} ${ORDERS[this.#choose(ORDERS.length)]} ${value}`;
    return `${tag} CONTAINS '${value.slice(value.length > 2 ? 1 : 0, 12)}'`;
  }

  #problem({ query, matches, from, told }: Followed): string | undefined {
    const due = [...this.#events].flatMap(([height, events]) =>
      height < from
        ? []
        : events.flatMap(({ type, keys, value }) =>
            matches(keys) ? [placeOf(type, value as Value, true)] : [],
          ),
    );
    const wrong = wronglyTold(told, due);
    return wrong && `whoever follows ${query} from height ${from} on ${wrong}`;
  }
}
