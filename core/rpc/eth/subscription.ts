import { History } from '../../events/index/history.ts';
import { assert, unreachable } from '../../lib/assert.ts';
import { equalBytes } from '../../lib/bytes.ts';
import { USUAL_SIZES } from '../../lib/sizes.ts';
import type { Hash, Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { heightAfter } from '../heightSteps.ts';
import type { Outbox } from '../outbox.ts';
import { serverError } from '../rpcError.ts';
import { type BlockId, headNumber, heightOf } from './blockId.ts';
import type { CriteriaRoom } from './criteriaRoom.ts';
import { HeadNews, type PendingNews } from './feed.ts';
import { LogMatcher } from './logMatcher.ts';
import { liveRange } from './logSearch.ts';
import type { SubscriptionRequest } from './method.ts';

type Live =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly matcher: LogMatcher; readonly to: Height | undefined }
  /** An empty list means all transactions. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: readonly Hash[] }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  | { readonly kind: 'syncing'; last: boolean };

/** Maximum notifications held for a subscription until the response to its request is sent. */
const HELD_MAX = 1024;
/** Bytes of past events sent without a pause: well under a millisecond of work. */
const PAST_BYTES_PER_PAUSE = 64 * 1024;
/** Cost of reading a past block, and of each of its transactions, expressed as bytes sent. */
const BLOCK_BYTES = 4096;
const TX_BYTES = 512;

/** What a session requires of a subscription. */
export interface Subscription {
  end(): void;
  /** Called when the response with the subscription id has been sent. */
  release(): Promise<void>;
  onHead(news: HeadNews): void;
  onPendingTx(news: PendingNews): void;
  /** Lowest past height whose events are still to be sent; Infinity if there is none. */
  readonly untold: number;
}

export interface SubscriptionParts {
  readonly ctx: RpcContext;
  readonly outbox: Outbox;
  readonly id: string;
  /** Called when the client is too far behind. The notification of this height was the first one lost. */
  readonly onFull: (height: Height) => void;
  /** Called when the requested past blocks are being pruned. */
  readonly onGap: (height: Height) => void;
}

export interface EthSubscriptionParts extends SubscriptionParts {
  readonly request: Exclude<SubscriptionRequest, { kind: 'traceChain' }>;
  readonly criteriaRoom: CriteriaRoom;
}

/** One subscription of an EVM websocket. Blocks arrive in order and once each, past blocks as well as new ones. */
export class EthSubscription implements Subscription {
  readonly #parts: EthSubscriptionParts;
  readonly #live: Live;
  /** Lowest height whose events are still to be sent. */
  #next: Height;
  /** False until the response is sent and the past up to the head is delivered. */
  #isLive = false;
  #held: string[] | undefined = [];
  #ended = false;

  /** Throws if the request cannot be served. */
  constructor(parts: EthSubscriptionParts) {
    const { ctx, request } = parts;
    this.#parts = parts;
    this.#live = liveOf(ctx, request);
    const range = request.kind === 'logs' ? liveRange(ctx, request.filter) : undefined;
    const past = 'fromBlock' in request ? request.fromBlock : undefined;
    this.#next =
      past === undefined ? (range?.from ?? heightAfter(ctx.chain, ctx.chain.head())) : startOf(ctx, past);
    if (this.#live.kind === 'logs') parts.criteriaRoom.take(this.#live.matcher.criteria);
  }

  end(): void {
    if (!this.#ended && this.#live.kind === 'logs')
      this.#parts.criteriaRoom.give(this.#live.matcher.criteria);
    this.#ended = true;
  }

  get untold(): number {
    return this.#isLive ? Number.POSITIVE_INFINITY : this.#next;
  }

  /** Called when the response with the id has been sent. Delivers the past up to the head, then follows the head. */
  async release(): Promise<void> {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const result of held) this.#notify(result, this.#parts.ctx.chain.head());
    const { ctx, outbox } = this.#parts;
    const history = this.#history();
    const toldMax = (ctx.sizes ?? USUAL_SIZES).bytesAtOnce(PAST_BYTES_PER_PAUSE);
    let told = 0;
    while (!this.#ended) {
      if (!outbox.hasRoom) await outbox.room();
      if (told >= toldMax) {
        await ctx.pause?.();
        told = 0;
      }
      if (this.#ended) return;
      const head = ctx.chain.head();
      if (this.#next > head) {
        this.#isLive = true;
        return;
      }
      const height = await history?.next(this.#next, head);
      if (this.#ended) return;
      if (history === undefined) told += this.#tellPast(this.#next);
      // Pruned heights are gone from the index as well.
      else if (this.#next > 0 && this.#next < ctx.chain.base()) this.#parts.onGap(this.#next);
      else if (height === undefined) this.#next = head + 1;
      else told += this.#tellPast(height);
    }
  }

  /** Only EVM transactions have logs, so heights without any need not be read. */
  #history(): History | undefined {
    const { indexing } = this.#parts.ctx;
    if (this.#live.kind !== 'logs' || indexing?.kind !== 'kv') return undefined;
    return new History({ tag: 'message.module', value: 'evm' }, indexing.search);
  }

  onHead(news: HeadNews): void {
    if (this.#live.kind === 'syncing') {
      for (const result of this.#syncingChange(this.#live)) this.#notify(result, news.height);
      return;
    }
    // Skips blocks that are committed during the replay: the replay will reach them.
    if (this.#isLive && news.height >= this.#next) this.#tellHead(news);
  }

  onPendingTx(news: PendingNews): void {
    if (this.#live.kind !== 'newPendingTransactions') return;
    const shown = this.#live.full ? news.bodyText() : news.hashText;
    if (shown !== null) this.#notify(shown, this.#parts.ctx.chain.head());
  }

  /** Returns the cost, expressed as bytes. */
  #tellPast(height: Height): number {
    const block = this.#parts.ctx.chain.ethBlock(height);
    if (block === undefined) {
      this.#parts.onGap(height);
      return 0;
    }
    return BLOCK_BYTES + TX_BYTES * block.transactions.length + this.#tellHead(new HeadNews(block));
  }

  /** Returns the length of the texts sent. */
  #tellHead(news: HeadNews): number {
    this.#next = heightAfter(this.#parts.ctx.chain, news.height);
    let told = 0;
    for (const result of this.#resultsOf(news)) {
      if (this.#ended) break;
      told += result.length;
      this.#notify(result, news.height);
    }
    return told;
  }

  #resultsOf(news: HeadNews): readonly string[] {
    const live = this.#live;
    switch (live.kind) {
      case 'newHeads':
        return [news.headerText()];
      case 'logs':
        return news.height <= (live.to ?? news.height) ? news.logTexts(live.matcher) : [];
      case 'transactionReceipts': {
        const texts = news.block.transactions.flatMap(({ hash }, i) =>
          live.hashes.length === 0 || live.hashes.some((wanted) => equalBytes(wanted, hash))
            ? [news.receiptText(i)]
            : [],
        );
        return texts.length === 0 ? [] : [`[${texts.join(',')}]`];
      }
      case 'newPendingTransactions':
      case 'syncing':
        return [];
      default:
        return unreachable(live);
    }
  }

  #syncingChange(live: Extract<Live, { kind: 'syncing' }>): readonly string[] {
    const { ctx } = this.#parts;
    const now = ctx.catchingUp();
    if (now === live.last) return [];
    live.last = now;
    if (!now) return ['false'];
    const head = `0x${ctx.chain.head().toString(16)}`;
    const status = { startingBlock: head, currentBlock: head, highestBlock: head };
    return [JSON.stringify({ syncing: true, status })];
  }

  #notify(result: string, height: Height): void {
    const { id, outbox, onFull } = this.#parts;
    if (this.#ended) return;
    if (this.#held !== undefined) {
      if (this.#held.length < HELD_MAX) this.#held.push(result);
      else onFull(height);
      return;
    }
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`;
    if (!outbox.push(text, height)) onFull(height);
  }
}

function liveOf(ctx: RpcContext, request: EthSubscriptionParts['request']): Live {
  switch (request.kind) {
    case 'newHeads':
      return { kind: 'newHeads' };
    case 'logs': {
      const { to } = liveRange(ctx, request.filter);
      return { kind: 'logs', matcher: new LogMatcher(request.filter, ctx.suite.keccak256), to };
    }
    case 'transactionReceipts':
      return { kind: 'transactionReceipts', hashes: request.hashes };
    case 'newPendingTransactions':
      return { kind: 'newPendingTransactions', full: request.full };
    case 'syncing':
      return { kind: 'syncing', last: ctx.catchingUp() };
    default:
      return unreachable(request);
  }
}

/** A pruned height is an error, never a silent gap. For a future height the subscription waits. */
function startOf({ chain }: RpcContext, from: BlockId): Height {
  assert(from.kind !== 'hash', 'a block number or tag');
  const next = heightAfter(chain, chain.head());
  if (from.kind === 'tag' && from.tag !== 'earliest') return next;
  // Before the first block, every number above genesis is in the future, and the first height may be high.
  if (from.kind === 'number' && from.number > BigInt(headNumber(chain)))
    return Math.max(Number(from.number), next);
  const height = heightOf(chain, from) ?? 0;
  if (chain.ethBlock(height) === undefined)
    throw serverError(`block ${height} is not available, lowest is ${chain.base()}`);
  return height;
}
