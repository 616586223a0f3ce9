import type { SessionOut, SharedTexts } from '../../core/rpc/httpAnswer.ts';
import { SOCKET_BYTES_MAX } from '../../core/rpc/outbox.ts';

/** After so many turns of microtasks without a message nothing more comes. */
const IDLE_TURNS = 16;
/** More than any bound of a node for what one client may leave unread. */
const FULL = Number.MAX_SAFE_INTEGER;

/** The client's end of one websocket: what the node wrote and the client has not read. */
export class Wire implements SessionOut {
  readonly life: number;
  readonly unread: string[] = [];
  isClosed = false;
  /** As the node said when it closed. */
  reason = '';
  readonly #roomBytes: number;
  readonly #onSend: ((text: string) => void) | undefined;
  #bytes = 0;
  /** Something was read while the node was held up, and nobody has told it. */
  #isWakeDue = false;

  /** @param onSend told what the node writes, when it does. */
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

  /** A reader with less room than a node grants: once that is used up, the node's own bound counts as reached. */
  buffered(): number {
    return this.isFull ? FULL : this.#bytes;
  }

  close(_code?: number, reason = ''): void {
    this.isClosed = true;
    this.reason = reason;
  }

  /** The node waits until some of it is read. */
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

  /** Tells the node that it was held up and there is room again: not before it runs, and then also of what was read while it slept. */
  wake(session: { drained(): void }): boolean {
    if (!this.#isWakeDue) return false;
    this.#isWakeDue = false;
    session.drained();
    return true;
  }
}

/** All that the node has for a client, who has room for it. A node that was not held up needs nobody to wake it. */
export function readAll(wire: Wire, session: { drained(): void }): readonly string[] {
  const texts: string[] = [];
  do {
    for (let text = wire.read(); text !== undefined; text = wire.read()) texts.push(text);
  } while (wire.wake(session));
  return texts;
}

/** The same, and what the node has still to write: where it does little at once, each piece has its turn. */
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
