import { type Publication, publicationsOf } from '../../events/eventModel.ts';
import type { Query } from '../../events/query/query.ts';
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

export interface NewsListener {
  onNews(news: News): void;
}

/** One listener on the node's hub for all consensus websockets, and the count of clients that subscribe. */
export class CometFeed {
  readonly #ctx: RpcContext;
  readonly #clients = new Set<NewsListener>();
  #stop: (() => void) | undefined;

  constructor(ctx: RpcContext) {
    this.#ctx = ctx;
  }

  get size(): number {
    return this.#clients.size;
  }

  add(client: NewsListener): void {
    this.#clients.add(client);
    this.#stop ??= this.#ctx.hub.listen((event) => {
      for (const publication of publicationsOf(event, this.#ctx.suite.sha256)) {
        const news = new News(publication);
        for (const each of [...this.#clients]) each.onNews(news);
      }
    });
  }

  remove(client: NewsListener): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}

const known = new WeakMap<RpcContext, CometFeed>();

/** One feed a node. */
export function cometFeed(ctx: RpcContext): CometFeed {
  const found = known.get(ctx) ?? new CometFeed(ctx);
  known.set(ctx, found);
  return found;
}
