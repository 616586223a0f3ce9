import { committedPublications } from '../../events/eventModel.ts';
import { anchorOf, History } from '../../events/index/history.ts';
import type { Query } from '../../events/query/query.ts';
import { present } from '../../lib/assert.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { goJson } from '../jsonText.ts';
import type { Outbox } from '../outbox.ts';
import { CODES } from '../rpcError.ts';
import { errorText, type IdText } from './envelope.ts';
import { News, NewsBatch, type NewsListener } from './feed.ts';

export interface SubscriptionParts {
  readonly ctx: RpcContext;
  readonly outbox: Outbox;
  /** Id of the subscribe request; every event carries it. */
  readonly id: IdText;
  readonly query: Query;
  /** The query exactly as the client sent it. */
  readonly text: string;
  /** Extension: past events from this height on come first, and events state their position. */
  readonly fromHeight: Height | undefined;
  /** Called when the outbox is full. The event of this height was the first one lost. */
  readonly onFull: (height: Height) => void;
  /** Called when the requested height has been pruned. */
  readonly onGap: (height: Height, base: Height) => void;
}

/** One query of one client: live events and, on request, past events before them, without gaps or duplicates. */
export class CometSubscription implements NewsListener {
  readonly #parts: SubscriptionParts;
  readonly #opening: string;
  /** Lowest height whose events are still to be sent; all below have been sent. */
  #next: Height;
  #isLive: boolean;
  #ended = false;

  constructor(parts: SubscriptionParts) {
    const { id, text, fromHeight } = parts;
    this.#parts = parts;
    const start = id === undefined ? '{"jsonrpc":"2.0",' : `{"jsonrpc":"2.0","id":${id},`;
    this.#opening = `${start}"result":{"query":${goJson(text)},`;
    this.#next = fromHeight ?? 0;
    this.#isLive = fromHeight === undefined;
  }

  get query(): Query {
    return this.#parts.query;
  }

  end(): void {
    this.#ended = true;
  }

  /**
   * Where the client can resume if all events from `lost` on were lost: at most there, and at most where the replay
   * stands.
   */
  resumeFrom(lost: Height): Height {
    return this.#isLive ? lost : Math.min(lost, this.#next);
  }

  /** The final error message to the subscriber. */
  errorText(reason: string): string {
    return errorText(this.#parts.id, CODES.server, `subscription was canceled (reason: ${reason})`);
  }

  onNews(batch: NewsBatch): void {
    // During the replay, live events are skipped: the replay will reach their heights.
    if (this.#ended || !this.#isLive || (batch.height !== undefined && batch.height < this.#next)) return;
    this.#tell(batch);
  }

  /** Sends past events, then switches to live events. Ends early if the subscription ends. */
  async replay(): Promise<void> {
    const { ctx, outbox, query } = this.#parts;
    const search = ctx.indexing?.kind === 'kv' ? ctx.indexing.search : undefined;
    const history = new History(anchorOf(query), search);
    while (!this.#ended) {
      await outbox.room();
      await ctx.pause?.();
      if (this.#ended) return;
      // A block is readable before its events are published, so no event is lost between this check and the switch to
      // live.
      const head = ctx.chain.head();
      if (this.#next > head) {
        this.#isLive = true;
        return;
      }
      const height = await history.next(this.#next, head);
      if (this.#ended) return;
      const base = ctx.chain.base();
      // Pruned heights are gone from the index as well.
      if (this.#next < base) return this.#parts.onGap(this.#next, base);
      this.#next = (height ?? head) + 1;
      if (height !== undefined) this.#tellHeight(height);
    }
  }

  #tellHeight(height: Height): void {
    const { chain, suite } = this.#parts.ctx;
    const block = present(chain.block(height), 'a kept block');
    const { blockId } = present(chain.blockMeta(height), 'the meta of a kept block');
    const results = present(chain.results(height), 'the results of a kept block');
    const news = [...committedPublications({ block, blockId, results }, suite.sha256)]
      .map((publication) => new News(publication))
      .filter((one) => one.matches(this.query));
    if (news.length > 0) this.#tell(new NewsBatch(news));
  }

  #tell(batch: NewsBatch): void {
    const { ctx, outbox, fromHeight } = this.#parts;
    const height = batch.height ?? ctx.chain.head() + 1;
    const texts = batch.texts(fromHeight !== undefined);
    if (!outbox.pushShared(this.#opening, texts, height)) this.#parts.onFull(height);
  }
}
