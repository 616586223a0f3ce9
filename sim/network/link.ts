import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type ChannelId } from '../../core/node/contract.ts';
import { CHANNEL_SPECS } from '../../core/p2p/channels.ts';
import { type ChoiceStream, type Choices, PPM } from '../world/choices.ts';
import { type Delay, drawDelay } from './delay.ts';

/** What can go wrong on one direction of a connection; probabilities in parts per million. */
export interface LinkFaults {
  readonly delay: Delay;
  /** A frame vanishes and the connection lives on. */
  readonly lossPpm: number;
  /** A frame arrives twice. The second copy has a delay of its own. */
  readonly dupPpm: number;
  /** A segment is held back by a second delay, and later ones overtake it. */
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

/** A link on which new frames wait this long for earlier ones is overloaded. */
const OVERLOAD_MICROS = 1_000_000;

const TIMELESS: readonly ChannelId[] = CHANNEL_SPECS.filter(({ isTimeless }) => isTimeless).map(
  ({ id }) => id,
);
/** Channels whose queues matter. */
const QUEUED: readonly ChannelId[] = [...TIMELESS, CHANNELS.mempool];

/** Faults with their keys in the same order. */
const isSame = (one: LinkFaults, other: LinkFaults): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The share of frames that do not arrive whole: lost, damaged, or torn off with their connection. */
export const spoiltPpm = ({ lossPpm, corruptPpm, resetPpm }: LinkFaults): number =>
  lossPpm + corruptPpm + resetPpm;

/** One direction between two nodes: its faults, its choices, and the frames that leave at the end of this event. */
export class Link {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** The current faults. */
  faults: LinkFaults;
  /** Partitions that cut this direction. */
  readonly cuts = new Set<object>();
  /** No segment arrives before this time: the link is clogged. */
  clogUntil = 0;
  outbox: Frame[] = [];
  readonly #usual: LinkFaults;
  #patches: Partial<LinkFaults>[] = [];
  readonly #delays: ChoiceStream;
  readonly #choices: Choices;
  #lastArrival = 0;
  #busyUntil = 0;
  /** When the last segment sent under a fault that has ended arrives. Later segments arrive after it. */
  #lateUntil = 0;
  /** Frames that a real node would still have in its queue, and when they leave. Only a rate makes them wait. */
  #waiting: { readonly frame: Frame; readonly leaves: number }[] = [];

  constructor(from: number, to: number, label: string, faults: LinkFaults, choices: Choices) {
    this.from = from;
    this.to = to;
    this.label = label;
    this.#usual = faults;
    this.faults = faults;
    this.#choices = choices;
    this.#delays = choices.stream(`${label}/delay`);
  }

  /** Whether a change would make a difference: now, or once earlier changes have ended. */
  differs(patch: Partial<LinkFaults>): boolean {
    return [this.faults, this.#usual].some((faults) => !isSame({ ...faults, ...patch }, faults));
  }

  /**
   * Adds a change to the faults, on top of earlier changes.
   * @returns A function that takes back this change only, and says whether the link is another now.
   */
  patch(patch: Partial<LinkFaults>): () => boolean {
    // One object may patch a link twice: each patch is a change of its own.
    const own = { ...patch };
    this.#patches.push(own);
    this.faults = { ...this.faults, ...own };
    return () => {
      const during = this.faults;
      this.#lateUntil = this.#lastArrival;
      this.#patches = this.#patches.filter((one) => one !== own);
      let faults = this.#usual;
      for (const one of this.#patches) faults = { ...faults, ...one };
      this.faults = faults;
      return !isSame(this.faults, during);
    };
  }

  /** Nothing passes: partitioned. */
  get cut(): boolean {
    return this.cuts.size > 0;
  }

  /** Whether a frame that is sent now may arrive normally, apart from its delay. */
  isOpen(now: number): boolean {
    return !this.cut && this.clogUntil <= now && this.#lateUntil <= now && spoiltPpm(this.faults) < PPM;
  }

  /** The connection is gone with everything in flight. The next one does not wait for any of it. */
  clear(): void {
    this.#lastArrival = 0;
    this.#busyUntil = 0;
    this.#lateUntil = 0;
    this.#waiting = [];
  }

  /** Whether frames sent now are slow: the link has a rate, or is still busy from when it had one. */
  isNarrow(now: number): boolean {
    return this.faults.rate > 0 || this.#busyUntil > now;
  }

  /** Whether what is sent now waits for long behind what was sent before: more is sent than the rate lets through. */
  isOverloaded(now: number): boolean {
    return this.#busyUntil > now + OVERLOAD_MICROS;
  }

  /** Messages with transactions that have not left yet. */
  txsWaiting(now: number): number {
    return this.#queued(now).filter(({ channel }) => channel === CHANNELS.mempool).length;
  }

  /** Whether an equal frame has not left yet, and is as good: the queue of a connection holds such frames once. */
  isWaiting(now: number, { channel, bytes, hash }: Frame): boolean {
    if (this.faults.rate === 0 || !TIMELESS.includes(channel)) return false;
    return this.#queued(now).some((one) => one.hash === hash && equalBytes(one.bytes, bytes));
  }

  #queued(now: number): readonly Frame[] {
    if (this.faults.rate === 0) return [];
    const left = this.#waiting.findIndex(({ leaves }) => leaves > now);
    if (left !== 0) this.#waiting = left === -1 ? [] : this.#waiting.slice(left);
    return [...this.#waiting.map(({ frame }) => frame), ...this.outbox];
  }

  /** When a segment of so many bytes, of these frames, arrives if it leaves now. Segments keep their order. */
  arrival(now: number, bytes: number, frames: readonly Frame[] = []): number {
    const { rate } = this.faults;
    let leaves = now;
    if (rate > 0) {
      leaves = Math.max(now, this.#busyUntil) + Math.ceil((bytes * 1_000_000) / rate);
      this.#busyUntil = leaves;
      for (const frame of frames) if (QUEUED.includes(frame.channel)) this.#waiting.push({ frame, leaves });
    }
    const at = Math.max(
      leaves + drawDelay(this.faults.delay, this.#delays),
      this.#lastArrival,
      this.clogUntil,
    );
    this.#lastArrival = at;
    return at;
  }

  /** A second delay, outside the order of the stream. */
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
