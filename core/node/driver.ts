import { assert } from '../lib/assert.ts';
import type { Effect, Host, Input, LogRecord, Machine } from './contract.ts';

/** Inputs handled between two syncs at most: one sync carries many votes, yet no burst starves the timers. */
const BURST_MAX = 256;

/**
 * Runs a machine on a host. Takes a burst of inputs, collects the effects, makes every `persist` record durable with
 * one append, and only then performs the rest, in order. Nothing that depends on an input can leave before its record
 * would survive a power cut.
 */
export class Driver {
  readonly #machine: Machine;
  readonly #host: Host;
  #inbox: Input[] = [];
  #busy = false;

  constructor(machine: Machine, host: Host) {
    this.#machine = machine;
    this.#host = host;
  }

  /** Inputs that wait. Hosts stop reading from sockets above their bound. */
  get backlog(): number {
    return this.#inbox.length;
  }

  /** Safe to call from within `perform`: the input is then handled after the present burst. */
  input(input: Input): void {
    this.#inbox.push(input);
    if (!this.#busy) this.#run();
  }

  #run(): void {
    this.#busy = true;
    while (this.#inbox.length > 0) {
      const effects = this.#stepBurst();
      const records = effects.flatMap((effect) => (effect.kind === 'persist' ? [effect.record] : []));
      if (records.length > 0 && !this.#appendAtOnce(records, effects)) return;
      if (records.length === 0) this.#perform(effects);
    }
    this.#busy = false;
  }

  #stepBurst(): Effect[] {
    const burst = this.#inbox.length <= BURST_MAX ? this.#inbox : this.#inbox.slice(0, BURST_MAX);
    this.#inbox = this.#inbox.length <= BURST_MAX ? [] : this.#inbox.slice(BURST_MAX);
    const effects: Effect[] = [];
    const now = this.#host.now();
    for (const input of burst) for (const effect of this.#machine.step(now, input)) effects.push(effect);
    return effects;
  }

  /** True when the host was durable before append returned; otherwise the run goes on from its callback. */
  #appendAtOnce(records: readonly LogRecord[], effects: readonly Effect[]): boolean {
    const append = { returned: false, durable: false };
    this.#host.append(records, () => {
      assert(!append.durable, 'durable() called twice');
      append.durable = true;
      this.#perform(effects);
      if (append.returned) this.#run();
    });
    append.returned = true;
    return append.durable;
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) if (effect.kind !== 'persist') this.#host.perform(effect);
  }
}
