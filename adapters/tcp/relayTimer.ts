import type { Bytes } from '../../core/lib/bytes.ts';
import type { TxRelay } from '../../core/p2p/txRelay.ts';
import type { Micros, PeerId } from '../../core/types/ids.ts';
import { steadyNow } from './clock.ts';

/** Wakes a TxRelay when something is due, and hands on what leaves it. */
export class RelayTimer {
  readonly #relay: TxRelay;
  readonly #deliver: (to: PeerId, message: Bytes) => void;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt: Micros = 0;
  #isStopped = false;

  constructor(relay: TxRelay, deliver: (to: PeerId, message: Bytes) => void) {
    this.#relay = relay;
    this.#deliver = deliver;
  }

  send(to: readonly PeerId[], message: Bytes): void {
    this.#relay.send(steadyNow(), to, message);
    this.#arm();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const at = this.#relay.wakeAt();
    if (this.#isStopped || at === undefined) return;
    if (this.#timer !== undefined && this.#wakesAt <= at) return;
    clearTimeout(this.#timer);
    this.#wakesAt = at;
    const waitMs = Math.max(0, Math.ceil((at - steadyNow()) / 1000));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const { to, message } of this.#relay.due(steadyNow())) this.#deliver(to, message);
      this.#arm();
    }, waitMs);
  }
}
