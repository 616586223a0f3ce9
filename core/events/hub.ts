import type { NodeEvent } from '../types/nodeEvent.ts';

/** Called in commit order. Must not throw or wait: slow work belongs in the subscriber's own bounded queue. */
export type Listener = (event: NodeEvent) => void;

/** Passes node events on to sessions, filters and indexers, in the order of publication. */
export class EventHub {
  #listeners: readonly Listener[] = [];

  /** Number of subscribers. */
  get size(): number {
    return this.#listeners.length;
  }

  /** Returns the function that ends the subscription. */
  listen(listener: Listener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  publish(event: NodeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
