import { append } from '../lib/append.ts';
import type { Bytes } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { PeerId } from '../types/ids.ts';

export interface RelayTx {
  readonly bytes: Bytes;
  /** Lower-case hex of sha256(bytes). */
  readonly key: string;
  /** Position in the order of arrival in the pool. */
  readonly sequence: number;
}

/** Limits of one turn to one peer: the send queue is short, and other messages need it too. */
const TURN_TXS_MAX = 256;
const TURN_BYTES_MAX = 512 * 1024;
/** Ticks that the rest of a turn waits for the next one. */
const REMAINDER_TICKS = 2;

/** The transactions that wait to be sent to one peer: pooled now or until recently, and bounded in number. */
export class RelayLine {
  readonly peer: PeerId;
  /** Ticks until our clients' transactions may be sent again. */
  quietTicks = 0;
  /** Rest turns left until the peer is tried again. */
  restTurns = 0;
  readonly #isWanted: (tx: RelayTx) => boolean;
  readonly #waitingMax: number;
  readonly #turnTxsMax: number;
  readonly #turnBytesMax: number;
  #own: RelayTx[] = [];
  #heard: RelayTx[] = [];
  #heardTicks = 0;
  #isMixed = false;

  constructor(
    peer: PeerId,
    isWanted: (tx: RelayTx) => boolean,
    waitingMax: number,
    sizes: Sizes = USUAL_SIZES,
  ) {
    this.peer = peer;
    this.#isWanted = isWanted;
    this.#waitingMax = waitingMax;
    this.#turnTxsMax = sizes.atOnce(TURN_TXS_MAX);
    this.#turnBytesMax = sizes.bytesAtOnce(TURN_BYTES_MAX);
  }

  get size(): number {
    return this.#own.length + this.#heard.length;
  }

  get isDue(): boolean {
    return this.restTurns === 0 && (this.#isOwnDue || this.#isHeardDue);
  }

  get #isOwnDue(): boolean {
    return this.#own.length > 0 && this.quietTicks === 0;
  }

  get #isHeardDue(): boolean {
    return this.#heard.length > 0 && this.#heardTicks === 0;
  }

  /** Ticks until something becomes due by itself; the largest integer if nothing does, or if the line rests. */
  get nextTicks(): number {
    if (this.restTurns > 0) return Number.MAX_SAFE_INTEGER;
    const own = this.#own.length > 0 || this.quietTicks > 0 ? Math.max(1, this.quietTicks) : undefined;
    const heard = this.#heard.length > 0 ? Math.max(1, this.#heardTicks) : undefined;
    return Math.min(own ?? Number.MAX_SAFE_INTEGER, heard ?? Number.MAX_SAFE_INTEGER);
  }

  /** Adds a transaction from a client of this node. */
  addOwn(tx: RelayTx): void {
    this.#own.push(tx);
    this.#bound();
  }

  /** Adds a transaction from another peer. If no such one waits yet, `ticks` is how long it waits. */
  addHeard(tx: RelayTx, ticks: number): void {
    if (this.#heard.length === 0) this.#heardTicks = ticks;
    this.#heard.push(tx);
    this.#bound();
  }

  /** Puts back transactions that could not be sent. */
  takeBack(txs: readonly RelayTx[]): void {
    append(this.#heard, txs);
    this.#isMixed = true;
    this.#bound();
  }

  pass(ticks: number): void {
    this.quietTicks = Math.max(0, this.quietTicks - ticks);
    this.#heardTicks = Math.max(0, this.#heardTicks - ticks);
  }

  /** Takes what may be sent now, in order of arrival. The rest keeps waiting. */
  take(isKnown: (tx: RelayTx) => boolean): readonly RelayTx[] {
    const taken: RelayTx[] = [];
    let bytes = 0;
    const from = (queue: readonly RelayTx[]): RelayTx[] => {
      for (const [i, tx] of queue.entries()) {
        if (!this.#isWanted(tx) || isKnown(tx)) continue;
        const isFull = taken.length > 0 && bytes + tx.bytes.length > this.#turnBytesMax;
        if (isFull || taken.length >= this.#turnTxsMax) return queue.slice(i);
        taken.push(tx);
        bytes += tx.bytes.length;
      }
      return [];
    };
    // If both kinds are due, they are merged: with full turns, the kind served second would wait forever.
    if (this.#isMixed || (this.#isHeardDue && this.#own.length > 0)) this.#sort();
    if (this.#isHeardDue) {
      this.#heard = from(this.#heard);
      this.#heardTicks = REMAINDER_TICKS;
    }
    if (this.#isOwnDue) this.#own = from(this.#own);
    return taken;
  }

  /** Merges both queues and what came back in order of arrival: a sender's transactions must go in nonce order. */
  #sort(): void {
    this.#isMixed = false;
    const sorted = [...this.#heard, ...this.#own].sort((a, b) => a.sequence - b.sequence);
    this.#heard = sorted.filter((tx, i) => tx !== sorted[i - 1]);
    this.#own = [];
  }

  /** If the line is too long, drops transactions that are no longer pooled. The rest is no more than the pool. */
  #bound(): void {
    if (this.size <= this.#waitingMax) return;
    if (this.#isMixed) this.#sort();
    this.#own = this.#own.filter(this.#isWanted);
    this.#heard = this.#heard.filter(this.#isWanted);
  }
}
