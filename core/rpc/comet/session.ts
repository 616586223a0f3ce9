import { compileQuery, type Query } from '../../events/query/query.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { reportLost } from '../crash.ts';
import type { SessionOut } from '../httpAnswer.ts';
import { isArray, isObject, type Json } from '../jsonText.ts';
import { notAvailable } from '../notAvailable.ts';
import { Outbox } from '../outbox.ts';
import { pacerOf } from '../pacer.ts';
import { CODES, serverError } from '../rpcError.ts';
import { type ArgSpec, type Args, jsonArgs } from './args.ts';
import {
  type CometRequest,
  errorText,
  type IdText,
  outcomeOf,
  parseRequest,
  resultText,
} from './envelope.ts';
import { type CometFeed, cometFeed } from './feed.ts';
import { cometLimits, QUERY_BYTES_MAX } from './limits.ts';
import { CometSubscription } from './subscription.ts';
import { findCometMethod } from './table.ts';

/** Unsent bytes that a slow client may accumulate before it is notified and closed. Subscribers share the texts. */
export const OUTBOX_BYTES_MAX = 64 * 1024 * 1024;
const TRY_AGAIN = 1013;

interface OwnMethod {
  readonly args: readonly ArgSpec[];
  readonly run: (args: Args, id: IdText) => unknown;
}

const QUERY_ARGS: readonly ArgSpec[] = [{ name: 'query', type: 'string' }];
const REPLAY_ARGS: readonly ArgSpec[] = [...QUERY_ARGS, { name: 'from_height', type: 'int64?' }];

/** `from_height` is an Orrery extension. A client that does not use it sees exactly CometBFT's parameters. */
const asksForHistory = (params: Json | undefined): boolean =>
  (isArray(params) && params.length === REPLAY_ARGS.length) ||
  (isObject(params) && params.has('from_height'));

/**
 * One client of `/websocket`: the methods of the table plus subscriptions. A client that falls behind
 * gets an error on each subscription, with the height to resume from, and is closed. It never misses events silently.
 */
export class CometSession {
  readonly #ctx: RpcContext;
  readonly #out: SessionOut;
  readonly #outbox: Outbox;
  readonly #remote: string;
  readonly #feed: CometFeed;
  /** Keyed by the query's normal form. */
  readonly #subscriptions = new Map<string, CometSubscription>();
  /** Subscriptions with history to send. They start after the response to their request was sent. */
  #replays: CometSubscription[] = [];
  #replaying = 0;
  #closed = false;

  /** `remote` is the client's `ip:port` for the node's log. */
  constructor(ctx: RpcContext, out: SessionOut, remote: string) {
    this.#ctx = ctx;
    this.#remote = remote;
    this.#out = out;
    this.#outbox = new Outbox(out, OUTBOX_BYTES_MAX, pacerOf(ctx));
    this.#feed = cometFeed(ctx);
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /** Whether some subscription is still receiving past events. */
  get isReplaying(): boolean {
    return this.#replaying > 0;
  }

  /** Handles one text frame with one request. The adapter must wait for the promise before it passes the next frame. */
  async receive(text: string): Promise<void> {
    if (this.#closed) return;
    const request = parseRequest(text);
    if (!request.ok) {
      this.#reply(errorText(undefined, CODES.parse, request.error));
      return;
    }
    if (request.value.id === undefined) return;
    this.#reply(await this.#answer(request.value));
    for (const subscription of this.#replays.splice(0)) this.#replay(subscription);
  }

  /** The adapter calls this when the socket has room again. */
  drained(): void {
    if (!this.#closed) this.#outbox.flush();
  }

  /** The adapter calls this when the socket is closed; it ends everything of this client. */
  closed(): void {
    this.#closed = true;
    for (const subscription of [...this.#subscriptions.values()]) this.#end(subscription);
    this.#outbox.drop();
  }

  #ownMethod(method: string, params: Json | undefined): OwnMethod | undefined {
    switch (method) {
      case 'subscribe':
        return {
          args: asksForHistory(params) ? REPLAY_ARGS : QUERY_ARGS,
          run: (args, id) =>
            this.#subscribe(queryOf(args), id, args.get('from_height') as bigint | undefined),
        };
      case 'unsubscribe':
        return { args: QUERY_ARGS, run: (args) => this.#unsubscribe(queryOf(args)) };
      case 'unsubscribe_all':
        return { args: [], run: () => this.#unsubscribeAll() };
      default:
        return undefined;
    }
  }

  async #answer({ id, method, params }: CometRequest): Promise<string> {
    const own = this.#ownMethod(method, params);
    if (own !== undefined) return this.#call(id, method, own.args, params, (args) => own.run(args, id));
    const row = findCometMethod(this.#ctx, method);
    if (row === undefined) return errorText(id, CODES.methodNotFound, '');
    return this.#call(id, method, row.args, params, (args) => row.run(this.#ctx, args));
  }

  async #call(
    id: IdText,
    method: string,
    specs: readonly ArgSpec[],
    params: Json | undefined,
    run: (args: Args) => unknown,
  ): Promise<string> {
    const args = jsonArgs(specs, params);
    if (!args.ok)
      return errorText(id, CODES.internal, `error converting json params to arguments: ${args.error}`);
    const outcome = await outcomeOf(this.#ctx, method, () => run(args.value));
    return outcome.ok ? resultText(id, outcome.value) : errorText(id, CODES.internal, outcome.data);
  }

  #subscribe(text: string, id: IdText, from: bigint | undefined): unknown {
    const { subscriptionClientsMax, subscriptionsPerClientMax } = cometLimits(this.#ctx);
    // The total is checked first, so a client that already has subscriptions can be refused too.
    if (this.#feed.size >= subscriptionClientsMax) {
      throw serverError(`max_subscription_clients ${subscriptionClientsMax} reached`);
    }
    if (this.#subscriptions.size >= subscriptionsPerClientMax) {
      throw serverError(`max_subscriptions_per_client ${subscriptionsPerClientMax} reached`);
    }
    const query = parseUserQuery(text);
    if (this.#subscriptions.has(query.text)) throw serverError('already subscribed');
    if (this.#closed) return {};
    const subscription = new CometSubscription({
      ctx: this.#ctx,
      outbox: this.#outbox,
      id,
      query,
      text,
      fromHeight: from === undefined ? undefined : this.#startOf(from),
      onFull: (height) => this.#giveUp(height),
      onGap: (height, base) => this.#cancel(subscription, notAvailable(height, base)),
    });
    this.#subscriptions.set(query.text, subscription);
    this.#feed.join(this);
    this.#feed.subscribe(query, subscription);
    if (from !== undefined) this.#replays.push(subscription);
    return {};
  }

  /** A pruned height is an error, never a silent gap. For a future height the subscription waits. */
  #startOf(from: bigint): Height {
    const base = this.#ctx.chain.base();
    if (from <= 0n) throw serverError(`height must be greater than 0, but got ${from}`);
    if (from > BigInt(Number.MAX_SAFE_INTEGER)) throw serverError(`height ${from} is too large`);
    if (from < BigInt(base)) throw serverError(notAvailable(from, base));
    return Number(from);
  }

  #replay(subscription: CometSubscription): void {
    this.#replaying++;
    void subscription
      .replay()
      .catch((failure: unknown) => {
        reportLost(this.#ctx, 'subscribe', failure);
        const isWanted = this.#subscriptions.get(subscription.query.text) === subscription;
        if (isWanted) this.#cancel(subscription, 'the past cannot be read');
      })
      .finally(() => this.#replaying--);
  }

  #cancel(subscription: CometSubscription, reason: string): void {
    this.#end(subscription);
    this.#reply(subscription.errorText(reason));
  }

  #unsubscribe(text: string): unknown {
    const subscription = this.#subscriptions.get(parseUserQuery(text).text);
    if (subscription === undefined) throw serverError('subscription not found');
    this.#end(subscription);
    return {};
  }

  #unsubscribeAll(): unknown {
    if (this.#subscriptions.size === 0) throw serverError('subscription not found');
    for (const subscription of [...this.#subscriptions.values()]) this.#end(subscription);
    return {};
  }

  #end(subscription: CometSubscription): void {
    subscription.end();
    this.#subscriptions.delete(subscription.query.text);
    this.#feed.unsubscribe(subscription.query, subscription);
    if (this.#subscriptions.size === 0) this.#feed.leave(this);
  }

  #reply(text: string): void {
    if (!this.#closed && !this.#outbox.push(text)) this.#giveUp(this.#ctx.chain.head());
  }

  /** `height` is that of the event that did not fit, or of the newest block, whose events may not be sent yet. */
  #giveUp(height: Height): void {
    if (this.#closed) return;
    const lost = Math.min(height, this.#outbox.drop());
    const resumes = [...this.#subscriptions.values()].map((one) => ({ one, from: one.resumeFrom(lost) }));
    const reason = slowReason(Math.min(lost, ...resumes.map(({ from }) => from)));
    this.#ctx.hub.publish({ kind: 'note', level: 'warn', text: `${this.#remote}: ${reason}` });
    for (const { one, from } of resumes) this.#out.send(one.errorText(slowReason(from)));
    this.closed();
    this.#out.close(TRY_AGAIN, reason);
  }
}

const slowReason = (from: Height): string => `slow client, resume from height ${from}`;

function parseUserQuery(text: string): Query {
  if (encodeUtf8(text).length > QUERY_BYTES_MAX) throw serverError('maximum query length exceeded');
  const query = compileQuery(text);
  if (!query.ok) throw serverError(`failed to parse query: ${query.error}`);
  return query.value;
}

const queryOf = (args: Args): string => args.get('query') as string;
