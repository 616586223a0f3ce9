import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import type { NetAddress } from '../../core/p2p/pexMessages.ts';

/** Wait after a first call in vain; it doubles with each further one. */
const WAIT_MICROS = 30_000_000;
/** Who has never answered is forgotten after so many. */
const CALLS_MAX = 8;

interface Vain {
  readonly at: string;
  count: number;
  calledAt: number;
}

/** How one life of a node calls those whom it does not need, and who do not answer: later each time, and in the end no more. */
export class VainCalls {
  readonly #fail: (text: string) => void;
  /** By id. */
  readonly #calls = new Map<string, Vain>();
  /** Ids of those who have been there in any life. */
  readonly #answered = new Set<string>();

  constructor(fail: (text: string) => void) {
    this.#fail = fail;
  }

  onStarted(): void {
    this.#calls.clear();
  }

  onCall(now: number, address: PeerAddress): void {
    const at = `${address.host}:${address.port}`;
    const before = this.#calls.get(address.id);
    if (before === undefined || before.at !== at) {
      this.#calls.set(address.id, { at, count: 1, calledAt: now });
      return;
    }
    const { count, calledAt } = before;
    const waited = now - calledAt;
    if (waited < WAIT_MICROS * 2 ** (count - 1))
      this.#fail(`calls ${address.id} again after ${waited} µs, in vain ${count} times`);
    if (count >= CALLS_MAX && !this.#answered.has(address.id))
      this.#fail(`calls ${address.id}, which never answered, ${count + 1} times`);
    before.count += 1;
    before.calledAt = now;
  }

  /** Whoever has been there, if only for a moment, is called again as if for the first time. */
  onConnected(id: string): void {
    this.#answered.add(id);
    this.#calls.delete(id);
  }

  /** Who was forgotten, or is said to be elsewhere, may be called anew. */
  onTold(addresses: readonly NetAddress[]): void {
    for (const { id, ip, port } of addresses) {
      const before = this.#calls.get(id);
      if (before === undefined) continue;
      if (before.count >= CALLS_MAX || before.at !== `${ip}:${port}`) this.#calls.delete(id);
    }
  }
}
