import { append } from '../lib/append.ts';
import { assert } from '../lib/assert.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { PeerId } from '../types/ids.ts';
import type { Effect, Host, Input, LogRecord, Machine } from './contract.ts';

/** Inputs handled between two syncs at most: one sync carries many votes, yet no burst starves the timers. */
const BURST_MAX = 256;

/** Records held back at most until an effect needs them durable; a part is the largest, so this is some MiB. */
const HELD_RECORDS_MAX = 128;

type Performed = Exclude<Effect, { kind: 'persist' }>;

/** Nobody outside can tell that these happened: they may run ahead of the records of the inputs that caused them. */
const isInward = (effect: Performed): boolean => effect.kind === 'timer' || effect.kind === 'publish';

function unlessGone(effect: Effect, isGone: (peer: PeerId) => boolean): Effect | undefined {
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
  readonly #burstMax: number;
  readonly #heldMax: number;
  #inbox: Input[] = [];
  #records: LogRecord[] = [];
  /** Peers whose connection has ended, as the machine has not heard yet; how often. */
  readonly #gone = new Map<PeerId, number>();
  #busy = false;
  /** Records have to be durable before the effects of the present burst are performed. */
  #isDue = false;

  constructor(machine: Machine, host: Host, sizes: Sizes = USUAL_SIZES) {
    this.#machine = machine;
    this.#host = host;
    this.#burstMax = sizes.atOnce(BURST_MAX);
    this.#heldMax = sizes.atOnce(HELD_RECORDS_MAX);
  }

  /** Inputs that wait. Hosts stop reading from sockets above their bound. */
  get backlog(): number {
    return this.#inbox.length;
  }

  /** Safe to call from within `perform`: the input is then handled after the present burst. */
  input(input: Input): void {
    if (input.kind === 'peerDown') this.#gone.set(input.peer, (this.#gone.get(input.peer) ?? 0) + 1);
    if (this.#busy) this.#inbox.push(input);
    else this.#run([input]);
  }

  /** While nothing runs the inbox is empty. */
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

  /** Answers with all effects, those that persist among them; `#isDue` says whether the others have to wait for these. */
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
      // One input alone is the most frequent by far: its effects are the burst's.
      if (burst.length === 1) return stepped;
      append(effects, stepped);
    }
    return effects;
  }

  /** True when the host was durable before append returned; otherwise the run goes on from its callback. */
  #appendAtOnce(effects: readonly Effect[]): boolean {
    const records = this.#records;
    this.#records = [];
    const append = { returned: false, durable: false };
    this.#host.append(records, () => {
      assert(!append.durable, 'durable() called twice');
      append.durable = true;
      this.#perform(effects);
      if (append.returned) this.#run(this.#nextBurst());
    });
    append.returned = true;
    return append.durable;
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      const rest = this.#gone.size === 0 ? effect : unlessGone(effect, (peer) => this.#gone.has(peer));
      if (rest !== undefined && rest.kind !== 'persist') this.#host.perform(rest);
    }
  }

  /** What was to be sent over a connection that has ended must not go over the next one: its other end never asked for it. */
  #onGone(gone: PeerId, effects: Effect[]): void {
    const left = (this.#gone.get(gone) ?? 0) - 1;
    if (left > 0) this.#gone.set(gone, left);
    else this.#gone.delete(gone);
    const kept = effects.map((effect) => unlessGone(effect, (peer) => peer === gone));
    effects.length = 0;
    for (const effect of kept) if (effect !== undefined) effects.push(effect);
  }
}
