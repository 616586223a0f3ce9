import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type ChannelId } from '../../core/node/contract.ts';
import { type ChoiceStream, type Choices, PPM } from '../world/choices.ts';
import { type Delay, drawDelay } from './delay.ts';

/** What can go wrong on one direction of a connection; probabilities in parts per million. */
export interface LinkFaults {
  readonly delay: Delay;
  /** A frame vanishes and the connection lives on. */
  readonly lossPpm: number;
  /** A frame arrives twice, the second copy as late as another draw says. */
  readonly dupPpm: number;
  /** A segment is held back by another draw and later ones overtake it. */
  readonly reorderPpm: number;
  /** One bit of a frame is inverted. */
  readonly corruptPpm: number;
  /** The connection breaks: what is in flight both ways is lost, both ends notice, one redials. */
  readonly resetPpm: number;
  /** Bandwidth in bytes a second; 0 is no limit. */
  readonly rate: number;
}

export const DEFAULT_LINK: LinkFaults = {
  delay: { low: 10_000, high: 100_000, shape: 'uniform' },
  lossPpm: 0,
  dupPpm: 0,
  reorderPpm: 0,
  corruptPpm: 0,
  resetPpm: 0,
  rate: 0,
};

/** One message as it travels; `hash` names its content in digest and trace. */
export interface Frame {
  readonly channel: ChannelId;
  readonly bytes: Bytes;
  readonly hash: number;
  /** Virtual µs at which it was handed to the network. */
  readonly sentAt: number;
}

/** One direction between two nodes: its faults, its dice, and what waits to leave at the end of this event. */
export class Link {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** What goes wrong at present. */
  faults: LinkFaults;
  /** Partitions that let nothing pass here. */
  readonly cuts = new Set<object>();
  /** Segments sent before this time arrive no earlier: clogged. */
  clogUntil = 0;
  outbox: Frame[] = [];
  readonly #usual: LinkFaults;
  #patches: readonly Partial<LinkFaults>[] = [];
  readonly #delays: ChoiceStream;
  readonly #choices: Choices;
  #lastArrival = 0;
  #busyUntil = 0;
  /** What was sent while more went wrong than now is there by then, and with it all that follows it. */
  #lateUntil = 0;
  /** When messages with transactions leave that wait for their turn; only a rate makes them wait. */
  #txsLeave: number[] = [];

  constructor(from: number, to: number, label: string, faults: LinkFaults, choices: Choices) {
    this.from = from;
    this.to = to;
    this.label = label;
    this.#usual = faults;
    this.faults = faults;
    this.#choices = choices;
    this.#delays = choices.stream(`${label}/delay`);
  }

  /**
   * Changes what goes wrong, on top of earlier changes.
   * @returns What takes this change back, and no other.
   */
  patch(patch: Partial<LinkFaults>): () => void {
    // One object may patch a link twice: each time it is another change.
    const own = { ...patch };
    this.#set([...this.#patches, own]);
    return () => {
      this.#lateUntil = this.#lastArrival;
      this.#set(this.#patches.filter((one) => one !== own));
    };
  }

  #set(patches: readonly Partial<LinkFaults>[]): void {
    this.#patches = patches;
    let faults = this.#usual;
    for (const patch of patches) faults = { ...faults, ...patch };
    this.faults = faults;
  }

  /** Nothing passes: partitioned. */
  get cut(): boolean {
    return this.cuts.size > 0;
  }

  /** Whether what is sent now would arrive as usual, but for its delay. */
  isOpen(now: number): boolean {
    return !this.cut && this.clogUntil <= now && this.#lateUntil <= now && this.faults.lossPpm < PPM;
  }

  /** The connection is gone, and with it what was on its way: the next one waits for nothing of it. */
  clear(): void {
    this.#lastArrival = 0;
    this.#busyUntil = 0;
    this.#lateUntil = 0;
    this.#txsLeave = [];
  }

  /** What is sent now arrives at its leisure: the wire is narrow, or still busy with what was sent while it was. */
  isNarrow(now: number): boolean {
    return this.faults.rate > 0 || this.#busyUntil > now;
  }

  /** Messages with transactions that have not left yet. */
  txsWaiting(now: number): number {
    if (this.faults.rate === 0) return 0;
    const left = this.#txsLeave.findIndex((at) => at > now);
    this.#txsLeave = left === -1 ? [] : this.#txsLeave.slice(left);
    return this.#txsLeave.length + this.outbox.filter(({ channel }) => channel === CHANNELS.mempool).length;
  }

  /**
   * When a segment of so many bytes, with so many messages of transactions, that leaves now is there; segments keep
   * their order.
   */
  arrival(now: number, bytes: number, txs = 0): number {
    const { rate } = this.faults;
    let leaves = now;
    if (rate > 0) {
      leaves = Math.max(now, this.#busyUntil) + Math.ceil((bytes * 1_000_000) / rate);
      this.#busyUntil = leaves;
      for (let i = 0; i < txs; i++) this.#txsLeave.push(leaves);
    }
    const at = Math.max(
      leaves + drawDelay(this.faults.delay, this.#delays),
      this.#lastArrival,
      this.clogUntil,
    );
    this.#lastArrival = at;
    return at;
  }

  /** A second delay on top, outside the order of the stream. */
  extraDelay(fault: 'dup' | 'reorder'): number {
    return drawDelay(this.faults.delay, this.#choices.stream(`${this.label}/${fault}Delay`)) + 1;
  }

  happens(fault: 'loss' | 'dup' | 'reorder' | 'corrupt' | 'reset', ppm: number): boolean {
    return ppm > 0 && this.#choices.stream(`${this.label}/${fault}`).chance(ppm);
  }

  corrupted(frame: Frame): Frame {
    if (frame.bytes.length === 0) return frame;
    const bit = this.#choices.choose(`${this.label}/corruptBit`, frame.bytes.length * 8);
    const bytes = frame.bytes.slice();
    bytes[bit >>> 3] = (bytes[bit >>> 3] as number) ^ (1 << (bit & 7));
    return { ...frame, bytes, hash: (frame.hash ^ (bit + 1)) >>> 0 };
  }
}
