import type { Height } from '../types/ids.ts';
import type { SessionOut, SharedTexts } from './httpAnswer.ts';
import type { Paced, Pacer } from './pacer.ts';

/** Bytes that may wait in the socket. The rest waits in the outbox, where clients share texts. */
export const SOCKET_BYTES_MAX = 256 * 1024;
/** Maximum messages, or batches of messages, that may wait for one client. */
const OUTBOX_FRAMES_MAX = 65_536;

interface Waiting {
  /** A whole message, or the opening of each shared message. */
  readonly text: string;
  readonly shared: SharedTexts | undefined;
  readonly bytes: number;
  /** Height of the event; undefined for responses. */
  readonly height: Height | undefined;
}

/**
 * Messages that wait for one client, bounded in bytes and in frames. A burst larger than the socket's buffer does not
 * mean that the client is slow: it is sent as the socket drains and the pacer allows. Only when a client's whole outbox
 * is full are further messages refused.
 */
export class Outbox implements Paced {
  readonly #out: SessionOut;
  readonly #bytesMax: number;
  readonly #pacer: Pacer;
  #queue: Waiting[] = [];
  #next = 0;
  #bytes = 0;
  #onRoom: (() => void)[] = [];

  constructor(out: SessionOut, bytesMax: number, pacer: Pacer) {
    this.#out = out;
    this.#bytesMax = bytesMax;
    this.#pacer = pacer;
  }

  /** Bytes that wait here and in the socket. */
  get bytes(): number {
    return this.#bytes + this.#out.buffered();
  }

  /** Whether another message would be sent at once. */
  get hasRoom(): boolean {
    return this.#next === this.#queue.length && this.#out.buffered() < SOCKET_BYTES_MAX;
  }

  /** False when the client is too far behind. The text is then lost, and the caller must tell the client. */
  push(text: string, height?: Height): boolean {
    return this.#add({ text, shared: undefined, bytes: text.length, height });
  }

  /** Like push, for a batch of messages that each consist of `opening` and one of the texts. */
  pushShared(opening: string, shared: SharedTexts, height: Height): boolean {
    const bytes = shared.length + opening.length * shared.texts.length;
    return this.#add({ text: opening, shared, bytes, height });
  }

  /** Sends waiting messages; called when the socket has room again. */
  flush(): void {
    while (this.#next < this.#queue.length && this.#out.buffered() < SOCKET_BYTES_MAX) {
      const waiting = this.#queue[this.#next] as Waiting;
      if (!this.#pacer.take(waiting.bytes)) {
        this.#pacer.later(this);
        break;
      }
      this.#next++;
      this.#bytes -= waiting.bytes;
      this.#send(waiting);
    }
    if (this.#next * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    if (this.#queue.length > 0) return;
    if (this.#onRoom.length === 0 || !this.hasRoom) return;
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resume of waiting) resume();
  }

  /** Resolves when another message would be sent at once, or when the outbox is dropped. */
  room(): Promise<void> {
    if (this.hasRoom) return Promise.resolve();
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** Discards all waiting messages. Returns the lowest height of the discarded events; Infinity if there are none. */
  drop(): number {
    let lost = Number.POSITIVE_INFINITY;
    // Not simply the first: subscriptions that replay the past are at different heights.
    for (const { height } of this.#queue.slice(this.#next)) lost = Math.min(lost, height ?? lost);
    [this.#queue, this.#next, this.#bytes] = [[], 0, 0];
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resume of waiting) resume();
    return lost;
  }

  #add(message: Waiting): boolean {
    this.flush();
    // Responses are not paced: the client's own requests limit them.
    const isAnswer = message.height === undefined;
    if (this.hasRoom && (isAnswer || this.#pacer.take(message.bytes))) {
      this.#send(message);
      return true;
    }
    if (this.bytes + message.bytes > this.#bytesMax || this.#queue.length - this.#next >= OUTBOX_FRAMES_MAX)
      return false;
    this.#queue.push(message);
    this.#bytes += message.bytes;
    // If the socket is full, its drain event continues with the queue.
    if (this.#out.buffered() < SOCKET_BYTES_MAX) this.#pacer.later(this);
    return true;
  }

  #send({ text, shared }: Waiting): void {
    if (shared === undefined) this.#out.send(text);
    else this.#out.sendShared(text, shared);
  }
}
