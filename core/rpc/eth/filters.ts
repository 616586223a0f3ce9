import { to0xHex } from '../../lib/bytes.ts';
import { SteadyClock } from '../../lib/steadyClock.ts';
import type { Height, Micros } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { heightAfter } from '../heightSteps.ts';
import { serverError } from '../rpcError.ts';
import { CriteriaRoom } from './criteriaRoom.ts';
import { newId } from './ids.ts';
import type { LogFilter } from './logFilter.ts';
import { LogMatcher } from './logMatcher.ts';
import { FoundLogs, liveRange, searchLogs } from './logSearch.ts';
import { PendingHashes } from './pendingHashes.ts';
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
  | { readonly kind: 'pending'; readonly full: boolean; next: number };

interface Entry {
  readonly filter: Filter;
  readonly deadline: Micros;
}

/**
 * Maximum blocks per poll. A poll also stops once it has `logsMax` logs. The next poll continues there, so nothing is
 * skipped.
 */
const BLOCKS_PER_POLL_MAX = 10_000;

/**
 * Polling filters. Blocks and logs are read from the chain with a cursor, so a client misses nothing
 * and gets nothing twice, however rarely it polls. Only pending transactions, which the chain does not record, are
 * collected from the hub. Deadlines are checked when any filter is used: there is no timer, and nothing grows between
 * uses. The cost of a poll and of a pending transaction does not depend on the number of filters.
 */
export class EthFilters {
  readonly #ctx: RpcContext;
  readonly #steady = new SteadyClock();
  /** In order of last use, hence also of deadline. */
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new PendingHashes();
  readonly #criteriaRoom = new CriteriaRoom();
  #pendingFilters = 0;
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
    const id = this.#install({ kind: 'logs', filter, matcher, next: from, to });
    try {
      this.#criteriaRoom.take(filter);
    } catch (failure) {
      this.#entries.delete(id);
      throw failure;
    }
    return id;
  }

  installPending(full: boolean): string {
    const id = this.#install({ kind: 'pending', full, next: this.#pending.end });
    this.#pendingFilters++;
    this.#stopListening ??= this.#ctx.hub.listen((event) => {
      if (event.kind === 'pendingTx' && event.ethHash !== undefined) this.#pending.push(event.ethHash);
    });
    return id;
  }

  /** Returns everything since the last poll. */
  changes(id: string): readonly unknown[] {
    const filter = this.#find(id);
    this.#keep(id, filter);
    if (filter.kind === 'blocks') return this.#blockChanges(filter);
    if (filter.kind === 'logs') return this.#logChanges(filter);
    const hashes = this.#pending.from(filter.next);
    filter.next = this.#pending.end;
    return filter.full ? hashes.flatMap((hash) => shownTx(this.#ctx, hash) ?? []) : hashes.map(to0xHex);
  }

  /** Repeats the whole search of a log filter; does not extend its deadline. */
  async logs(id: string): Promise<readonly unknown[]> {
    const filter = this.#find(id);
    if (filter.kind !== 'logs') throw serverError('filter not found');
    return searchLogs(this.#ctx, filter.filter);
  }

  uninstall(id: string): boolean {
    const isThere = this.#look(id) !== undefined;
    this.#remove(id);
    return isThere;
  }

  /** Monotonic: otherwise a clock that is set back would keep abandoned filters alive. */
  #now(): Micros {
    return this.#steady.at(this.#ctx.now());
  }

  #install(filter: Filter): string {
    this.#expire();
    const { filtersMax } = this.#ctx.limits;
    if (this.#entries.size >= filtersMax)
      throw serverError(`error creating filter: max limit of ${filtersMax} reached`);
    const id = newId(this.#ctx);
    this.#keep(id, filter);
    return id;
  }

  /** Extends the deadline of a filter that was just used. */
  #keep(id: string, filter: Filter): void {
    this.#entries.delete(id);
    const deadline = this.#now() + this.#ctx.limits.filterTimeoutMs * 1000;
    this.#entries.set(id, { filter, deadline });
  }

  #find(id: string): Filter {
    const filter = this.#look(id);
    if (filter === undefined) throw serverError('filter not found');
    return filter;
  }

  /** Undefined when the filter has expired, or when more hashes wait for it than are kept. */
  #look(id: string): Filter | undefined {
    this.#expire();
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const { filter, deadline } = entry;
    const isLost = filter.kind === 'pending' && !this.#pending.has(filter.next);
    if (!isLost && deadline >= this.#now()) return filter;
    this.#remove(id);
    return undefined;
  }

  #expire(): void {
    const now = this.#now();
    for (const [id, { deadline }] of this.#entries) {
      if (deadline >= now) return;
      this.#remove(id);
    }
  }

  #remove(id: string): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    if (entry?.filter.kind === 'logs') this.#criteriaRoom.give(entry.filter.filter);
    if (entry?.filter.kind !== 'pending') return;
    this.#pendingFilters--;
    if (this.#pendingFilters > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
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
    const found = new FoundLogs(this.#ctx);
    // Only whole blocks, so a poll may exceed the limit. A refusal would repeat in every later poll.
    for (; filter.next <= last && found.list.length < logsMax && !found.isLong; filter.next++)
      found.add(filter.matcher.inHeight(this.#ctx, filter.next));
    return found.list;
  }
}
