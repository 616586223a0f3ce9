import { assert } from '../../core/lib/assert.ts';

/** Something that happens at a virtual time. `fire` answers a promise only when real asynchrony (the EVM) is involved. */
export interface SimEvent {
  /** Virtual microseconds since the run's start. */
  readonly at: number;
  /** Order of scheduling: decides between events of the same microsecond. */
  readonly seq: number;
  fire(): Promise<void> | undefined;
}

/** Binary heap ordered by (at, seq). Sequences are unique, so the order is total and the same on every machine. */
export class EventHeap<E extends { readonly at: number; readonly seq: number }> {
  readonly #items: E[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): E | undefined {
    return this.#items[0];
  }

  push(event: E): void {
    const items = this.#items;
    let at = items.length;
    items.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as E;
      if (!isBefore(event, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = event;
  }

  pop(): E | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    this.#sink(last);
    return top;
  }

  #sink(event: E): void {
    const items = this.#items;
    const count = items.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && isBefore(items[child + 1] as E, items[child] as E)) child++;
      if (!isBefore(items[child] as E, event)) break;
      items[at] = items[child] as E;
      at = child;
    }
    assert(at < count, 'heap position');
    items[at] = event;
  }
}

const isBefore = (
  a: { readonly at: number; readonly seq: number },
  b: { readonly at: number; readonly seq: number },
): boolean => a.at < b.at || (a.at === b.at && a.seq < b.seq);
