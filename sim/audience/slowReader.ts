import { CometSession } from '../../core/rpc/comet/session.ts';
import { type Matches, readQuery } from '../events/query.ts';
import { eventsOf } from '../events/told.ts';
import { type Frame, placeOf, QUERIES, toldIn, type Value } from './cometFrames.ts';
import { LazyWire } from './lazyWire.ts';
import { LIMITS, type Stage, settle } from './stage.ts';
import { firstUntold, NOT_CUT_OFF, readUntilCutOff } from './telling.ts';

const TURNS = 8;

interface Followed {
  readonly query: string;
  readonly matches: Matches;
  /** The past height where it begins; undefined if it begins with new blocks. */
  readonly from: number | undefined;
  /** The first block that it must be told of. */
  readonly first: number;
}

/**
 * A client of CometBFT's websocket reads now and then, and in the end nothing, until the node has no room for what it
 * leaves unread. Each of its subscriptions then ends with a height to resume from. Up to that height it has been told
 * everything, once and in order, so a client that resumes there misses nothing, not even what waited in the node.
 */
export class SlowReader {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #wire = new LazyWire(true);
  readonly #session: CometSession;
  readonly #texts: string[] = [];

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
    this.#session = new CometSession(stage.ctx, this.#wire, 'a slow reader');
  }

  /** The problem in words. */
  async play(): Promise<string | undefined> {
    const followed: Followed[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const what = this.#choose(4);
      const isNew = followed.length < LIMITS.perClient && (what === 0 || turn < 2);
      if (isNew) followed.push(await this.#follow(followed.length));
      else if (what === 1) this.#texts.push(...this.#wire.take(this.#session));
      else this.#grow();
      await settle();
    }
    const rest = await readUntilCutOff(
      this.#wire,
      this.#stage,
      () => this.#grow(),
      () => this.#say(LIMITS.perClient, 'health', {}),
    );
    if (rest === undefined) return NOT_CUT_OFF;
    this.#texts.push(...rest);
    const frames = this.#texts.map((text) => JSON.parse(text) as Frame);
    for (const [id, one] of followed.entries()) {
      const problem = this.#problem(
        one,
        frames.filter((frame) => frame.id === id),
      );
      if (problem !== undefined) return `who follows ${one.query} and reads too little ${problem}`;
    }
    return undefined;
  }

  #grow(): void {
    if (this.#stage.isOver) return;
    this.#stage.tell();
    this.#stage.grow();
    this.#stage.tell();
  }

  async #follow(id: number): Promise<Followed> {
    // Two subscriptions of one client have different queries.
    const place = 2 * this.#choose(QUERIES.length / 2) + (id % 2);
    const [query] = QUERIES[place] as (typeof QUERIES)[0];
    const { head, ctx } = this.#stage;
    const from = this.#choose(2) === 0 ? undefined : Math.max(1, ctx.chain.base(), head - this.#choose(4));
    const start = from === undefined ? {} : { from_height: String(from) };
    await this.#say(id, 'subscribe', { query, ...start });
    return { query, matches: readQuery(query) as Matches, from, first: from ?? head + 1 };
  }

  #say(id: number, method: string, params: object): Promise<void> {
    return this.#session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  #problem({ matches, from, first }: Followed, frames: readonly Frame[]): string | undefined {
    const reasons = frames.flatMap(({ error }) => error?.message ?? []);
    const said = frames.find(({ error }) => error !== undefined)?.error;
    const resume = Number(/resume from height (\d+)/.exec(`${said?.message} ${said?.data}`)?.[1]);
    if (reasons.length !== 1 || !Number.isSafeInteger(resume)) return 'is not told once where to go on';
    const told = frames.flatMap((frame) => toldIn(frame) ?? []);
    const due: string[] = [];
    for (let height = first; height < Math.min(resume, this.#stage.head + 1); height++)
      for (const { type, keys, value } of eventsOf(this.#stage.ctx, height))
        if (matches(keys)) due.push(placeOf(type, value as Value, from !== undefined));
    const wrong = firstUntold(told, due);
    if (wrong === undefined) return undefined;
    return `is to go on from height ${resume}, and is told ${wrong.told} where ${wrong.due} comes before that`;
  }
}
