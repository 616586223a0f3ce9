import type { Bytes } from '../lib/bytes.ts';
import type { TxResult } from '../types/result.ts';
import type { RpcLimits } from './context.ts';

/** An answer and its text must fit in memory, for some clients at once. */
const ANSWER_CHARS_MAX = 64 << 20;

export const answerCharsMax = (limits: RpcLimits): number => limits.answerCharsMax ?? ANSWER_CHARS_MAX;

const sizeOfResult = ({ data, log, events }: TxResult): number =>
  events.reduce(
    (sum, { attributes }) =>
      attributes.reduce((size, { key, value }) => size + key.length + value.length, sum),
    2 * data.length + log.length,
  );

/** Counts what is put on a page. One item alone always has room. */
export class PageRoom {
  readonly #charsMax: number;
  readonly #refuse: (text: string) => Error;
  #chars = 0;

  /** `refuse` makes the error for a page that is too long. */
  constructor(limits: RpcLimits, refuse: (text: string) => Error) {
    this.#charsMax = answerCharsMax(limits);
    this.#refuse = refuse;
  }

  addTx(tx: Bytes, result: TxResult): void {
    this.#add(2 * tx.length + sizeOfResult(result));
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
