import { assert } from '../../core/lib/assert.ts';

/**
 * Something that happens at a virtual time. `fire` returns a promise only when real asynchrony (the EVM) is involved.
 */
export interface SimEvent {
  /** Virtual microseconds since the run's start. */
  readonly at: number;
  /** Order of scheduling, set by the world. It decides between events of the same microsecond. */
  seq: number;
  fire(): Promise<void> | undefined;
}

/** Children of an item: a flat heap takes fewer steps down, and compares neighbours. */
const WIDTH = 4;

/** Heap ordered by (at, seq). Sequences are unique, so the order is total and the same on every machine. */
export class EventHeap<E extends { readonly at: number; readonly seq: number }> {
  readonly #items: E[] = [];
  /** Times of the items, place by place, so that few of tens of thousands of events are looked at themselves. */
  readonly #times: number[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): E | undefined {
    return this.#items[0];
  }

  push(event: E): void {
    const items = this.#items;
    const times = this.#times;
    let at = items.length;
    items.push(event);
    times.push(event.at);
    while (at > 0) {
      const parent = Math.floor((at - 1) / WIDTH);
      if (!this.#isBefore(event, parent)) break;
      items[at] = items[parent] as E;
      times[at] = times[parent] as number;
      at = parent;
    }
    items[at] = event;
    times[at] = event.at;
  }

  pop(): E | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    this.#times.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    this.#sink(last);
    return top;
  }

  #sink(event: E): void {
    const items = this.#items;
    const times = this.#times;
    const count = items.length;
    let at = 0;
    for (;;) {
      const first = at * WIDTH + 1;
      if (first >= count) break;
      const end = Math.min(first + WIDTH, count);
      let child = first;
      for (let other = first + 1; other < end; other++) {
        const difference = (times[other] as number) - (times[child] as number);
        if (difference > 0) continue;
        if (difference < 0 || (items[other] as E).seq < (items[child] as E).seq) child = other;
      }
      if (this.#isBefore(event, child)) break;
      items[at] = items[child] as E;
      times[at] = times[child] as number;
      at = child;
    }
    assert(at < count, 'heap position');
    items[at] = event;
    times[at] = event.at;
  }

  #isBefore(event: E, place: number): boolean {
    const time = this.#times[place] as number;
    return event.at < time || (event.at === time && event.seq < (this.#items[place] as E).seq);
  }
}
