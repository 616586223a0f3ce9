import { SOCKET_BYTES_MAX } from '../../core/rpc/outbox.ts';
import { readAll, Wire } from '../clients/wire.ts';
import { IDLE_READS, settle } from './stage.ts';

const ROOM_BYTES = 1024 * 1024 * 1024;

/** The socket of a client that may be lazy: it takes nothing before the client reads; all waits in the node. */
export class LazyWire extends Wire {
  readonly isLazy: boolean;
  #isReading = false;
  #isStuffed = false;

  constructor(isLazy: boolean) {
    super(0, ROOM_BYTES);
    this.isLazy = isLazy;
  }

  override buffered(): number {
    if (this.#isStuffed) return Number.MAX_SAFE_INTEGER;
    return this.isLazy && !this.#isReading ? SOCKET_BYTES_MAX : super.buffered();
  }

  /** From now on the socket takes nothing more. */
  stuff(): void {
    this.#isStuffed = true;
  }

  /** Reads all that is there by now. */
  take(session: { drained(): void }): readonly string[] {
    this.#isReading = true;
    if (this.isLazy) session.drained();
    const texts = readAll(this, session);
    this.#isReading = false;
    return texts;
  }

  /** Reads until nothing more comes. */
  async takeAll(session: { drained(): void }): Promise<readonly string[]> {
    const all: string[] = [];
    for (let idle = 0; idle < IDLE_READS; ) {
      await settle();
      const texts = this.take(session);
      idle = texts.length === 0 ? idle + 1 : 0;
      all.push(...texts);
    }
    return all;
  }
}
