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
  /** Every event carries the id of the request that subscribed. */
  readonly id: IdText;
  readonly query: Query;
  /** The query as it was sent. */
  readonly text: string;
  /** Extension: history from this height on comes first, and events tell their position. */
  readonly fromHeight: Height | undefined;
  /** The outbox is full; the event of this height was the first one lost. */
  readonly onFull: (height: Height) => void;
  /** The height asked for is no longer there. */
  readonly onGap: (height: Height, base: Height) => void;
}

/** One query of one client: live events, and on request those of the past before them, without gap or double. */
export class CometSubscription implements NewsListener {
  readonly #parts: SubscriptionParts;
  readonly #opening: string;
  /** Lowest height that is still to be told; everything below has been. */
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

  /** Where it goes on when everything from `lost` on was lost: no higher, and no higher than its past was told. */
  resumeFrom(lost: Height): Height {
    return this.#isLive ? lost : Math.min(lost, this.#next);
  }

  /** The last word to the subscriber. */
  errorText(reason: string): string {
    return errorText(this.#parts.id, CODES.server, `subscription was canceled (reason: ${reason})`);
  }

  onNews(batch: NewsBatch): void {
    // While the past is being told, the present will become part of it.
    if (this.#ended || !this.#isLive || (batch.height !== undefined && batch.height < this.#next)) return;
    this.#tell(batch);
  }

  /** Tells the past and goes over to live events. Ends early when the subscription does. */
  async replay(): Promise<void> {
    const { ctx, outbox, query } = this.#parts;
    const search = ctx.indexing?.kind === 'kv' ? ctx.indexing.search : undefined;
    const history = new History(anchorOf(query), search);
    while (!this.#ended) {
      await outbox.room();
      await ctx.pause?.();
      if (this.#ended) return;
      // Blocks up to the head are readable before they are told: nothing falls between the last look and going live.
      const head = ctx.chain.head();
      if (this.#next > head) {
        this.#isLive = true;
        return;
      }
      const height = await history.next(this.#next, head);
      if (this.#ended) return;
      const base = ctx.chain.base();
      // What is pruned is no longer in the index either.
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
