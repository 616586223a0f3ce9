import type { SimEvent } from '../world/heap.ts';
import type { Connection } from './connection.ts';
import type { Frame, Link } from './link.ts';

/** What is under way on a link. Most events that wait at any time are these: one object each, no closure. */
export class Arrival implements SimEvent {
  readonly at: number;
  seq = 0;
  readonly connection: Connection;
  /** Of the connection, when it left. */
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
