import { serverError } from '../rpcError.ts';
import type { LogCriteria } from './logFilter.ts';

/** Addresses and topics that all log filters of a node may hold together, and likewise all its log subscriptions. */
const ALTERNATIVES_TOTAL_MAX = 250_000;

const sizeOf = ({ addresses, topics }: LogCriteria): number =>
  topics.reduce((sum, list) => sum + list.length, addresses.length);

/** Bounds the memory of criteria that stay: one request of a client may name thousands of addresses and topics. */
export class CriteriaRoom {
  readonly #max: number;
  #held = 0;

  constructor(max = ALTERNATIVES_TOTAL_MAX) {
    this.#max = max;
  }

  /** Throws if there is no room. Every `take` needs its `give`. */
  take(criteria: LogCriteria): void {
    const size = sizeOf(criteria);
    if (this.#held + size > this.#max)
      throw serverError(`max limit of ${this.#max} addresses and topics in all filters reached`);
    this.#held += size;
  }

  give(criteria: LogCriteria): void {
    this.#held -= sizeOf(criteria);
  }
}
