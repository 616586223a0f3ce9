import { present } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';

/** A transaction that the application is checking. */
export interface Check {
  readonly tx: Bytes;
  readonly hash: Bytes;
  readonly key: string;
  /** The submit call that waits for the result; undefined if a peer sent the transaction. */
  readonly call: number | undefined;
  readonly epoch: number;
}

/** The checks in progress, by call. */
export class Checks {
  readonly #byCall = new Map<number, Check>();
  #bytes = 0;

  get size(): number {
    return this.#byCall.size;
  }

  /** Total size of the transactions being checked. */
  get bytes(): number {
    return this.#bytes;
  }

  add(call: number, check: Check): void {
    this.#byCall.set(call, check);
    this.#bytes += check.tx.length;
  }

  take(call: number): Check {
    const check = present(this.#byCall.get(call), 'verdict for an unknown check');
    this.#byCall.delete(call);
    this.#bytes -= check.tx.length;
    return check;
  }
}
