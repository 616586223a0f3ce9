import type { SimEvent } from '../world/heap.ts';
import type { Connection } from './connection.ts';
import type { Frame, Link } from './link.ts';

/** A segment in flight on a link. Most pending events are of this kind, so each is one object without a closure. */
export class Arrival implements SimEvent {
  readonly at: number;
  seq = 0;
  readonly connection: Connection;
  /** Epoch of the connection when the segment left. */
  readonly epoch: number;
  readonly link: Link;
  readonly frames: readonly Frame[];
  readonly #arrived: (arrival: Arrival) => void;

  constructor(
    at: number,
    connection: Connection,
    link: Link,
    frames: readonly Frame[],
    arrived: (arrival: Arrival) => void,
  ) {
    this.at = at;
    this.connection = connection;
    this.epoch = connection.epoch;
    this.link = link;
    this.frames = frames;
    this.#arrived = arrived;
  }

  fire(): undefined {
    this.#arrived(this);
  }
}
