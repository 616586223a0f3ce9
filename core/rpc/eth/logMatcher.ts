import type { EthBlock } from '../../app/chain.ts';
import { type Bytes, equalBytes, toHex } from '../../lib/bytes.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import type { LogCriteria } from './logFilter.ts';
import { logJson } from './render.ts';

export type LogJson = ReturnType<typeof logJson>;

interface LogItems {
  readonly address: Bytes;
  readonly topics: readonly Bytes[];
}

const BLOOM_BYTES = 256;
const BITS_PER_ITEM = 3;
/** Longer lists are looked up by hash: a client may give thousands of alternatives, and every log is compared with them. */
const LINEAR_MAX = 8;

/** The alternatives at one position of a log, prepared for many comparisons. Without any, everything matches. */
class Alternatives {
  readonly #items: readonly Bytes[];
  readonly #keys: ReadonlySet<string> | undefined;
  /** Bit numbers that each item sets in a bloom. */
  readonly #bits: Uint16Array;

  constructor(items: readonly Bytes[], keccak256: (message: Bytes) => Bytes) {
    this.#items = items;
    this.#keys = items.length > LINEAR_MAX ? new Set(items.map(toHex)) : undefined;
    this.#bits = new Uint16Array(BITS_PER_ITEM * items.length);
    for (const [i, item] of items.entries()) {
      const hash = keccak256(item);
      for (let bit = 0; bit < BITS_PER_ITEM; bit++)
        this.#bits[BITS_PER_ITEM * i + bit] =
          (((hash[2 * bit] as number) << 8) | (hash[2 * bit + 1] as number)) & 0x7ff;
    }
  }

  get isAny(): boolean {
    return this.#items.length === 0;
  }

  has(item: Bytes): boolean {
    if (this.isAny) return true;
    return this.#keys?.has(toHex(item)) ?? this.#items.some((one) => equalBytes(one, item));
  }

  mayBeIn(bloom: Bytes): boolean {
    const isSet = (bit: number): boolean =>
      ((bloom[BLOOM_BYTES - 1 - (bit >>> 3)] as number) & (1 << (bit & 7))) !== 0;
    const bits = this.#bits;
    for (let at = 0; at < bits.length; at += BITS_PER_ITEM)
      if (isSet(bits[at] as number) && isSet(bits[at + 1] as number) && isSet(bits[at + 2] as number))
        return true;
    return this.isAny;
  }
}

/** Criteria prepared for comparison with many blocks and logs. */
export class LogMatcher {
  readonly criteria: LogCriteria;
  readonly #addresses: Alternatives;
  readonly #topics: readonly Alternatives[];

  constructor(criteria: LogCriteria, keccak256: (message: Bytes) => Bytes) {
    this.criteria = criteria;
    this.#addresses = new Alternatives(criteria.addresses, keccak256);
    this.#topics = criteria.topics.map((list) => new Alternatives(list, keccak256));
  }

  /** False proves that no log of a block with this bloom matches. */
  mayMatch(bloom: Bytes): boolean {
    return this.#addresses.mayBeIn(bloom) && this.#topics.every((topic) => topic.mayBeIn(bloom));
  }

  matches({ address, topics }: LogItems): boolean {
    if (this.#topics.length > topics.length || !this.#addresses.has(address)) return false;
    return this.#topics.every((wanted, i) => wanted.has(topics[i] as Bytes));
  }

  /** Matching logs of the block at a height; none if the block is not kept. */
  inHeight({ chain }: Pick<RpcContext, 'chain'>, height: Height): LogJson[] {
    const block = chain.ethBlock(height);
    return block === undefined ? [] : this.inBlock(block);
  }

  /** Matching logs of one block, in order of logIndex. */
  inBlock(block: EthBlock): LogJson[] {
    if (!this.mayMatch(block.header.logsBloom)) return [];
    const found: LogJson[] = [];
    for (const [txIndex, receipt] of block.receipts.entries()) {
      for (const log of receipt.logs) if (this.matches(log)) found.push(logJson(block, txIndex, log));
    }
    return found;
  }
}
