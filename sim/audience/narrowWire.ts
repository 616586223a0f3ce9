import { SOCKET_BYTES_MAX } from '../../core/rpc/outbox.ts';
import { Wire } from '../clients/wire.ts';

/** The socket of a client with room for a few messages. Further ones wait in the node until it has read some. */
export class NarrowWire extends Wire {
  readonly #messagesMax: number;
  #isStuffed = false;

  constructor(messagesMax: number) {
    super(0, Number.MAX_SAFE_INTEGER);
    this.#messagesMax = messagesMax;
  }

  override buffered(): number {
    if (this.#isStuffed) return Number.MAX_SAFE_INTEGER;
    return this.unread.length < this.#messagesMax ? 0 : SOCKET_BYTES_MAX;
  }

  /** From now on the socket takes nothing more. */
  stuff(): void {
    this.#isStuffed = true;
  }

  /** Reads at most so many messages, which makes room for others. */
  take(session: { drained(): void }, messages: number): readonly string[] {
    const texts: string[] = [];
    for (let text = this.read(); text !== undefined; text = texts.length < messages ? this.read() : undefined)
      texts.push(text);
    session.drained();
    return texts;
  }
}
