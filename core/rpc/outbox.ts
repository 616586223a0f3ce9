import type { Height } from '../types/ids.ts';
import type { SessionOut } from './httpAnswer.ts';

/** Handed to the socket at once; what is more waits here, where many clients share one text. */
const SOCKET_BYTES_MAX = 256 * 1024;
/** Frames that one client may leave waiting. */
export const OUTBOX_FRAMES_MAX = 65_536;

interface Waiting {
  readonly text: string;
  /** Height of the event; undefined for answers. */
  readonly height: Height | undefined;
}

/**
 * What waits for one client, bounded in bytes and in frames. A burst larger than the socket's buffer is no sign of a
 * slow reader: it goes out as the socket drains. Only a client that lets a whole outbox fill up is refused more.
 */
export class Outbox {
  readonly #out: SessionOut;
  readonly #bytesMax: number;
  #queue: Waiting[] = [];
  #next = 0;
  #bytes = 0;
  #onRoom: (() => void)[] = [];

  constructor(out: SessionOut, bytesMax: number) {
    this.#out = out;
    this.#bytesMax = bytesMax;
  }

  /** Bytes that wait here and in the socket. */
  get bytes(): number {
    return this.#bytes + this.#out.buffered();
  }

  /** Whether more would go out at once. */
  get hasRoom(): boolean {
    return this.#next === this.#queue.length && this.#out.buffered() < SOCKET_BYTES_MAX;
  }

  /** False when the client is too far behind; the text is then lost, and the client must be told. */
  push(text: string, height?: Height): boolean {
    this.flush();
    if (this.hasRoom) {
      this.#out.send(text);
      return true;
    }
    if (this.bytes + text.length > this.#bytesMax || this.#queue.length - this.#next >= OUTBOX_FRAMES_MAX)
      return false;
    this.#queue.push({ text, height });
    this.#bytes += text.length;
    return true;
  }

  /** Sends on: the socket has room again. */
  flush(): void {
    while (this.#next < this.#queue.length && this.#out.buffered() < SOCKET_BYTES_MAX) {
      const { text } = this.#queue[this.#next++] as Waiting;
      this.#bytes -= text.length;
      this.#out.send(text);
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

  /** Resolves when more would go out at once, or when the outbox is dropped. */
  room(): Promise<void> {
    if (this.hasRoom) return Promise.resolve();
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** Forgets what waits. Height of the first event that is lost with it, undefined when none is. */
  drop(): Height | undefined {
    const lost = this.#queue.slice(this.#next).find(({ height }) => height !== undefined)?.height;
    [this.#queue, this.#next, this.#bytes] = [[], 0, 0];
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resume of waiting) resume();
    return lost;
  }
}
