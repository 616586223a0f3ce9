import type { SessionOut, SharedTexts } from '../../core/rpc/httpAnswer.ts';
import { SOCKET_BYTES_MAX } from '../../core/rpc/outbox.ts';

/** Microtask turns without a message after which no more comes. */
const IDLE_TURNS = 16;
/** Above every limit of a node for what a client may leave unread. */
const FULL = Number.MAX_SAFE_INTEGER;

/** The client's end of one websocket, with the texts that the node wrote and the client has not read. */
export class Wire implements SessionOut {
  readonly life: number;
  readonly unread: string[] = [];
  isClosed = false;
  /** The reason that the node gave when it closed. */
  reason = '';
  readonly #roomBytes: number;
  readonly #onSend: ((text: string) => void) | undefined;
  #bytes = 0;
  /** The client read something while the node was held up, and the node has not been told. */
  #isWakeDue = false;

  /** @param onSend is called with each text when the node writes it. */
  constructor(life: number, roomBytes: number, onSend?: (text: string) => void) {
    this.life = life;
    this.#roomBytes = roomBytes;
    this.#onSend = onSend;
  }

  send(text: string): void {
    this.#onSend?.(text);
    this.unread.push(text);
    this.#bytes += text.length;
  }

  sendShared(opening: string, { texts }: SharedTexts): void {
    for (const text of texts) this.send(opening + text);
  }

  /** A client may have less room than a node grants. Once that is used up, the node's own limit counts as reached. */
  buffered(): number {
    return this.isFull ? FULL : this.#bytes;
  }

  close(_code?: number, reason = ''): void {
    this.isClosed = true;
    this.reason = reason;
  }

  /** The node waits until the client reads some of it. */
  get isHeldUp(): boolean {
    return this.buffered() >= SOCKET_BYTES_MAX;
  }

  get isFull(): boolean {
    return this.#bytes > this.#roomBytes;
  }

  read(): string | undefined {
    this.#isWakeDue ||= this.isHeldUp;
    const text = this.unread.shift();
    this.#bytes -= text?.length ?? 0;
    return text;
  }

  /**
   * Tells a node that was held up that there is room again. To be called only while it runs. It then covers what was
   * read while the node slept.
   */
  wake(session: { drained(): void }): boolean {
    if (!this.#isWakeDue) return false;
    this.#isWakeDue = false;
    session.drained();
    return true;
  }
}

/** Reads all that the node has for a client that has room for it. A node that was not held up needs no wake-up. */
export function readAll(wire: Wire, session: { drained(): void }): readonly string[] {
  const texts: string[] = [];
  do {
    for (let text = wire.read(); text !== undefined; text = wire.read()) texts.push(text);
  } while (wire.wake(session));
  return texts;
}

/** The same, and what the node has still to write: a node that does little at once writes in several turns. */
export async function readOut(wire: Wire, session: { drained(): void }): Promise<readonly string[]> {
  const all: string[] = [];
  for (let idle = 0; idle < IDLE_TURNS; idle++) {
    await undefined;
    const texts = readAll(wire, session);
    if (texts.length > 0) idle = 0;
    all.push(...texts);
  }
  return all;
}
