import { assert } from '../../lib/assert.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { reportLost } from '../crash.ts';
import type { SessionOut } from '../httpAnswer.ts';
import { Outbox } from '../outbox.ts';
import { pacerOf } from '../pacer.ts';
import { serverError } from '../rpcError.ts';
import type { EthFeed, FeedListener, HeadNews, PendingNews } from './feed.ts';
import { newId } from './ids.ts';
import { handleEthRequest } from './jsonrpc.ts';
import type { Notifier, SubscriptionRequest } from './method.ts';
import { ethServices } from './services.ts';
import { EthSubscription, type Subscription } from './subscription.ts';
import { TraceChain } from './traceChain.ts';

const SUBSCRIPTIONS_PER_SESSION_MAX = 1024;
/** Unsent bytes that a slow client may accumulate before it is closed. */
export const OUTBOX_BYTES_MAX = 8 * 1024 * 1024;
const REQUESTS_IN_FLIGHT_MAX = 512;
/** Characters of requests that are not answered yet, beyond which no further request is read. */
const IN_FLIGHT_CHARS_MAX = 8 * 1024 * 1024;
/** Close code in IANA's registry: try again later. */
const TRY_AGAIN = 1013;

/**
 * One client of the EVM websocket. The adapter passes its frames and provides an output. The session answers requests,
 * keeps the client's subscriptions, and closes a client that does not read, naming the block to resume from.
 */
export class EthSession implements FeedListener {
  readonly #ctx: RpcContext;
  readonly #out: SessionOut;
  readonly #outbox: Outbox;
  readonly #feed: EthFeed;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #inFlight = new Set<Promise<void>>();
  #inFlightChars = 0;
  #closed = false;

  constructor(ctx: RpcContext, out: SessionOut) {
    this.#ctx = ctx;
    this.#out = out;
    this.#outbox = new Outbox(out, OUTBOX_BYTES_MAX, pacerOf(ctx));
    this.#feed = ethServices(ctx).feed;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /**
   * Handles one text frame. Requests run concurrently, so a slow one delays no other. If too many are in flight, it
   * returns a promise, and the adapter must wait for that before it reads on.
   */
  receive(text: string): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const answered = this.#answer(text).then(() => {
      this.#inFlight.delete(answered);
      this.#inFlightChars -= text.length;
    });
    this.#inFlight.add(answered);
    this.#inFlightChars += text.length;
    const hasRoom = this.#inFlight.size < REQUESTS_IN_FLIGHT_MAX && this.#inFlightChars < IN_FLIGHT_CHARS_MAX;
    return hasRoom ? undefined : answered;
  }

  /** Resolves when everything received so far is answered; for a graceful stop. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** The adapter calls this when the socket has room again. */
  drained(): void {
    if (!this.#closed) this.#outbox.flush();
  }

  /** The adapter calls this when the socket is closed; it ends everything of this client. */
  closed(): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
    this.#feed.remove(this);
    this.#outbox.drop();
  }

  onHead(news: HeadNews): void {
    for (const subscription of this.#subscriptions.values()) subscription.onHead(news);
  }

  onPendingTx(news: PendingNews): void {
    for (const subscription of this.#subscriptions.values()) subscription.onPendingTx(news);
  }

  async #answer(text: string): Promise<void> {
    const started: Subscription[] = [];
    const notifier: Notifier = {
      subscribe: (request) => this.#subscribe(request, started),
      unsubscribe: (id) => this.#unsubscribe(id),
    };
    const reply = await handleEthRequest(this.#ctx, text, 'ws', notifier);
    const head = this.#ctx.chain.head();
    if (reply !== undefined && !this.#closed && !this.#outbox.push(reply)) this.#tooSlow(head);
    for (const subscription of started)
      subscription.release().catch((failure: unknown) => {
        reportLost(this.#ctx, 'eth_subscribe', failure);
        if ([...this.#subscriptions.values()].includes(subscription)) this.#giveUp('the past cannot be read');
      });
  }

  #subscribe(request: SubscriptionRequest, started: Subscription[]): string {
    if (this.#subscriptions.size >= SUBSCRIPTIONS_PER_SESSION_MAX) {
      throw serverError(`max subscriptions per client ${SUBSCRIPTIONS_PER_SESSION_MAX} reached`);
    }
    const id = newId(this.#ctx);
    const parts = {
      ctx: this.#ctx,
      outbox: this.#outbox,
      id,
      onFull: (height: Height) => this.#tooSlow(height),
      onGap: (height: Height) => this.#giveUp(`block ${height} is no longer available`),
    };
    const subscription =
      request.kind === 'traceChain'
        ? new TraceChain(parts, request)
        : new EthSubscription({ ...parts, request, criteriaRoom: this.#feed.criteriaRoom });
    if (this.#closed) {
      subscription.end();
      return id;
    }
    if (this.#subscriptions.size === 0) this.#feed.add(this);
    this.#subscriptions.set(id, subscription);
    started.push(subscription);
    return id;
  }

  #unsubscribe(id: string): boolean {
    this.#subscriptions.get(id)?.end();
    const removed = this.#subscriptions.delete(id);
    if (this.#subscriptions.size === 0) this.#feed.remove(this);
    return removed;
  }

  #tooSlow(height: Height): void {
    const untold = [...this.#subscriptions.values()].map((one) => one.untold);
    const from = Math.min(height, this.#outbox.drop(), ...untold);
    this.#giveUp(`slow reader: resume from block ${from}`);
  }

  #giveUp(reason: string): void {
    if (this.#closed) return;
    assert(reason.length <= 123, 'close reason too long');
    this.closed();
    this.#out.close(TRY_AGAIN, reason);
  }
}
