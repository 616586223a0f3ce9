import type { Micros, Millis, PeerId } from '../types/ids.ts';
import type { PeerAddress } from './peerAddress.ts';

/** Shortest wait after a first failed dial; doubles with each further failure. */
const BACKOFF_MS: Millis = 500;
export const BACKOFF_MS_MAX: Millis = 30_000;
/** After a connection that lasted this long, the next wait is short again. */
const STABLE_MICROS = 10_000_000;

interface Plan {
  readonly address: PeerAddress;
  failures: number;
  dueAt: Micros;
}

/** When to dial the peers that the operator named. Waits grow and are jittered, lest a cluster dials in lockstep. */
export class DialPlan {
  readonly #plans: Plan[];
  readonly #choose: (n: number) => number;
  readonly #backoffMsMax: Millis;

  constructor(
    addresses: readonly PeerAddress[],
    choose: (n: number) => number,
    backoffMsMax: Millis = BACKOFF_MS_MAX,
  ) {
    this.#plans = addresses.map((address) => ({ address, failures: 0, dueAt: 0 }));
    this.#choose = choose;
    this.#backoffMsMax = backoffMsMax;
  }

  get size(): number {
    return this.#plans.length;
  }

  /** Plans to dial this peer too, unless it is planned already. */
  add(address: PeerAddress): void {
    if (this.#find(address.id) === undefined) this.#plans.push({ address, failures: 0, dueAt: 0 });
  }

  addressOf(id: PeerId): PeerAddress | undefined {
    return this.#find(id)?.address;
  }

  due(now: Micros, isWanted: (id: PeerId) => boolean): readonly PeerAddress[] {
    return this.#plans
      .filter((plan) => plan.dueAt <= now && isWanted(plan.address.id))
      .map((plan) => plan.address);
  }

  /** The earliest time at which a wanted peer is due; undefined if no peer is wanted. */
  nextAt(isWanted: (id: PeerId) => boolean): Micros | undefined {
    const times = this.#plans.filter((plan) => isWanted(plan.address.id)).map((plan) => plan.dueAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** A dial failed (`upMicros` 0), or a connection ended that had been up for `upMicros`. */
  onEnd(now: Micros, id: PeerId, upMicros: Micros): void {
    const plan = this.#find(id);
    if (plan === undefined) return;
    plan.failures = upMicros >= STABLE_MICROS ? 0 : plan.failures + 1;
    const wait = Math.min(BACKOFF_MS * 2 ** Math.min(plan.failures, 16), this.#backoffMsMax);
    plan.dueAt = now + (Math.ceil(wait / 2) + this.#choose(Math.ceil(wait / 2))) * 1000;
  }

  notBefore(id: PeerId, at: Micros): void {
    const plan = this.#find(id);
    if (plan !== undefined) plan.dueAt = Math.max(plan.dueAt, at);
  }

  #find(id: PeerId): Plan | undefined {
    return this.#plans.find((plan) => plan.address.id === id);
  }
}
