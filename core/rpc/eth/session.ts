import { assert, unreachable } from '../../lib/assert.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { Hash, Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import type { SessionOut } from '../httpAnswer.ts';
import { serverError } from '../rpcError.ts';
import type { EthFeed, FeedListener, HeadNews } from './feed.ts';
import { newId } from './ids.ts';
import { handleEthRequest } from './jsonrpc.ts';
import { LogMatcher, liveRange } from './logSearch.ts';
import type { Notifier, SubscriptionRequest } from './method.ts';
import { ethServices } from './services.ts';
import { shownTx } from './transactions.ts';

type Live =
  | { readonly kind: 'newHeads' }
  | {
      readonly kind: 'logs';
      readonly matcher: LogMatcher;
      readonly from: Height;
      readonly to: Height | undefined;
    }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  | { readonly kind: 'syncing'; last: boolean };

interface Subscription {
  readonly live: Live;
  /** Notifications that wait until the reply with the id is out; undefined afterwards. */
  held: string[] | undefined;
}

export const SUBSCRIPTIONS_PER_SESSION_MAX = 1024;
/** Bytes that a slow reader may be behind before it is closed. */
export const OUTBOX_BYTES_MAX = 8 * 1024 * 1024;
const REQUESTS_IN_FLIGHT_MAX = 512;
/** Notifications held for one subscription while its own request is still being answered. */
const HELD_MAX = 1024;
/** IANA: try again later. */
const TRY_AGAIN = 1013;

/**
 * One client of the EVM websocket. The adapter gives it frames and a place to write; it answers requests, keeps the
 * client's subscriptions, and closes a client that does not read, naming the block it must resume from.
 */
export class EthSession implements FeedListener {
  readonly #ctx: RpcContext;
  readonly #out: SessionOut;
  readonly #feed: EthFeed;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #inFlight = new Set<Promise<void>>();
  #closed = false;

  constructor(ctx: RpcContext, out: SessionOut) {
    this.#ctx = ctx;
    this.#out = out;
    this.#feed = ethServices(ctx).feed;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /**
   * One text frame from the client. Requests run side by side, so that a slow one holds up no other; the adapter reads
   * on at once, except when too many are under way: then it waits for the returned promise.
   */
  receive(text: string): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const answered = this.#answer(text).then(() => {
      this.#inFlight.delete(answered);
    });
    this.#inFlight.add(answered);
    return this.#inFlight.size < REQUESTS_IN_FLIGHT_MAX ? undefined : answered;
  }

  /** Resolves when everything received so far is answered: for a graceful stop. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async #answer(text: string): Promise<void> {
    const started: string[] = [];
    const notifier: Notifier = {
      subscribe: (request) => this.#subscribe(request, started),
      unsubscribe: (id) => this.#unsubscribe(id),
    };
    const reply = await handleEthRequest(this.#ctx, text, 'ws', notifier);
    if (reply !== undefined) this.#write(reply, this.#ctx.chain.head());
    for (const id of started) this.#release(id);
  }

  /** The socket is gone; everything of this client ends. */
  closed(): void {
    this.#closed = true;
    this.#subscriptions.clear();
    this.#feed.remove(this);
  }

  onHead(news: HeadNews): void {
    for (const [id, subscription] of this.#subscriptions) {
      for (const result of this.#resultsOf(subscription.live, news))
        this.#notify(id, subscription, result, news.height);
    }
  }

  onPendingTx(hash: Hash): void {
    for (const [id, subscription] of this.#subscriptions) {
      if (subscription.live.kind !== 'newPendingTransactions') continue;
      const shown = subscription.live.full ? shownTx(this.#ctx, hash) : to0xHex(hash);
      if (shown !== null) this.#notify(id, subscription, JSON.stringify(shown), this.#ctx.chain.head());
    }
  }

  #resultsOf(live: Live, news: HeadNews): readonly string[] {
    switch (live.kind) {
      case 'newHeads':
        return [news.headerText()];
      case 'logs': {
        const wanted = news.height >= live.from && news.height <= (live.to ?? news.height);
        return wanted ? news.logTexts(live.matcher) : [];
      }
      case 'newPendingTransactions':
        return [];
      case 'syncing':
        return this.#syncingChange(live);
      default:
        return unreachable(live);
    }
  }

  #syncingChange(live: Extract<Live, { kind: 'syncing' }>): readonly string[] {
    const now = this.#ctx.catchingUp();
    if (now === live.last) return [];
    live.last = now;
    if (!now) return ['false'];
    const head = `0x${this.#ctx.chain.head().toString(16)}`;
    const status = { startingBlock: head, currentBlock: head, highestBlock: head };
    return [JSON.stringify({ syncing: true, status })];
  }

  #liveOf(request: SubscriptionRequest): Live {
    if (request.kind === 'logs') {
      const matcher = new LogMatcher(request.filter, this.#ctx.suite.keccak256);
      return { kind: 'logs', matcher, ...liveRange(this.#ctx, request.filter) };
    }
    if (request.kind === 'syncing') return { kind: 'syncing', last: this.#ctx.catchingUp() };
    return request;
  }

  #subscribe(request: SubscriptionRequest, started: string[]): string {
    if (this.#subscriptions.size >= SUBSCRIPTIONS_PER_SESSION_MAX) {
      throw serverError(`max subscriptions per client ${SUBSCRIPTIONS_PER_SESSION_MAX} reached`);
    }
    const live = this.#liveOf(request);
    const id = newId(this.#ctx);
    if (this.#closed) return id;
    if (this.#subscriptions.size === 0) this.#feed.add(this);
    this.#subscriptions.set(id, { live, held: [] });
    started.push(id);
    return id;
  }

  #unsubscribe(id: string): boolean {
    const removed = this.#subscriptions.delete(id);
    if (this.#subscriptions.size === 0) this.#feed.remove(this);
    return removed;
  }

  /** The reply is out: what happened meanwhile follows it. */
  #release(id: string): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) return;
    const held = subscription.held ?? [];
    subscription.held = undefined;
    for (const text of held) this.#write(text, this.#ctx.chain.head());
  }

  #notify(id: string, subscription: Subscription, result: string, height: Height): void {
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`;
    if (subscription.held === undefined) this.#write(text, height);
    else if (subscription.held.length < HELD_MAX) subscription.held.push(text);
    else this.#giveUp(`slow request: resume from block ${height}`);
  }

  #write(text: string, height: Height): void {
    if (this.#closed) return;
    const waiting = this.#out.buffered();
    // A client that has read everything may get one answer of any size.
    if (waiting > 0 && waiting + text.length > OUTBOX_BYTES_MAX) {
      this.#giveUp(`slow reader: resume from block ${height}`);
      return;
    }
    this.#out.send(text);
  }

  #giveUp(reason: string): void {
    if (this.#closed) return;
    assert(reason.length <= 123, 'close reason too long');
    this.closed();
    this.#out.close(TRY_AGAIN, reason);
  }
}
