import type { World } from '../../world/world.ts';

/** Evidence that a node and one peer have sent each other since they are connected. Pieces go by their names. */
export class EvidenceExchange {
  /** Pieces that either has sent to the other. */
  readonly known = new Set<string>();
  /** For each piece that the node had first from this peer: when it came. */
  readonly heardAt = new Map<string, number>();
  /** Pieces that the peer could judge when the node found them: since when the node owes them, and their height. */
  readonly owed = new Map<string, readonly [since: number, height: number]>();
  /** Since when the node knows that the peer has the block to judge each piece by. */
  readonly ableSince = new Map<string, number>();
  /** The peer's height as the node believed it at the last look, and its height before that. */
  #height = 0;
  #before = 0;
  #changedAt = 0;

  onTold(piece: string): void {
    this.known.add(piece);
    this.owed.delete(piece);
  }

  /** To be called at each look with the height that the node believes the peer to have. */
  onLook(height: number, now: number): void {
    if (height === this.#height) return;
    this.#before = this.#height;
    this.#height = height;
    this.#changedAt = now;
  }

  /**
   * The lowest height at which the node may have seen the peer when it decided on a message sent now. Between two
   * writes of the WAL a node hears a lot.
   */
  lowest(height: number, { now, latencies }: World): number {
    const isNews = now - this.#changedAt <= latencies.sync.high;
    return Math.min(isNews ? this.#before : this.#height, this.#height, height);
  }
}
