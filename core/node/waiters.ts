import { present } from '../lib/assert.ts';
import type { CallId } from './contract.ts';

/** Callers that wait for the node's reply, by call id. */
export class Waiters<R> {
  readonly #resolves = new Map<CallId, (reply: R) => void>();

  get size(): number {
    return this.#resolves.size;
  }

  /** Resolves with the reply to this call. */
  wait(call: CallId): Promise<R> {
    return new Promise((resolve) => this.#resolves.set(call, resolve));
  }

  answer(call: CallId, reply: R): void {
    const resolve = present(this.#resolves.get(call), 'a reply to an unknown call');
    this.#resolves.delete(call);
    resolve(reply);
  }
}
