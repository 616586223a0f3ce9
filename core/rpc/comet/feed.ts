import { type Publication, publicationsOf } from '../../events/eventModel.ts';
import type { Query } from '../../events/query/query.ts';
import { type QueryGroup, SubscriptionIndex } from '../../events/subscriptions.ts';
import { USUAL_SIZES } from '../../lib/sizes.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import type { SharedTexts } from '../httpAnswer.ts';
import { publicationText } from './eventJson.ts';

/** A publication for subscribers, rendered at most once. */
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

/** Maximum transactions of a block in one batch. */
const BATCH_MAX = 32;

/** News of one height (or of none) for the subscribers of one query, delivered together. Each form is rendered once. */
export class NewsBatch {
  readonly height: Height | undefined;
  readonly #news: readonly News[];
  #plain: SharedTexts | undefined;
  #placed: SharedTexts | undefined;

  constructor(news: readonly News[]) {
    this.#news = news;
    this.height = news[0]?.publication.position?.height;
  }

  /** The shared part of the messages, after the subscriber's own part. `isPlaced` adds the position of each event. */
  texts(isPlaced: boolean): SharedTexts {
    if (!isPlaced) {
      this.#plain ??= sharedTexts(this.#news.map((news) => `${news.text()}}}`));
      return this.#plain;
    }
    this.#placed ??= sharedTexts(this.#news.map((news) => `${news.text()}${placeText(news)}}}`));
    return this.#placed;
  }
}

const sharedTexts = (texts: readonly string[]): SharedTexts => ({
  texts,
  length: texts.reduce((sum, { length }) => sum + length, 0),
});

function placeText({ publication: { position } }: News): string {
  if (position === undefined) return '';
  const { height, txIndex, index } = position;
  return `,"position":{"height":"${height}","tx_index":${txIndex ?? null},"event_index":${index}}`;
}

/** One subscription; it receives all news that match its query. */
export interface NewsListener {
  onNews(batch: NewsBatch): void;
}

/**
 * The single listener on the node's hub for all websockets of the consensus RPC. It also counts subscribing clients.
 */
export class CometFeed {
  readonly #ctx: RpcContext;
  readonly #batchMax: number;
  readonly #clients = new Set<object>();
  readonly #index = new SubscriptionIndex<NewsListener>();
  #stop: (() => void) | undefined;

  constructor(ctx: RpcContext) {
    this.#ctx = ctx;
    this.#batchMax = (ctx.sizes ?? USUAL_SIZES).atOnce(BATCH_MAX);
  }

  /** Number of clients with subscriptions. */
  get size(): number {
    return this.#clients.size;
  }

  /** Number of different queries with subscribers. */
  get queries(): number {
    return this.#index.queryCount;
  }

  /** Counts a client; repeated calls count it once. */
  join(client: object): void {
    this.#clients.add(client);
  }

  leave(client: object): void {
    this.#clients.delete(client);
  }

  subscribe(query: Query, listener: NewsListener): void {
    this.#index.add(query, listener);
    this.#stop ??= this.#ctx.hub.listen((event) => {
      this.#tellAll(publicationsOf(event, this.#ctx.suite.sha256));
    });
  }

  unsubscribe(query: Query, listener: NewsListener): void {
    this.#index.remove(query, listener);
    if (this.#index.queryCount > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  /**
   * Keeps the order for each subscription. Batches the transactions of a block, so that more subscribers add little
   * cost.
   */
  #tellAll(publications: Iterable<Publication>): void {
    let run: Publication[] = [];
    for (const publication of publications) {
      const isTx = publication.data.kind === 'Tx';
      if (run.length > 0 && (!isTx || run.length >= this.#batchMax)) {
        this.#tell(run);
        run = [];
      }
      run.push(publication);
      if (isTx) continue;
      this.#tell(run);
      run = [];
    }
    this.#tell(run);
  }

  #tell(run: readonly Publication[]): void {
    const batches = new Map<QueryGroup<NewsListener>, News[]>();
    for (const publication of run) {
      const groups = this.#index.groupsMatching(publication.keys);
      if (groups.length === 0) continue;
      const news = new News(publication);
      for (const group of groups) {
        const batch = batches.get(group);
        if (batch === undefined) batches.set(group, [news]);
        else batch.push(news);
      }
    }
    for (const [{ subscribers }, news] of batches) {
      const batch = new NewsBatch(news);
      for (const subscriber of [...subscribers]) subscriber.onNews(batch);
    }
  }
}

const known = new WeakMap<RpcContext, CometFeed>();

/** The node's feed; there is one per node. */
export function cometFeed(ctx: RpcContext): CometFeed {
  const found = known.get(ctx) ?? new CometFeed(ctx);
  known.set(ctx, found);
  return found;
}
