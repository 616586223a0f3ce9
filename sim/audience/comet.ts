import { cometFeed } from '../../core/rpc/comet/feed.ts';
import { CometSession } from '../../core/rpc/comet/session.ts';
import { type Matches, readQuery } from '../events/query.ts';
import { eventsOf } from '../events/told.ts';
import { type Frame, placeOf, QUERIES, toldIn, type Value } from './cometFrames.ts';
import { LazyWire } from './lazyWire.ts';
import { LIMITS, type Stage, settle } from './stage.ts';
import { wronglyTold } from './telling.ts';
import { Waits } from './waits.ts';

const CLIENTS_MAX = 5;
const TURNS = 60;
/** The id for frames that answer no request. */
const NAMELESS = -1;

interface Subscription {
  readonly id: number;
  readonly matches: Matches;
  /** The height from which it wants past or future events; undefined if only new ones. */
  readonly from: number | undefined;
}

interface Client {
  readonly name: string;
  readonly session: CometSession;
  readonly wire: LazyWire;
  readonly subscriptions: Map<string, Subscription>;
  /** What each request was told, and what it should have been told, by request id. */
  readonly told: Map<number, string[]>;
  readonly due: Map<number, string[]>;
}

/**
 * Clients of CometBFT's websocket that come and go, subscribe, unsubscribe and wait for transactions at random. Each is
 * told what it subscribed to at the time, in order and once, whatever others do, and limits on subscriptions hold.
 */
export class CometAudience {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #waits: Waits;
  #clients: readonly Client[] = [];
  #left: readonly Client[] = [];
  #ids = 0;

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
    this.#waits = new Waits(stage);
    stage.ctx.hub.listen((event) => {
      if (event.kind === 'committed') this.#onTold(event.block.header.height);
    });
  }

  /** The first problem in words. */
  async play(): Promise<string | undefined> {
    for (let turn = 0; turn < TURNS; turn++) {
      const { isUntold } = this.#stage;
      await this.#turn();
      const isRead = turn % 4 === 0;
      // Announces the block before looking which waiting clients got an answer.
      if (isUntold || isRead) this.#stage.tell();
      await settle();
      const problem = this.#waits.problem();
      if (problem !== undefined) return problem;
      if (!isRead) continue;
      const wrong = await this.#readAll(this.#clients.filter(({ wire }) => !wire.isLazy));
      if (wrong !== undefined) return wrong;
    }
    this.#stage.tell();
    const problem = await this.#waits.end();
    return problem ?? (await this.#readAll(this.#clients)) ?? this.#heardLate() ?? this.#leaveAll();
  }

  #leaveAll(): string | undefined {
    for (const client of this.#clients) this.#leave(client);
    const { size, queries } = cometFeed(this.#stage.ctx);
    if (queries > 0) return `${queries} queries of those who have left are still compared`;
    return size === 0 ? undefined : `${size} who have left are still counted`;
  }

  /** A client that has left is told nothing more. */
  #heardLate(): string | undefined {
    const late = this.#left.find(({ wire }) => wire.unread.length > 0);
    return late && `${late.name} is told of something after it has left`;
  }

  async #turn(): Promise<void> {
    const { length } = this.#clients;
    const one = this.#clients[this.#choose(Math.max(1, length))];
    const what = this.#choose(16);
    if (what < 4) this.#grow();
    else if (what < 6 || one === undefined) this.#come();
    else if (what < 10) await this.#subscribe(one);
    else if (what < 11) await this.#unsubscribe(one);
    else if (what < 12) await this.#unsubscribeAll(one);
    else if (what < 13) this.#leave(one);
    else if (what < 14) this.#waits.begin(this.#listening());
    else if (what < 15) this.#waits.answer();
    else if (this.#choose(3) === 0) this.#waits.ring();
  }

  #grow(): void {
    if (this.#stage.isOver) return;
    this.#stage.grow();
    this.#oweAll(this.#stage.head, ({ from }) => from !== undefined);
  }

  /**
   * A subscription with past events gets a block's events as soon as the block can be read, any other one when the
   * block is announced.
   */
  #onTold(height: number): void {
    this.#waits.onTold(height);
    this.#oweAll(height, ({ from }) => from === undefined);
  }

  #oweAll(height: number, isConcerned: (one: Subscription) => boolean): void {
    for (const client of this.#clients)
      for (const one of client.subscriptions.values()) if (isConcerned(one)) this.#owe(client, one, height);
  }

  /** Notes the events of a block that the subscription must be told. */
  #owe({ due }: Client, { id, matches, from }: Subscription, height: number): void {
    if (height < (from ?? 0)) return;
    for (const { type, keys, value } of eventsOf(this.#stage.ctx, height))
      if (matches(keys)) due.get(id)?.push(placeOf(type, value as Value, from !== undefined));
  }

  #come(): void {
    if (this.#clients.length >= CLIENTS_MAX) return;
    const wire = new LazyWire(this.#choose(3) === 0);
    const name = `listener ${this.#clients.length + this.#left.length}`;
    const session = new CometSession(this.#stage.ctx, wire, name);
    const client = { name, session, wire, subscriptions: new Map(), told: new Map(), due: new Map() };
    this.#clients = [...this.#clients, client];
  }

  #listening(): number {
    return this.#clients.filter(({ subscriptions }) => subscriptions.size > 0).length + this.#waits.count;
  }

  async #subscribe(client: Client): Promise<void> {
    const spellings = QUERIES[this.#choose(QUERIES.length)] as (typeof QUERIES)[0];
    const [query] = spellings;
    const { head, ctx } = this.#stage;
    const base = Math.max(1, ctx.chain.base());
    const from = this.#choose(3) === 0 ? Math.max(base, head + 2 - this.#choose(5)) : undefined;
    const refusal =
      this.#listening() >= LIMITS.clients
        ? `max_subscription_clients ${LIMITS.clients} reached`
        : client.subscriptions.size >= LIMITS.perClient
          ? `max_subscriptions_per_client ${LIMITS.perClient} reached`
          : client.subscriptions.has(query)
            ? 'already subscribed'
            : undefined;
    const id = await this.#ask(client, 'subscribe', refusal, {
      query: spellings[this.#choose(spellings.length)],
      ...(from === undefined ? {} : { from_height: String(from) }),
    });
    if (refusal !== undefined) return;
    const matches = readQuery(query) as Matches;
    const one = { id, matches, from };
    client.subscriptions.set(query, one);
    for (let height = from ?? head + 1; height <= head; height++) this.#owe(client, one, height);
  }

  async #unsubscribe(client: Client): Promise<void> {
    const spellings = QUERIES[this.#choose(QUERIES.length)] as (typeof QUERIES)[0];
    const [query] = spellings;
    this.#stage.tell();
    await this.#catchUp(client);
    const refusal = client.subscriptions.delete(query) ? undefined : 'subscription not found';
    await this.#ask(client, 'unsubscribe', refusal, { query: spellings[this.#choose(spellings.length)] });
  }

  async #unsubscribeAll(client: Client): Promise<void> {
    this.#stage.tell();
    await this.#catchUp(client);
    const refusal = client.subscriptions.size > 0 ? undefined : 'subscription not found';
    client.subscriptions.clear();
    await this.#ask(client, 'unsubscribe_all', refusal, {});
  }

  #leave(client: Client): void {
    client.session.closed();
    client.wire.take(client.session);
    this.#clients = this.#clients.filter((one) => one !== client);
    this.#left = [...this.#left, client];
  }

  async #ask(
    { session, due }: Client,
    method: string,
    refusal: string | undefined,
    params: object,
  ): Promise<number> {
    const id = this.#ids++;
    due.set(id, [refusal ?? 'ok']);
    // A request without an id has no effect and no answer.
    for (const name of [undefined, id])
      await session.receive(JSON.stringify({ jsonrpc: '2.0', id: name, method, params }));
    return id;
  }

  async #readAll(clients: readonly Client[]): Promise<string | undefined> {
    for (const client of clients) {
      await this.#catchUp(client);
      for (const [id, due] of client.due) {
        const wrong = wronglyTold(client.told.get(id) ?? [], due);
        if (wrong !== undefined) return `${client.name}, by request ${id}, ${wrong}`;
      }
      const unasked = client.told.get(NAMELESS);
      if (unasked !== undefined) return `${client.name} is told ${unasked[0]}, and asked for no answer`;
    }
    return undefined;
  }

  /** Reads all that is there for the client. */
  async #catchUp({ session, wire, told }: Client): Promise<void> {
    for (const text of await wire.takeAll(session)) {
      const frame = JSON.parse(text) as Frame;
      const { id = NAMELESS, error }: Partial<Frame> = frame;
      const place = toldIn(frame) ?? 'ok';
      told.set(id, [...(told.get(id) ?? []), error === undefined ? place : (error.data ?? '')]);
    }
  }
}
