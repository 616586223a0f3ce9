/** A search with an end goes on for this many blocks. It begins in the past, of which nothing is told. */
export const BOUND = 3;

export type FilterKind = 'blocks' | 'logs' | 'pending' | 'topical' | 'bounded';

/** All that a watcher was told while its node lived once. */
export class Watch {
  readonly life: number;
  /** Head when it began: everything after it is to be told. */
  readonly start: number;
  /** Head when it last polled. */
  polled: number;
  readonly filters = new Map<FilterKind, string>();
  readonly polledBlocks: string[] = [];
  readonly polledLogs: string[] = [];
  /** Logs with a topic, from a filter and from a subscription. */
  readonly polledTopical: string[] = [];
  readonly topical: string[] = [];
  /** Logs up to the end of a search that has one. */
  readonly polledBounded: string[] = [];
  readonly bounded: string[] = [];
  readonly polledPending: string[] = [];
  readonly heads: string[] = [];
  readonly logs: string[] = [];
  readonly receipts: string[] = [];
  readonly pending: string[] = [];
  /** Transactions that the node announced as pending since the watch began. */
  readonly published: string[] = [];
  /** How many of those it must have heard by the next poll. A node writes to its clients in turns. */
  due = 0;
  /** Transactions that were in the pool before the watch began. */
  readonly pooled = new Set<string>();
  /**
   * Transactions that were pending at the last look and had not been announced, and since when: announcements wait for
   * records on their way to the disk.
   */
  untold: ReadonlyMap<string, number> = new Map();

  constructor(life: number, start: number) {
    this.life = life;
    this.start = start;
    this.polled = start;
  }
}
