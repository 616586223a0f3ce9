import type { EthBlock, EthLog } from '../../app/chain.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { Hash, Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { CriteriaRoom } from './criteriaRoom.ts';
import type { LogMatcher } from './logMatcher.ts';
import { headerJson, logJson, receiptJson } from './render.ts';
import { shownTx } from './transactions.ts';

/** A committed block for subscribers. Texts that several of them need are rendered once. */
export class HeadNews {
  readonly block: EthBlock;
  #header: string | undefined;
  readonly #logs = new Map<EthLog, string>();
  readonly #receipts: string[] = [];

  constructor(block: EthBlock) {
    this.block = block;
  }

  get height(): Height {
    return this.block.header.number;
  }

  /** JSON text of the header for newHeads. */
  headerText(): string {
    this.#header ??= JSON.stringify(headerJson(this.block.header, this.block.hash));
    return this.#header;
  }

  /** Matching logs in order of logIndex. */
  logTexts(matcher: LogMatcher): readonly string[] {
    if (!matcher.mayMatch(this.block.header.logsBloom)) return [];
    return this.block.receipts.flatMap(({ logs }, txIndex) =>
      logs.flatMap((log) => (matcher.matches(log) ? [this.#logText(txIndex, log)] : [])),
    );
  }

  /** JSON text of the receipt of a transaction. */
  receiptText(index: number): string {
    this.#receipts[index] ??= JSON.stringify(receiptJson(this.block, index));
    return this.#receipts[index] as string;
  }

  #logText(txIndex: number, log: EthLog): string {
    const known = this.#logs.get(log);
    if (known !== undefined) return known;
    const text = JSON.stringify(logJson(this.block, txIndex, log));
    this.#logs.set(log, text);
    return text;
  }
}

/** A transaction that entered the pool, for subscribers. Each text is rendered once. */
export class PendingNews {
  /** JSON text of the hash. */
  readonly hashText: string;
  readonly #ctx: RpcContext;
  readonly #hash: Hash;
  #body: string | null | undefined;

  constructor(ctx: RpcContext, hash: Hash) {
    this.hashText = `"${to0xHex(hash)}"`;
    this.#ctx = ctx;
    this.#hash = hash;
  }

  /** JSON text of the transaction; null if it is already gone. */
  bodyText(): string | null {
    if (this.#body === undefined) {
      const shown = shownTx(this.#ctx, this.#hash);
      this.#body = shown === null ? null : JSON.stringify(shown);
    }
    return this.#body;
  }
}

export interface FeedListener {
  onHead(news: HeadNews): void;
  onPendingTx(news: PendingNews): void;
}

/** The single listener on the node's hub for all websocket sessions; detached while there are none. */
export class EthFeed {
  readonly #ctx: RpcContext;
  readonly #listeners = new Set<FeedListener>();
  /** For the log subscriptions of all sessions. */
  readonly criteriaRoom = new CriteriaRoom();
  #stop: (() => void) | undefined;

  constructor(ctx: RpcContext) {
    this.#ctx = ctx;
  }

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: FeedListener): void {
    this.#listeners.add(listener);
    this.#stop ??= this.#ctx.hub.listen((event) => {
      if (event.kind === 'committed') this.#onCommitted(event.block.header.height);
      else if (event.kind === 'pendingTx' && event.ethHash !== undefined) {
        const news = new PendingNews(this.#ctx, event.ethHash);
        for (const each of [...this.#listeners]) each.onPendingTx(news);
      }
    });
  }

  remove(listener: FeedListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #onCommitted(height: Height): void {
    const block = this.#ctx.chain.ethBlock(height);
    if (block === undefined) return;
    const news = new HeadNews(block);
    for (const listener of [...this.#listeners]) listener.onHead(news);
  }
}
