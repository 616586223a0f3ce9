import { assert } from '../lib/assert.ts';
import type { PeerId } from '../types/ids.ts';
import type { Effect, Host, Input, LogRecord, Machine } from './contract.ts';

/** Inputs handled between two syncs at most: one sync carries many votes, yet no burst starves the timers. */
const BURST_MAX = 256;

/** Records held back at most until an effect needs them durable; a part is the largest, so this is some MiB. */
const HELD_RECORDS_MAX = 128;

type Performed = Exclude<Effect, { kind: 'persist' }>;

/** Nobody outside can tell that these happened: they may run ahead of the records of the inputs that caused them. */
const isInward = (effect: Performed): boolean => effect.kind === 'timer' || effect.kind === 'publish';

function unlessGone(effect: Performed, isGone: (peer: PeerId) => boolean): Performed | undefined {
  if (effect.kind !== 'send' || !effect.to.some(isGone)) return effect;
  const to = effect.to.filter((peer) => !isGone(peer));
  return to.length === 0 ? undefined : { ...effect, to };
}

/**
 * Runs a machine on a host. Takes a burst of inputs, collects the effects, makes every `persist` record durable with
 * one append, and only then performs the rest, in order. Nothing that depends on an input can leave before its record
 * would survive a power cut. Records on which nothing depends yet (a vote that decides nothing) wait for the next
 * append: what is lost with them, peers still have.
 */
export class Driver {
  readonly #machine: Machine;
  readonly #host: Host;
  #inbox: Input[] = [];
  #records: LogRecord[] = [];
  /** Peers whose connection has ended, as the machine has not heard yet; how often. */
  readonly #gone = new Map<PeerId, number>();
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
    if (input.kind === 'peerDown') this.#gone.set(input.peer, (this.#gone.get(input.peer) ?? 0) + 1);
    this.#inbox.push(input);
    if (!this.#busy) this.#run();
  }

  #run(): void {
    this.#busy = true;
    while (this.#inbox.length > 0) {
      const effects: Performed[] = [];
      const isDue = this.#stepBurst(effects);
      if (!isDue) this.#perform(effects);
      else if (!this.#appendAtOnce(effects)) return;
    }
    this.#busy = false;
  }

  /** Fills `effects`; true when records have to be durable before these are performed. */
  #stepBurst(effects: Performed[]): boolean {
    const burst = this.#inbox.length <= BURST_MAX ? this.#inbox : this.#inbox.slice(0, BURST_MAX);
    this.#inbox = this.#inbox.length <= BURST_MAX ? [] : this.#inbox.slice(BURST_MAX);
    const now = this.#host.now();
    let inward = true;
    for (const input of burst) {
      if (input.kind === 'peerDown') this.#onGone(input.peer, effects);
      for (const effect of this.#machine.step(now, input)) {
        if (effect.kind === 'persist') {
          this.#records.push(effect.record);
          continue;
        }
        effects.push(effect);
        inward &&= isInward(effect);
      }
    }
    return this.#records.length > 0 && (!inward || this.#records.length >= HELD_RECORDS_MAX);
  }

  /** True when the host was durable before append returned; otherwise the run goes on from its callback. */
  #appendAtOnce(effects: readonly Performed[]): boolean {
    const records = this.#records;
    this.#records = [];
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

  #perform(effects: readonly Performed[]): void {
    for (const effect of effects) {
      const rest = this.#gone.size === 0 ? effect : unlessGone(effect, (peer) => this.#gone.has(peer));
      if (rest !== undefined) this.#host.perform(rest);
    }
  }

  /** What was to be sent over a connection that has ended must not go over the next one: its other end never asked for it. */
  #onGone(gone: PeerId, effects: Performed[]): void {
    const left = (this.#gone.get(gone) ?? 0) - 1;
    if (left > 0) this.#gone.set(gone, left);
    else this.#gone.delete(gone);
    const kept = effects.map((effect) => unlessGone(effect, (peer) => peer === gone));
    effects.splice(0, effects.length, ...kept.filter((effect) => effect !== undefined));
  }
}
