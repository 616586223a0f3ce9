import type { Process } from '../../machine/process.ts';
import { idOf } from '../../peers/addresses.ts';
import type { Switchboard } from '../../peers/switchboard.ts';
import type { World } from '../../world/world.ts';
import type { CheckerContext } from '../checker.ts';

/** A needed peer is banned for at most this time, whatever it did. */
const NEEDED_BAN_MICROS = 60_000_000;
/**
 * The shortest waits after the first failed dial and in the long run. Waits double (1 s to 30 s), and each is drawn
 * from its second half.
 */
const WAIT_MICROS = { first: 500_000, longest: 15_000_000 };
/** After a connection that stood for so long, as far as the node knows, the next wait is the shortest (0.5 s). */
const STABLE_MICROS = 10_000_000;
/** The node then dials again within this time: that wait and the shortest sleep of the timer. */
const AGAIN_WITHIN_MICROS = 520_000;
/** A needed peer that is not connected is dialled within this time: the longest wait and a dial that nobody answers. */
const CALLED_WITHIN_MICROS = 34_000_000;

/** Failed dials of one life to one peer, in a row. */
interface Calls {
  readonly count: number;
  readonly at: number;
  /** The last dial, or the end of a connection or of its ban. The next wait begins by then, or when the dial has ended. */
  readonly triedAt: number;
  /** Whether the next dial is due after the shortest wait. */
  readonly isSoon: boolean;
}

/** How a node dials the peers that it needs: never again too soon, never too late, whatever the peers did. */
export class PersistentPeerDials {
  /** Names of the needed peers. */
  readonly peers: readonly string[];
  readonly #world: World;
  readonly #board: Switchboard;
  readonly #node: Process;
  readonly #fail: (text: string) => void;
  readonly #isPausing: boolean;
  readonly #calls = new Map<string, Calls>();
  /** Since when each peer is connected, in this life. */
  readonly #ups = new Map<string, number>();
  /** When the node last dropped a peer, in any life: bans are kept on disk. */
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
    if (waited < least)
      this.#fail(
        `calls ${whom} again after ${waited} µs, in vain ${count} times before, should wait ${least} µs`,
      );
    if (isSoon && !this.#isPausing && waited > AGAIN_WITHIN_MICROS && this.#dialEndOf(whom) <= at)
      this.#fail(
        `calls ${whom}, whose long connection ended, only after ${waited} µs, expected within ${AGAIN_WITHIN_MICROS} µs`,
      );
    this.#checkWait(whom, before);
  }

  /** A wait ends however many dials failed, unless there is a ban. */
  #checkWait(whom: string, { triedAt }: Calls): void {
    const { now } = this.#world;
    const since = this.#droppedAt;
    if (this.#isPausing || (since !== undefined && now - since < 2 * NEEDED_BAN_MICROS)) return;
    const waited = now - Math.max(triedAt, this.#dialEndOf(whom));
    if (waited > CALLED_WITHIN_MICROS)
      this.#fail(
        `needs ${whom}, and has not called it for ${waited} µs, expected within ${CALLED_WITHIN_MICROS} µs`,
      );
  }

  /** When its last dial to the peer ended: a far or clogged peer may be long in answering. Now if one is under way. */
  #dialEndOf(whom: string): number {
    const { index } = this.#node;
    if (this.#board.calledBy(index).includes(idOf(whom))) return this.#world.now;
    return this.#board.dialEndedAt(index, whom) ?? 0;
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

  /** The connection had stood for so long. From now on the node must dial again. */
  #onGone(peer: string, micros: number): void {
    if (!this.peers.includes(peer)) return;
    const { now } = this.#world;
    // A peer that abuses the exchange of addresses is banned without being dropped by the node.
    const end = this.#board.banEnd(this.#node.index, peer);
    const isSoon = micros >= STABLE_MICROS && end === undefined;
    this.#calls.set(peer, { count: 0, at: now, triedAt: end ?? now, isSoon });
  }

  /** The connection stood only briefly, so the next wait is longer. */
  #onBarelyThere(peer: string): void {
    const before = this.#calls.get(peer);
    if (before !== undefined) this.#calls.set(peer, { ...before, triedAt: this.#world.now, isSoon: false });
  }

  onDropped(): void {
    const { now } = this.#world;
    this.#droppedAt = now;
    for (const peer of [...this.peers, ...this.#board.spec.unconditional]) {
      const end = this.#board.banEnd(this.#node.index, peer);
      if (end !== undefined && end - now > NEEDED_BAN_MICROS)
        this.#fail(
          `bans ${peer}, which it needs, for ${end - now} µs, expected for at most ${NEEDED_BAN_MICROS} µs`,
        );
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
