import { type Publication, publicationsOf } from '../../events/eventModel.ts';
import type { Query } from '../../events/query/query.ts';
import { SubscriptionIndex } from '../../events/subscriptions.ts';
import type { RpcContext } from '../context.ts';
import { publicationText } from './eventJson.ts';

/** A publication on its way to subscribers, rendered at most once. */
export class News {
  readonly publication: Publication;
  #text: string | undefined;

  constructor(publication: Publication) {
    this.publication = publication;
  }

  matches(query: Query): boolean {
    return query.matches(this.publication.keys);
  }

  text(): string {
    this.#text ??= publicationText(this.publication);
    return this.#text;
  }
}

/** One subscription: told of everything that its query matches. */
export interface NewsListener {
  onNews(news: News): void;
}

/** One listener on the node's hub for all consensus websockets, and the count of clients that subscribe. */
export class CometFeed {
  readonly #ctx: RpcContext;
  readonly #clients = new Set<object>();
  readonly #index = new SubscriptionIndex<NewsListener>();
  #stop: (() => void) | undefined;

  constructor(ctx: RpcContext) {
    this.#ctx = ctx;
  }

  /** Clients with subscriptions. */
  get size(): number {
    return this.#clients.size;
  }

  /** Counts a client, once. */
  join(client: object): void {
    this.#clients.add(client);
  }

  leave(client: object): void {
    this.#clients.delete(client);
  }

  subscribe(query: Query, listener: NewsListener): void {
    this.#index.add(query, listener);
    this.#stop ??= this.#ctx.hub.listen((event) => {
      for (const publication of publicationsOf(event, this.#ctx.suite.sha256)) this.#tell(publication);
    });
  }

  unsubscribe(query: Query, listener: NewsListener): void {
    this.#index.remove(query, listener);
    if (this.#index.queryCount > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #tell(publication: Publication): void {
    const listeners = this.#index.matching(publication.keys);
    if (listeners.length === 0) return;
    const news = new News(publication);
    for (const listener of listeners) listener.onNews(news);
  }
}

const known = new WeakMap<RpcContext, CometFeed>();

/** One feed a node. */
export function cometFeed(ctx: RpcContext): CometFeed {
  const found = known.get(ctx) ?? new CometFeed(ctx);
  known.set(ctx, found);
  return found;
}
