import type { Input } from '../../core/node/contract.ts';

type Frame = Extract<Input, { kind: 'frame' }>;

/** Handed on in one turn of the event loop: each may cost the application a signature to recover. */
const TURN_MAX = 8;
/** What waits beyond these is lost; it stays in the pool of whoever sent it. */
const FRAMES_MAX = 4096;
const BYTES_MAX = 16 << 20;

/**
 * Transactions from peers, a few a turn, so that votes and parts pass them: checking a flood of transactions in the
 * order of arrival would hold up the blocks that are to take them in.
 */
export class PacedInputs {
  readonly #deliver: (frame: Frame) => void;
  #queue: Frame[] = [];
  #bytes = 0;
  #isDue = false;

  constructor(deliver: (frame: Frame) => void) {
    this.#deliver = deliver;
  }

  push(frame: Frame): void {
    if (this.#queue.length >= FRAMES_MAX || this.#bytes + frame.bytes.length > BYTES_MAX) return;
    this.#queue.push(frame);
    this.#bytes += frame.bytes.length;
    this.#arm();
  }

  #arm(): void {
    if (this.#isDue || this.#queue.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (const frame of this.#queue.splice(0, TURN_MAX)) {
        this.#bytes -= frame.bytes.length;
        this.#deliver(frame);
      }
      this.#arm();
    });
  }
}
