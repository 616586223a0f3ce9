import { compileQuery, type Query } from '../../events/query/query.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { RpcContext } from '../context.ts';
import type { SessionOut } from '../httpAnswer.ts';
import { goJson, type Json } from '../jsonText.ts';
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
import { type CometFeed, cometFeed, type News, type NewsListener } from './feed.ts';
import { findCometMethod } from './table.ts';

/** CometBFT's defaults (reference §10). */
export const SUBSCRIPTION_CLIENTS_MAX = 100;
export const SUBSCRIPTIONS_PER_CLIENT_MAX = 5;
export const QUERY_BYTES_MAX = 512;
/** Bytes that a slow reader may be behind before it is told and closed. */
export const OUTBOX_BYTES_MAX = 8 * 1024 * 1024;
const TRY_AGAIN = 1013;

interface Subscription {
  /** Every event carries the id of the request that subscribed. */
  readonly id: IdText;
  readonly query: Query;
  /** `"query":…` with the text as it was sent. */
  readonly queryText: string;
}

type Handler = (args: Args, id: IdText) => unknown;

const QUERY_ARGS: readonly ArgSpec[] = [{ name: 'query', type: 'string' }];

/**
 * One client of `/websocket` (reference §5.6): the methods of the table plus subscriptions. A reader that falls behind
 * gets an error on each subscription, naming the height to resume from, and is closed; it never misses events silently.
 */
export class CometSession implements NewsListener {
  readonly #ctx: RpcContext;
  readonly #out: SessionOut;
  readonly #remote: string;
  readonly #feed: CometFeed;
  /** By the query's normal form. */
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #own: ReadonlyMap<string, { readonly args: readonly ArgSpec[]; readonly run: Handler }>;
  #closed = false;

  /** `remote` names the client in the node's log, `ip:port`. */
  constructor(ctx: RpcContext, out: SessionOut, remote: string) {
    this.#ctx = ctx;
    this.#remote = remote;
    this.#out = out;
    this.#feed = cometFeed(ctx);
    this.#own = new Map<string, { args: readonly ArgSpec[]; run: Handler }>([
      ['subscribe', { args: QUERY_ARGS, run: (args, id) => this.#subscribe(queryOf(args), id) }],
      ['unsubscribe', { args: QUERY_ARGS, run: (args) => this.#unsubscribe(queryOf(args)) }],
      ['unsubscribe_all', { args: [], run: () => this.#unsubscribeAll() }],
    ]);
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /** One text frame: one request object. The adapter hands over the next when the promise has settled. */
  async receive(text: string): Promise<void> {
    if (this.#closed) return;
    const request = parseRequest(text);
    if (!request.ok) {
      this.#write(errorText(undefined, CODES.parse, request.error));
      return;
    }
    if (request.value.id === undefined) return;
    const reply = await this.#answer(request.value);
    this.#write(reply);
  }

  /** The socket is gone; everything of this client ends. */
  closed(): void {
    this.#closed = true;
    this.#subscriptions.clear();
    this.#feed.remove(this);
  }

  onNews(news: News): void {
    for (const { id, query, queryText } of this.#subscriptions.values()) {
      if (!news.matches(query)) continue;
      const opening = id === undefined ? '{"jsonrpc":"2.0",' : `{"jsonrpc":"2.0","id":${id},`;
      this.#write(`${opening}"result":{${queryText},${news.text()}}}`);
    }
  }

  async #answer({ id, method, params }: CometRequest): Promise<string> {
    const own = this.#own.get(method);
    if (own !== undefined) return this.#call(id, method, own.args, params, (args) => own.run(args, id));
    const row = findCometMethod(method);
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

  #subscribe(text: string, id: IdText): unknown {
    const isNew = this.#subscriptions.size === 0;
    // The total is checked first, so it also refuses a client that already has subscriptions.
    if (this.#feed.size >= SUBSCRIPTION_CLIENTS_MAX) {
      throw serverError(`max_subscription_clients ${SUBSCRIPTION_CLIENTS_MAX} reached`);
    }
    if (this.#subscriptions.size >= SUBSCRIPTIONS_PER_CLIENT_MAX) {
      throw serverError(`max_subscriptions_per_client ${SUBSCRIPTIONS_PER_CLIENT_MAX} reached`);
    }
    const query = parseUserQuery(text);
    if (this.#subscriptions.has(query.text)) throw serverError('already subscribed');
    this.#subscriptions.set(query.text, { id, query, queryText: `"query":${goJson(text)}` });
    if (isNew && !this.#closed) this.#feed.add(this);
    return {};
  }

  #unsubscribe(text: string): unknown {
    if (!this.#subscriptions.delete(parseUserQuery(text).text)) throw serverError('subscription not found');
    if (this.#subscriptions.size === 0) this.#feed.remove(this);
    return {};
  }

  #unsubscribeAll(): unknown {
    if (this.#subscriptions.size === 0) throw serverError('subscription not found');
    this.#subscriptions.clear();
    this.#feed.remove(this);
    return {};
  }

  #write(text: string): void {
    if (this.#closed) return;
    const waiting = this.#out.buffered();
    if (waiting > 0 && waiting + text.length > OUTBOX_BYTES_MAX) this.#giveUp();
    else this.#out.send(text);
  }

  #giveUp(): void {
    const resume = `slow client, resume from height ${this.#ctx.chain.head()}`;
    const data = `subscription was canceled (reason: ${resume})`;
    this.#ctx.hub.publish({ kind: 'note', level: 'warn', text: `${this.#remote}: ${resume}` });
    for (const { id } of this.#subscriptions.values()) this.#out.send(errorText(id, CODES.server, data));
    this.closed();
    this.#out.close(TRY_AGAIN, resume);
  }
}

function parseUserQuery(text: string): Query {
  if (encodeUtf8(text).length > QUERY_BYTES_MAX) throw serverError('maximum query length exceeded');
  const query = compileQuery(text);
  if (!query.ok) throw serverError(`failed to parse query: ${query.error}`);
  return query.value;
}

const queryOf = (args: Args): string => args.get('query') as string;
