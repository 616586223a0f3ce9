import type { World } from '../world/world.ts';

/** What a node and one peer have told each other of evidence, since they are connected. Pieces go by their names. */
export class EvidenceTalk {
  /** What either has told the other. */
  readonly known = new Set<string>();
  /** When the peer told the node of each piece that it was the first to tell of. */
  readonly heardAt = new Map<string, number>();
  /** Since when the node owes the peer a piece, whatever comes next, with its height: the peer could judge it when it was found. */
  readonly owed = new Map<string, readonly [since: number, height: number]>();
  /** Since when the node knows that the peer has the block to judge each piece by. */
  readonly ableSince = new Map<string, number>();
  /** Where the peer was by what the node knew at the last look, and before that. */
  #height = 0;
  #before = 0;
  #changedAt = 0;

  onTold(piece: string): void {
    this.known.add(piece);
    this.owed.delete(piece);
  }

  /** To be told at each look where the node believes that the peer is. */
  onLook(height: number, now: number): void {
    if (height === this.#height) return;
    this.#before = this.#height;
    this.#height = height;
    this.#changedAt = now;
  }

  /** Where the node may have seen the peer when it decided what it says now: between two writes of the log it hears a lot. */
  lowest(height: number, { now, latencies }: World): number {
    const isNews = now - this.#changedAt <= latencies.sync.high;
    return Math.min(isNews ? this.#before : this.#height, this.#height, height);
  }
}
