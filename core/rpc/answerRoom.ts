import type { Bytes } from '../lib/bytes.ts';
import type { TxResult } from '../types/result.ts';
import type { RpcLimits } from './context.ts';

/** Characters of one answer: several answers and their texts must fit in memory at the same time. */
const ANSWER_CHARS_MAX = 64 << 20;

export const answerCharsMax = (limits: RpcLimits): number => limits.answerCharsMax ?? ANSWER_CHARS_MAX;

const sizeOfResult = ({ data, log, events }: TxResult): number =>
  events.reduce(
    (sum, { attributes }) =>
      attributes.reduce((size, { key, value }) => size + key.length + value.length, sum),
    2 * data.length + log.length,
  );

/** Bounds the size of a page of results. A single item always fits. */
export class PageRoom {
  readonly #charsMax: number;
  readonly #refuse: (text: string) => Error;
  #chars = 0;

  /** `refuse` makes the error for a page that is too large. */
  constructor(limits: RpcLimits, refuse: (text: string) => Error) {
    this.#charsMax = answerCharsMax(limits);
    this.#refuse = refuse;
  }

  addTx(tx: Bytes, result: TxResult): void {
    this.#add(2 * tx.length + sizeOfResult(result));
  }

  /** A transaction that was not executed. */
  addPooled(tx: Bytes): void {
    this.#add(2 * tx.length);
  }

  addBlock(txs: readonly Bytes[]): void {
    this.#add(txs.reduce((sum, tx) => sum + 2 * tx.length, 0));
  }

  #add(chars: number): void {
    if (this.#chars > 0 && this.#chars + chars > this.#charsMax)
      throw this.#refuse(`page of more than ${this.#charsMax} characters: ask for fewer at once`);
    this.#chars += chars;
  }
}
