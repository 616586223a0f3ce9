import type { Process } from '../machine/process.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import type { World } from '../world/world.ts';
import type { CheckerContext } from './checker.ts';

/** Who is needed is not kept out for longer than that, whatever it did. */
const NEEDED_BAN_MICROS = 60_000_000;
/** Half of the wait after a first call in vain, and of the longest: waits double and are drawn from their second half. */
const WAIT_MICROS = { first: 500_000, longest: 15_000_000 };
/** Who was connected for so long, as far as it knows, waits as after a first call. */
const STABLE_MICROS = 10_000_000;
/** Within this it is called again: all of the wait, and the shortest sleep of the timer. */
const AGAIN_WITHIN_MICROS = 520_000;
/** Whoever is needed and not there is called within this: the longest wait, and a call that nobody answers. */
const CALLED_WITHIN_MICROS = 34_000_000;

/** Calls of one life for one peer, one after another and in vain. */
interface Calls {
  readonly count: number;
  readonly at: number;
  /** When it was last called, or there for a moment: the wait begins by then, or when the call has ended. */
  readonly triedAt: number;
  /** The first one is due after the shortest wait. */
  readonly isSoon: boolean;
}

/** How one node calls the peers that it needs: never too soon again, never too late, and whatever they did. */
export class NeededCalls {
  /** Names of those that it needs. */
  readonly peers: readonly string[];
  readonly #world: World;
  readonly #board: Switchboard;
  readonly #node: Process;
  readonly #fail: (text: string) => void;
  readonly #isPausing: boolean;
  readonly #calls = new Map<string, Calls>();
  /** Since when the peers of this life are connected. */
  readonly #ups = new Map<string, number>();
  /** When it last dropped somebody, in this life or before: bans are kept on disk. */
  #droppedAt: number | undefined;

  constructor(
    { world, scenario }: CheckerContext,
    board: Switchboard,
    node: Process,
    fail: (text: string) => void,
  ) {
    this.peers = board.spec.persistent.filter((one) => one !== node.name);
    this.#world = world;
    this.#board = board;
    this.#node = node;
    this.#fail = fail;
    this.#isPausing = scenario.timeline.some(({ action }) => action.kind === 'pause');
  }

  onStarted(): void {
    this.#calls.clear();
    this.#ups.clear();
  }

  onCall(whom: string): void {
    const { now } = this.#world;
    const before = this.#calls.get(whom);
    if (before !== undefined) this.#checkCall(whom, before);
    this.#calls.set(whom, { count: (before?.count ?? 0) + 1, at: now, triedAt: now, isSoon: false });
  }

  #checkCall(whom: string, before: Calls): void {
    const { count, at, isSoon } = before;
    const waited = this.#world.now - at;
    const least = count === 0 ? 0 : Math.min(WAIT_MICROS.first * 2 ** (count - 1), WAIT_MICROS.longest);
    if (waited < least) this.#fail(`calls ${whom} again after ${waited} µs, in vain ${count} times`);
    if (isSoon && !this.#isPausing && waited > AGAIN_WITHIN_MICROS)
      this.#fail(`calls ${whom}, which has long been there, only after ${waited} µs`);
    this.#checkWait(whom, before);
  }

  /** Waits end, however often it was called in vain, but for a ban. */
  #checkWait(whom: string, { triedAt }: Calls): void {
    const { now } = this.#world;
    const since = this.#droppedAt;
    if (this.#isPausing || (since !== undefined && now - since < 2 * NEEDED_BAN_MICROS)) return;
    if (now - triedAt > CALLED_WITHIN_MICROS)
      this.#fail(`needs ${whom}, and has not called it for ${now - triedAt} µs`);
  }

  onConnected(peer: string): void {
    this.#calls.delete(peer);
  }

  onPeer(peer: string, isUp: boolean): void {
    const { now } = this.#world;
    const since = this.#ups.get(peer);
    if (isUp) this.#ups.set(peer, now);
    else if (since !== undefined) {
      this.#ups.delete(peer);
      this.#onGone(peer, now - since);
    }
  }

  onDisowned(peer: string, micros: number): void {
    if (micros >= STABLE_MICROS) this.#onGone(peer, micros);
    else this.#onBarelyThere(peer);
  }

  /** From now on it is to be called again; it had been there for so long. */
  #onGone(peer: string, micros: number): void {
    if (!this.peers.includes(peer)) return;
    const { now } = this.#world;
    const isSoon = micros >= STABLE_MICROS && this.#board.banEnd(this.#node.index, peer) === undefined;
    this.#calls.set(peer, { count: 0, at: now, triedAt: now, isSoon });
  }

  /** The node has kept it for a moment, and waits longer for that. */
  #onBarelyThere(peer: string): void {
    const before = this.#calls.get(peer);
    if (before !== undefined) this.#calls.set(peer, { ...before, triedAt: this.#world.now, isSoon: false });
  }

  onDropped(): void {
    const { now } = this.#world;
    this.#droppedAt = now;
    for (const peer of this.peers) {
      const end = this.#board.banEnd(this.#node.index, peer);
      if (end !== undefined && end - now > NEEDED_BAN_MICROS)
        this.#fail(`bans ${peer}, which it needs, for ${end - now} µs`);
    }
  }

  finish(): void {
    const { processes } = this.#world;
    const connected = new Set(
      this.#board.establishedOf(this.#node.index).map((one) => processes[one.node]?.name),
    );
    for (const [peer, last] of this.#calls) if (!connected.has(peer)) this.#checkWait(peer, last);
  }
}
