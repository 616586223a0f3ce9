import { to0xHex } from '../../lib/bytes.ts';
import type { Hash, Height, Micros } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { heightAfter } from '../heightSteps.ts';
import { serverError } from '../rpcError.ts';
import { newId } from './ids.ts';
import type { LogFilter } from './logFilter.ts';
import { type LogJson, LogMatcher, liveRange, searchLogs } from './logSearch.ts';
import { shownTx } from './transactions.ts';

type Filter =
  | { readonly kind: 'blocks'; next: Height }
  | {
      readonly kind: 'logs';
      readonly filter: LogFilter;
      readonly matcher: LogMatcher;
      next: Height;
      readonly to: Height | undefined;
    }
  | { readonly kind: 'pending'; readonly full: boolean; hashes: Hash[] };

interface Entry {
  readonly filter: Filter;
  deadline: Micros;
}

/** One poll looks at no more blocks, and at none once it has `logsMax` logs; the rest waits for the next poll, nothing is skipped. */
const BLOCKS_PER_POLL_MAX = 10_000;
/** A pending filter that is not polled until this many hashes wait is dropped: `filter not found` beats a silent gap. */
const PENDING_HASHES_MAX = 32_768;

/**
 * Polling filters (reference §4.2). Blocks and logs are read from the chain by a cursor, so nothing can be missed or
 * doubled however long a poller sleeps; only pending transactions, which leave no trace, are collected from the hub.
 * Deadlines are looked at when any filter is used: no timer, no growth between uses.
 */
export class EthFilters {
  readonly #ctx: RpcContext;
  readonly #entries = new Map<string, Entry>();
  #stopListening: (() => void) | undefined;

  constructor(ctx: RpcContext) {
    this.#ctx = ctx;
  }

  installBlocks(): string {
    return this.#install({
      kind: 'blocks',
      next: heightAfter(this.#ctx.chain, this.#ctx.chain.latest().height),
    });
  }

  installLogs(filter: LogFilter): string {
    const { from, to } = liveRange(this.#ctx, filter);
    const matcher = new LogMatcher(filter, this.#ctx.suite.keccak256);
    return this.#install({ kind: 'logs', filter, matcher, next: from, to });
  }

  installPending(full: boolean): string {
    const id = this.#install({ kind: 'pending', full, hashes: [] });
    this.#stopListening ??= this.#ctx.hub.listen((event) => {
      if (event.kind === 'pendingTx' && event.ethHash !== undefined) this.#onPending(event.ethHash);
    });
    return id;
  }

  /** Everything since the last poll. */
  changes(id: string): readonly unknown[] {
    const entry = this.#find(id);
    entry.deadline = this.#nextDeadline();
    const { filter } = entry;
    if (filter.kind === 'blocks') return this.#blockChanges(filter);
    if (filter.kind === 'logs') return this.#logChanges(filter);
    const { hashes } = filter;
    filter.hashes = [];
    return filter.full ? hashes.flatMap((hash) => shownTx(this.#ctx, hash) ?? []) : hashes.map(to0xHex);
  }

  /** The whole search of a log filter again; does not move its deadline. */
  async logs(id: string): Promise<readonly unknown[]> {
    const { filter } = this.#find(id);
    if (filter.kind !== 'logs') throw serverError('filter not found');
    return searchLogs(this.#ctx, filter.filter);
  }

  uninstall(id: string): boolean {
    this.#expire();
    return this.#remove(id);
  }

  #install(filter: Filter): string {
    this.#expire();
    const { filtersMax } = this.#ctx.limits;
    if (this.#entries.size >= filtersMax)
      throw serverError(`error creating filter: max limit of ${filtersMax} reached`);
    const id = newId(this.#ctx);
    this.#entries.set(id, { filter, deadline: this.#nextDeadline() });
    return id;
  }

  #nextDeadline(): Micros {
    return this.#ctx.now() + this.#ctx.limits.filterTimeoutMs * 1000;
  }

  #find(id: string): Entry {
    this.#expire();
    const entry = this.#entries.get(id);
    if (entry === undefined) throw serverError('filter not found');
    return entry;
  }

  #expire(): void {
    const now = this.#ctx.now();
    for (const [id, entry] of this.#entries) if (entry.deadline < now) this.#remove(id);
  }

  #remove(id: string): boolean {
    const removed = this.#entries.delete(id);
    const pendingLeft = [...this.#entries.values()].some(({ filter }) => filter.kind === 'pending');
    if (!pendingLeft) {
      this.#stopListening?.();
      this.#stopListening = undefined;
    }
    return removed;
  }

  #blockChanges(filter: Extract<Filter, { kind: 'blocks' }>): readonly string[] {
    const last = Math.min(this.#ctx.chain.latest().height, filter.next + BLOCKS_PER_POLL_MAX - 1);
    const hashes: string[] = [];
    for (let height = filter.next; height <= last; height++) {
      const block = this.#ctx.chain.ethBlock(height);
      if (block !== undefined) hashes.push(to0xHex(block.hash));
    }
    filter.next = Math.max(filter.next, last + 1);
    return hashes;
  }

  #logChanges(filter: Extract<Filter, { kind: 'logs' }>): readonly unknown[] {
    const head = Math.min(this.#ctx.chain.latest().height, filter.to ?? Number.MAX_SAFE_INTEGER);
    const last = Math.min(head, filter.next + BLOCKS_PER_POLL_MAX - 1);
    const { logsMax } = this.#ctx.limits;
    const found: LogJson[] = [];
    // Whole blocks: one poll may go beyond the limit, for a refusal would be that of every later poll.
    for (; filter.next <= last && found.length < logsMax; filter.next++)
      found.push(...filter.matcher.inHeight(this.#ctx, filter.next));
    return found;
  }

  #onPending(hash: Hash): void {
    for (const [id, { filter }] of this.#entries) {
      if (filter.kind !== 'pending') continue;
      if (filter.hashes.length >= PENDING_HASHES_MAX) this.#remove(id);
      else filter.hashes.push(hash);
    }
  }
}
