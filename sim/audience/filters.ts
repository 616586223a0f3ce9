import type { EthBlock } from '../../core/app/chain.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { eth } from '../checkers/questions.ts';
import { quantity } from '../clients/answers/answers.ts';
import { LIMITS, type Stage } from './stage.ts';

const KINDS = ['eth_newBlockFilter', 'eth_newFilter', 'eth_newPendingTransactionFilter'] as const;
type Kind = (typeof KINDS)[number];

interface Filter {
  readonly kind: Kind;
  readonly to: number;
  /** The next block that it reports. */
  next: number;
  pending: string[];
  /** When it is removed unless it is polled before. */
  ends: number;
}

/** All logs of a block, named by transaction hash and log index. */
export const logsOf = ({ receipts, transactions }: EthBlock): readonly string[] =>
  receipts.flatMap(({ logs }, i) =>
    logs.map(
      ({ logIndex }) => `${to0xHex(transactions[i]?.hash ?? new Uint8Array(0))}/${quantity(logIndex)}`,
    ),
  );

/**
 * Filters are made, polled, left alone and removed at random. Each reports what came since the last poll, and lives as
 * long as it is polled.
 */
export class Filters {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #filters = new Map<string, Filter>();

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
  }

  onPending(hash: string): void {
    for (const filter of this.#filters.values()) filter.pending.push(hash);
  }

  /** A random action, and what is wrong with the answer. */
  async turn(): Promise<string | undefined> {
    const ids = [...this.#filters.keys()];
    const id = ids[this.#choose(Math.max(1, ids.length))] ?? '0x1';
    const what = this.#choose(12);
    if (what < 3) this.#stage.now += Math.floor(LIMITS.filterMs * (what === 0 ? 1_100 : 400));
    else if (what < 6) return this.#make();
    else if (what < 10) return this.#poll(id);
    else if (what < 11) return this.#search(id);
    else return this.#takeAway(id);
    return undefined;
  }

  #alive(id: string): Filter | undefined {
    const filter = this.#filters.get(id);
    return filter !== undefined && filter.ends >= this.#stage.now ? filter : undefined;
  }

  get #ends(): number {
    return this.#stage.now + LIMITS.filterMs * 1_000;
  }

  async #make(): Promise<string | undefined> {
    const kind = KINDS[this.#choose(KINDS.length)] as Kind;
    const { ctx, head } = this.#stage;
    const to = kind === 'eth_newFilter' && this.#choose(2) === 0 ? head + 1 + this.#choose(3) : undefined;
    const bounded = to === undefined ? {} : { fromBlock: quantity(head + 1), toBlock: quantity(to) };
    const id = await eth(ctx, kind, kind === 'eth_newFilter' ? [bounded] : []);
    const count = [...this.#filters.keys()].filter((one) => this.#alive(one) !== undefined).length;
    if ((typeof id === 'string') !== count < LIMITS.filters)
      return `with ${count} filters of ${LIMITS.filters} one more is ${typeof id === 'string' ? '' : 'not '}made`;
    if (typeof id === 'string')
      this.#filters.set(id, {
        kind,
        to: to ?? Number.POSITIVE_INFINITY,
        next: head + 1,
        pending: [],
        ends: this.#ends,
      });
    return undefined;
  }

  async #poll(id: string): Promise<string | undefined> {
    const told = await eth(this.#stage.ctx, 'eth_getFilterChanges', [id]);
    const filter = this.#alive(id);
    if (filter === undefined || !Array.isArray(told)) return this.#missing(id, Array.isArray(told));
    const { due, next } = this.#dueOf(filter);
    const texts = told.map((one: string | Log) =>
      typeof one === 'string' ? one : `${one.transactionHash}/${one.logIndex}`,
    );
    filter.next = next;
    filter.pending = [];
    filter.ends = this.#ends;
    const [is, should] = [texts.join(), due.join()];
    return is === should
      ? undefined
      : `filter ${id} tells ${is || 'nothing'}, it should be ${should || 'nothing'}`;
  }

  /**
   * What the filter must report, and the block to go on with. A log filter stops after the block with which an answer
   * is full.
   */
  #dueOf({ kind, next, to, pending }: Filter): { readonly due: readonly string[]; readonly next: number } {
    if (kind === 'eth_newPendingTransactionFilter') return { due: pending, next };
    const last = Math.min(this.#stage.head, to);
    const most = kind === 'eth_newFilter' ? LIMITS.logs : Number.POSITIVE_INFINITY;
    const due: string[] = [];
    let at = next;
    for (; at <= last && due.length < most; at++) {
      const block = this.#stage.ethBlock(at);
      due.push(...(kind === 'eth_newFilter' ? logsOf(block) : [to0xHex(block.hash)]));
    }
    return { due, next: at };
  }

  /** eth_getFilterLogs works for log filters only, and does not extend a filter's life. */
  async #search(id: string): Promise<string | undefined> {
    const isSearch = this.#alive(id)?.kind === 'eth_newFilter';
    const told = await eth(this.#stage.ctx, 'eth_getFilterLogs', [id]);
    return Array.isArray(told) && !isSearch
      ? `filter ${id} is searched with, and is none of logs`
      : undefined;
  }

  async #takeAway(id: string): Promise<string | undefined> {
    const told = await eth(this.#stage.ctx, 'eth_uninstallFilter', [id]);
    const problem =
      (told === true) === (this.#alive(id) !== undefined) ? undefined : this.#missing(id, told === true);
    this.#filters.delete(id);
    return problem;
  }

  #missing(id: string, isKnown: boolean): string | undefined {
    const isAlive = this.#alive(id) !== undefined;
    if (isAlive === isKnown) return undefined;
    return isAlive ? `filter ${id} is forgotten before its time` : `filter ${id} is still there`;
  }
}

interface Log {
  readonly transactionHash: string;
  readonly logIndex: string;
}
