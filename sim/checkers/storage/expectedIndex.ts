/** What the event index of a chain must contain and find, worked out from its blocks; for eventIndex.ts. */
import type { ChainReader } from '../../../core/app/chain.ts';
import { type Fields, shownLogs } from '../../clients/answers/answers.ts';
import { attributesOf, EventsByTag, type IndexedEvent, indexed, spelled } from './eventQueries.ts';

/** First bytes of the index's keys: events of transactions, events of blocks, and logs. */
export const PREFIXES = ['Q', 'W', 'L'] as const;

export const topicsOf = (log: Fields): readonly string[] => log['topics'] as readonly string[];

/** What follows from the events of a chain. Each item is worked out when it is first asked for. */
export class ExpectedIndex {
  readonly #chain: ChainReader;
  #logs: readonly Fields[] | undefined;
  #events: readonly IndexedEvent[] | undefined;
  #tagged: EventsByTag | undefined;
  #attributes: ReturnType<typeof attributesOf> | undefined;
  #counts: Readonly<Record<(typeof PREFIXES)[number], number>> | undefined;

  constructor(chain: ChainReader) {
    this.#chain = chain;
  }

  /** Logs of all stored blocks, as JSON-RPC shows them. */
  get logs(): readonly Fields[] {
    this.#logs ??= logsOf(this.#chain);
    return this.#logs;
  }

  get #all(): readonly IndexedEvent[] {
    this.#events ??= indexed(this.#chain);
    return this.#events;
  }

  get tagged(): EventsByTag {
    this.#tagged ??= new EventsByTag(this.#all);
    return this.#tagged;
  }

  /** Each attribute that a query can quote. */
  get attributes(): ReturnType<typeof attributesOf> {
    this.#attributes ??= attributesOf(this.#all);
    return this.#attributes;
  }

  /**
   * Numbers of index entries: one for each value that an event has at a height; for logs, one for each height and each
   * address or topic position there.
   */
  get counts(): Readonly<Record<(typeof PREFIXES)[number], number>> {
    this.#counts ??= countsOf(this.#all, this.logs);
    return this.#counts;
  }
}

function countsOf(
  events: readonly IndexedEvent[],
  logs: readonly Fields[],
): Readonly<Record<(typeof PREFIXES)[number], number>> {
  const wanted = { Q: new Set<string>(), W: new Set<string>(), L: new Set<string>() };
  for (const { kind, height, attributes } of events)
    for (const [tag, value] of attributes)
      wanted[kind === 'tx' ? 'Q' : 'W'].add(`${height} ${tag} ${spelled(value)}`);
  for (const log of logs) {
    const height = log['blockNumber'];
    wanted.L.add(`${height}`).add(`${height} ${log['address']}`);
    for (const [i, topic] of topicsOf(log).entries()) wanted.L.add(`${height} ${i} ${topic}`);
  }
  return { Q: wanted.Q.size, W: wanted.W.size, L: wanted.L.size };
}

function logsOf(chain: ChainReader): readonly Fields[] {
  const logs: Fields[] = [];
  for (let height = chain.base(); height <= chain.head(); height++) {
    const block = chain.ethBlock(height);
    if (block !== undefined) logs.push(...shownLogs(block).map(({ shown }) => shown));
  }
  return logs;
}

/** Keeps the truth of the last chain, and works it out once for all nodes that have the same blocks. */
export class ExpectedIndexes {
  #last: { readonly blocks: readonly unknown[]; readonly truth: ExpectedIndex } | undefined;

  /** Nodes with a common past share block objects (past.ts), so identity suffices. */
  of(chain: ChainReader): ExpectedIndex {
    const blocks: unknown[] = [chain.base()];
    for (let height = chain.base(); height <= chain.head(); height++)
      blocks.push(chain.results(height), chain.ethBlock(height));
    const last = this.#last;
    if (last?.blocks.length === blocks.length && last.blocks.every((one, i) => one === blocks[i]))
      return last.truth;
    const truth = new ExpectedIndex(chain);
    this.#last = { blocks, truth };
    return truth;
  }
}
