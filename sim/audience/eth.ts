import { to0xHex } from '../../core/lib/bytes.ts';
import { ethServices } from '../../core/rpc/eth/services.ts';
import { EthSession } from '../../core/rpc/eth/session.ts';
import { quantity } from '../clients/answers/answers.ts';
import { span } from '../span.ts';
import { type Frame, hashesIn, KINDS, type Kind, newsOf, shown } from './ethFrames.ts';
import { Filters } from './filters.ts';
import { LazyWire } from './lazyWire.ts';
import { IDLE_READS, type Stage, settle } from './stage.ts';

const CLIENTS_MAX = 3;
const TURNS = 60;
/** How far below the head a subscription may begin. */
const PAST_MAX = 2;
/** As many as a subscription may name. */
const HASHES_MAX = 200;

interface Followed {
  readonly kind: Kind;
  readonly to: number;
  /** Transactions whose receipts it wants; all if left out. */
  readonly named: readonly string[] | undefined;
}

interface Client {
  readonly name: string;
  readonly session: EthSession;
  readonly wire: LazyWire;
  /** What each subscription was told so far, and what it should have been told. */
  readonly told: Map<string, string[]>;
  readonly due: Map<string, string[]>;
  readonly open: Map<string, Followed>;
  readonly answers: Map<number, Frame>;
  /** Subscriptions that the client ends before it has read all their events, by request id. */
  readonly hasty: Map<number, string>;
}

/** Clients of the EVM websocket that come, subscribe, unsubscribe and go at random, while others poll filters. */
export class EthAudience {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #filters: Filters;
  #clients: readonly Client[] = [];
  #left: readonly Client[] = [];
  #ids = 0;

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
    this.#filters = new Filters(stage, choose);
  }

  /** The first problem in words. */
  async play(): Promise<string | undefined> {
    for (let turn = 0; turn < TURNS; turn++) {
      const problem = (await this.#turn()) ?? (await this.#filters.turn());
      if (problem !== undefined) return problem;
      await settle();
      if (turn % 4 > 0) continue;
      this.#stage.tell();
      const wrong = await this.#readAll(this.#clients.filter(({ wire }) => !wire.isLazy));
      if (wrong !== undefined) return wrong;
    }
    this.#stage.tell();
    const late = this.#left.find(({ wire }) => wire.unread.length > 0);
    return (
      (await this.#readAll(this.#clients)) ??
      (late && `${late.name} is told of something after it has left`) ??
      (await this.#leaveAll())
    );
  }

  /** All clients leave before their last requests are answered. After that, the node keeps no listener for them. */
  async #leaveAll(): Promise<string | undefined> {
    const batch = ['eth_blockNumber', 'eth_subscribe'].map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: id === 0 ? [] : ['newHeads'],
    }));
    for (const client of this.#clients) {
      void client.session.receive(JSON.stringify(batch));
      this.#leave(client);
    }
    await settle();
    const { size } = ethServices(this.#stage.ctx).feed;
    return size === 0 ? undefined : `${size} who have left are still told of blocks`;
  }

  async #turn(): Promise<string | undefined> {
    const { isUntold } = this.#stage;
    const problem = await this.#act();
    if (isUntold) this.#stage.tell();
    return problem;
  }

  async #act(): Promise<string | undefined> {
    const one = this.#clients[this.#choose(Math.max(1, this.#clients.length))];
    const what = this.#choose(14);
    if (what < 3) this.#grow();
    else if (what < 5) this.#tellPending();
    else if (what < 7 || one === undefined) this.#come();
    else if (what < 11) return this.#subscribe(one);
    else if (what < 13) return this.#unsubscribe(one);
    else this.#leave(one);
    return undefined;
  }

  #grow(): void {
    if (this.#stage.isOver) return;
    this.#stage.grow();
    const { head } = this.#stage;
    for (const client of this.#clients)
      for (const [id, { kind, to, named }] of client.open)
        if (head <= to) client.due.get(id)?.push(...newsOf(kind, this.#stage.ethBlock(head), named));
  }

  #tellPending(): void {
    const ethHash = new Uint8Array(32).fill(this.#choose(256));
    this.#stage.ctx.hub.publish({ kind: 'pendingTx', tx: ethHash, ethHash });
    this.#filters.onPending(to0xHex(ethHash));
    for (const client of this.#clients)
      for (const [id, { kind }] of client.open)
        if (kind === 'newPendingTransactions') client.due.get(id)?.push(to0xHex(ethHash));
  }

  #come(): void {
    if (this.#clients.length >= CLIENTS_MAX) return;
    const wire = new LazyWire(this.#choose(3) === 0);
    const name = `watcher ${this.#clients.length + this.#left.length}`;
    const session = new EthSession(this.#stage.ctx, wire);
    const maps = {
      told: new Map(),
      due: new Map(),
      open: new Map(),
      answers: new Map(),
      hasty: new Map(),
    };
    this.#clients = [...this.#clients, { name, session, wire, ...maps }];
  }

  async #subscribe(client: Client): Promise<string | undefined> {
    const kind = KINDS[this.#choose(KINDS.length)] as Kind;
    const { head, isUntold } = this.#stage;
    // Log subscriptions can have an end, the others only a beginning.
    const isBounded = kind === 'logs' && this.#choose(2) === 0;
    const to = isBounded ? head + 1 + this.#choose(3) : Number.POSITIVE_INFINITY;
    const isPast = kind !== 'newPendingTransactions' && (this.#choose(3) === 0 || isUntold);
    const past = isPast ? this.#choose(PAST_MAX + 1) : undefined;
    const from = Math.max(this.#stage.ctx.chain.base(), head - (past ?? 0));
    // Every second subscription names hashes. This draws no random number, so later draws stay the same.
    const named = kind === 'transactionReceipts' && this.#ids % 2 === 0 ? this.#someHashes() : undefined;
    const filter = {
      ...(isBounded ? { fromBlock: quantity(head + 1), toBlock: quantity(to) } : {}),
      ...(named === undefined ? {} : { transactionHashes: named }),
    };
    const params = [
      kind,
      ...(kind === 'logs' || kind === 'transactionReceipts' ? [filter] : []),
      ...(past === undefined ? [] : [{ fromBlock: quantity(from) }]),
    ];
    const isHasty = isPast && client.wire.isLazy;
    const { result } = await this.#ask(client, 'eth_subscribe', params, isHasty);
    if (typeof result !== 'string') return `${client.name} cannot subscribe to ${JSON.stringify(params)}`;
    if (client.due.has(result)) return `two subscriptions have the id ${result}`;
    client.open.set(result, { kind, to, named });
    const news = past === undefined ? [] : this.#between(kind, from, Math.min(head, to), named);
    client.due.set(result, [...news]);
    if (!isHasty || this.#choose(2) === 0) return undefined;
    client.hasty.set(this.#ids, result);
    return this.#end(client, result, true);
  }

  #between(kind: Kind, from: number, to: number, named: readonly string[] | undefined): readonly string[] {
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) =>
      newsOf(kind, this.#stage.ethBlock(from + i), named),
    ).flat();
  }

  /** Every second transaction that it may report; undefined without any, since an empty list means all. */
  #someHashes(): readonly string[] | undefined {
    const { ctx, head, last } = this.#stage;
    const first = Math.max(ctx.chain.base(), head - PAST_MAX);
    const heights = span(first, last);
    const all = heights.flatMap((height) => hashesIn(this.#stage.ethBlock(height)));
    const some = all.filter((_, i) => i % 2 === 0).slice(-HASHES_MAX);
    return some.length === 0 ? undefined : some;
  }

  async #unsubscribe(client: Client): Promise<string | undefined> {
    const all = [...client.due.keys()];
    const id = all[this.#choose(Math.max(1, all.length))] ?? '0x1';
    this.#stage.tell();
    await this.#catchUp(client);
    return this.#end(client, id);
  }

  async #end(client: Client, id: string, isHasty = false): Promise<string | undefined> {
    const { result } = await this.#ask(client, 'eth_unsubscribe', [id], isHasty);
    const wasOpen = client.open.delete(id);
    if ((result === true) === wasOpen) return undefined;
    return `${client.name} is told ${result ?? 'no'} when it ends subscription ${id}, which ${wasOpen ? 'was' : 'is not'} open`;
  }

  #leave(client: Client): void {
    client.session.closed();
    client.wire.take(client.session);
    this.#clients = this.#clients.filter((one) => one !== client);
    this.#left = [...this.#left, client];
  }

  /** A hasty client reads only up to the answer. */
  async #ask(client: Client, method: string, params: readonly unknown[], isHasty = false): Promise<Frame> {
    const id = this.#ids++;
    await client.session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await client.session.settled();
    if (isHasty) await this.#readTo(client, id);
    else await this.#catchUp(client);
    return client.answers.get(id) ?? {};
  }

  /** Reads until the answer comes or nothing more does. */
  async #readTo(client: Client, id: number): Promise<void> {
    for (let idle = 0; idle < IDLE_READS; ) {
      const texts = client.wire.take(client.session);
      this.#read(client, texts);
      if (client.answers.has(id)) return;
      idle = texts.length === 0 ? idle + 1 : 0;
      await settle();
    }
  }

  async #readAll(clients: readonly Client[]): Promise<string | undefined> {
    for (const client of clients) {
      await this.#catchUp(client);
      for (const [id, told] of client.told) {
        const due = client.due.get(id) ?? [];
        const at = told.findIndex((text, i) => due[i] !== text);
        if (at >= 0)
          return `${client.name} is told ${told[at]} by ${id}, it should be ${due[at] ?? 'nothing'}`;
      }
      for (const [id, due] of client.due) {
        const { length } = client.told.get(id) ?? [];
        if (length < due.length) return `${client.name} is not told ${due[length]} by ${id}`;
      }
    }
    return undefined;
  }

  /** Reads all that is there for the client. */
  async #catchUp(client: Client): Promise<void> {
    this.#read(client, await client.wire.takeAll(client.session));
  }

  #read({ told, due, answers, hasty }: Client, texts: readonly string[]): void {
    for (const text of texts) {
      const frame = JSON.parse(text) as Frame;
      if (frame.id !== undefined) answers.set(frame.id, frame);
      const ended = hasty.get(frame.id ?? -1);
      // What was not told before the subscription ended is not told any more.
      if (ended !== undefined) due.set(ended, (due.get(ended) ?? []).slice(0, told.get(ended)?.length ?? 0));
      const { subscription, result } = frame.params ?? {};
      if (subscription !== undefined)
        told.set(subscription, [...(told.get(subscription) ?? []), shown(result)]);
    }
  }
}
