/** So many blocks a search that has an end goes on; it begins in the past, of which nothing is told. */
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
  /** Those with a topic, by a filter and by a subscription of their own. */
  readonly polledTopical: string[] = [];
  readonly topical: string[] = [];
  /** Those up to the end of a search that has one. */
  readonly polledBounded: string[] = [];
  readonly bounded: string[] = [];
  readonly polledPending: string[] = [];
  readonly heads: string[] = [];
  readonly logs: string[] = [];
  readonly receipts: string[] = [];
  readonly pending: string[] = [];
  /** What the node said is pending since somebody listened. */
  readonly published: string[] = [];
  /** How much of that it has heard by the next poll: a node writes to its clients in turns. */
  due = 0;
  /** What was in the pool before somebody listened. */
  readonly pooled = new Set<string>();
  /** What was pending when last looked at, and nobody had been told: what is told waits for records on their way to the drive. */
  untold: ReadonlySet<string> = new Set<string>();

  constructor(life: number, start: number) {
    this.life = life;
    this.start = start;
    this.polled = start;
  }
}
