import { append } from '../lib/append.ts';
import { assert } from '../lib/assert.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { PeerId } from '../types/ids.ts';
import type { Effect, Host, Input, LogRecord, Machine } from './contract.ts';

/** Most inputs handled between two syncs: one sync covers many votes, yet no burst delays timers for long. */
const BURST_MAX = 256;

/** Most records held back until an effect needs them durable. Block parts are the largest, so this is some MiB. */
const HELD_RECORDS_MAX = 128;

type Performed = Exclude<Effect, { kind: 'persist' }>;

/** No one outside can observe these effects, so they need not wait until the records of their inputs are durable. */
const isInward = (effect: Performed): boolean => effect.kind === 'timer' || effect.kind === 'publish';

function unlessGone(effect: Effect, isGone: (peer: PeerId) => boolean): Effect | undefined {
  if (effect.kind !== 'send' || !effect.to.some(isGone)) return effect;
  const to = effect.to.filter((peer) => !isGone(peer));
  return to.length === 0 ? undefined : { ...effect, to };
}

/**
 * Runs a machine on a host. It takes a burst of inputs, collects the effects, makes every `persist` record durable with
 * one append, and only then performs the other effects, in order. So no effect of an input leaves before the input's
 * record would survive a power cut. Records on which nothing depends yet (such as a vote that decides nothing) wait for
 * the next append: if they are lost, peers still have the messages.
 */
export class Driver {
  readonly #machine: Machine;
  readonly #host: Host;
  readonly #burstMax: number;
  readonly #heldMax: number;
  #inbox: Input[] = [];
  #records: LogRecord[] = [];
  /** Peers whose connection has ended without the machine knowing it yet, with the number of such ends. */
  readonly #gone = new Map<PeerId, number>();
  #busy = false;
  /** The held records must be durable before the effects of the current burst are performed. */
  #isDue = false;

  constructor(machine: Machine, host: Host, sizes: Sizes = USUAL_SIZES) {
    this.#machine = machine;
    this.#host = host;
    this.#burstMax = sizes.atOnce(BURST_MAX);
    this.#heldMax = sizes.atOnce(HELD_RECORDS_MAX);
  }

  /** Number of waiting inputs. Hosts stop reading from sockets when it exceeds their bound. */
  get backlog(): number {
    return this.#inbox.length;
  }

  /** May be called from within `perform`: the input is then handled after the current burst. */
  input(input: Input): void {
    if (input.kind === 'peerDown') this.#gone.set(input.peer, (this.#gone.get(input.peer) ?? 0) + 1);
    if (this.#busy) this.#inbox.push(input);
    else this.#run([input]);
  }

  /** The inbox is empty whenever nothing runs. */
  #run(first: readonly Input[]): void {
    this.#busy = true;
    for (let burst = first; burst.length > 0; burst = this.#nextBurst()) {
      const effects = this.#stepBurst(burst);
      if (!this.#isDue) this.#perform(effects);
      else if (!this.#appendAtOnce(effects)) return;
    }
    this.#busy = false;
  }

  #nextBurst(): readonly Input[] {
    const waiting = this.#inbox;
    if (waiting.length === 0) return waiting;
    this.#inbox = waiting.slice(this.#burstMax);
    return waiting.length <= this.#burstMax ? waiting : waiting.slice(0, this.#burstMax);
  }

  /** Returns all effects, including `persist`. Sets `#isDue` if the others have to wait for the records. */
  #stepBurst(burst: readonly Input[]): readonly Effect[] {
    const now = this.#host.now();
    const effects: Effect[] = [];
    let inward = true;
    for (const input of burst) {
      if (input.kind === 'peerDown') this.#onGone(input.peer, effects);
      const stepped = this.#machine.step(now, input);
      for (const effect of stepped) {
        if (effect.kind === 'persist') {
          this.#records.push(effect.record);
          continue;
        }
        inward &&= isInward(effect);
      }
      this.#isDue = this.#records.length > 0 && (!inward || this.#records.length >= this.#heldMax);
      // A burst of one input is by far the most common: return its effects without a copy.
      if (burst.length === 1) return stepped;
      append(effects, stepped);
    }
    return effects;
  }

  /** True if the records became durable before `append` returned. Otherwise the callback continues the run. */
  #appendAtOnce(effects: readonly Effect[]): boolean {
    const records = this.#records;
    this.#records = [];
    const sync = { returned: false, durable: false };
    this.#host.append(records, () => {
      assert(!sync.durable, 'durable() called twice');
      sync.durable = true;
      this.#perform(effects);
      if (sync.returned) this.#run(this.#nextBurst());
    });
    sync.returned = true;
    return sync.durable;
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      const rest = this.#gone.size === 0 ? effect : unlessGone(effect, (peer) => this.#gone.has(peer));
      if (rest !== undefined && rest.kind !== 'persist') this.#host.perform(rest);
    }
  }

  /** Removes messages for a connection that has ended: the other end of the next one never asked for them. */
  #onGone(gone: PeerId, effects: Effect[]): void {
    const left = (this.#gone.get(gone) ?? 0) - 1;
    if (left > 0) this.#gone.set(gone, left);
    else this.#gone.delete(gone);
    const kept = effects.map((effect) => unlessGone(effect, (peer) => peer === gone));
    effects.length = 0;
    for (const effect of kept) if (effect !== undefined) effects.push(effect);
  }
}
