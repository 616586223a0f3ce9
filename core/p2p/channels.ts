import { txsMessageBytes } from '../codec/limits.ts';
import type { Bytes } from '../lib/bytes.ts';
import { EMPTY, equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { ChannelState } from '../types/peer.ts';
import type { Packet } from './packets.ts';

export interface ChannelSpec {
  readonly id: number;
  readonly priority: number;
  /** Most messages that may wait to be sent. */
  readonly queueMax: number;
  readonly messageBytesMax: number;
  /** What its messages say stays true, so one that waits need not be queued again. Default: false. */
  readonly isTimeless?: boolean;
}

/**
 * The channels that a full node advertises, in this order. Its pool takes transactions of up to
 * `txBytesMax` bytes.
 */
export const channelSpecs = (txBytesMax: number): readonly ChannelSpec[] => [
  { id: 0x40, priority: 5, queueMax: 1000, messageBytesMax: 104_857_605 },
  { id: 0x20, priority: 6, queueMax: 100, messageBytesMax: 1_048_576 },
  { id: 0x21, priority: 10, queueMax: 100, messageBytesMax: 1_048_576, isTimeless: true },
  { id: 0x22, priority: 7, queueMax: 100, messageBytesMax: 1_048_576, isTimeless: true },
  { id: 0x23, priority: 1, queueMax: 2, messageBytesMax: 1_048_576 },
  { id: 0x30, priority: 5, queueMax: 100, messageBytesMax: txsMessageBytes(txBytesMax) },
  { id: 0x38, priority: 6, queueMax: 10, messageBytesMax: 1_048_576 },
  { id: 0x00, priority: 1, queueMax: 10, messageBytesMax: 64_000 },
];

/** The channels with the default pool configuration. */
export const CHANNEL_SPECS: readonly ChannelSpec[] = channelSpecs(1_048_576);

/** Most bytes that may wait for one peer on all channels together. A single larger message may wait alone. */
export const QUEUED_BYTES_MAX = 32 << 20;

/** One channel of one connection: a bounded send queue, and one message that is being received. */
class Channel {
  readonly spec: ChannelSpec;
  readonly queue: Bytes[] = [];
  /** Bytes of the head message already cut into packets. */
  #sent = 0;
  /** Reduced by a fifth every two seconds. A channel that was busy lets others go first. */
  recentlySent = 0;
  /** The message being received; its first #received bytes have arrived. */
  #buffer: Bytes = EMPTY;
  #received = 0;

  constructor(spec: ChannelSpec) {
    this.spec = spec;
  }

  /** Whether an equal message waits, whose arrival is as good. */
  isWaiting(message: Bytes): boolean {
    return this.spec.isTimeless === true && this.queue.some((one) => equalBytes(one, message));
  }

  nextPacket(payloadBytes: number): Packet {
    const head = this.queue[0] as Bytes;
    const data = head.subarray(this.#sent, this.#sent + payloadBytes);
    this.#sent += data.length;
    const eof = this.#sent >= head.length;
    if (eof) {
      this.queue.shift();
      this.#sent = 0;
    }
    this.recentlySent += data.length;
    return { kind: 'message', channel: this.spec.id, eof, data };
  }

  /** Bytes held of the message that is being received. */
  get unfinishedBytes(): number {
    return this.#buffer.length;
  }

  receive(data: Bytes, eof: boolean): Result<Bytes | undefined, string> {
    const size = this.#received + data.length;
    if (size > this.spec.messageBytesMax) {
      return err(`message on channel ${hexId(this.spec.id)} exceeds ${this.spec.messageBytesMax} bytes`);
    }
    if (eof && this.#received === 0) return ok(data);
    this.#append(data, size);
    if (!eof) return ok(undefined);
    const message = this.#buffer.slice(0, size);
    this.#buffer = EMPTY;
    this.#received = 0;
    return ok(message);
  }

  /** Doubles one buffer as needed, so that packets of one byte do not cost more memory than they carry. */
  #append(data: Bytes, size: number): void {
    if (size > this.#buffer.length) {
      const grown = new Uint8Array(
        Math.max(size, Math.min(2 * this.#buffer.length, this.spec.messageBytesMax)),
      );
      grown.set(this.#buffer.subarray(0, this.#received));
      this.#buffer = grown;
    }
    this.#buffer.set(data, this.#received);
    this.#received = size;
  }
}

const hexId = (id: number): string => `0x${id.toString(16).padStart(2, '0')}`;

/** All channels of a connection: which of them sends next, and to which one a received packet belongs. */
export class Channels {
  readonly #channels: readonly Channel[];
  readonly #payloadBytes: number;
  readonly #queuedBytesMax: number;
  #queuedBytes = 0;

  constructor(specs: readonly ChannelSpec[], payloadBytes: number, queuedBytesMax = QUEUED_BYTES_MAX) {
    this.#channels = specs.map((spec) => new Channel(spec));
    this.#payloadBytes = payloadBytes;
    this.#queuedBytesMax = queuedBytesMax;
  }

  /**
   * False when the queue is full: the message is not sent. Gossip repeats what a peer does not confirm for two seconds.
   * On a slow connection the first copy may wait longer, and each further one would make the wait longer still.
   */
  enqueue(id: number, message: Bytes): boolean {
    const channel = this.#find(id);
    if (channel?.isWaiting(message) === true) return true;
    if (channel === undefined || channel.queue.length >= channel.spec.queueMax) return false;
    if (this.#queuedBytes > 0 && this.#queuedBytes + message.length > this.#queuedBytesMax) return false;
    channel.queue.push(message);
    this.#queuedBytes += message.length;
    return true;
  }

  /** For operators. */
  get states(): readonly ChannelState[] {
    return this.#channels.map(({ spec, queue, recentlySent }) => ({
      id: spec.id,
      priority: spec.priority,
      queueMax: spec.queueMax,
      queued: queue.length,
      recentlySent,
    }));
  }

  /** Bytes held of messages that are not complete: the largest may take 100 MiB, and may never end. */
  get unfinishedBytes(): number {
    return this.#channels.reduce((sum, channel) => sum + channel.unfinishedBytes, 0);
  }

  get waiting(): number {
    return this.#channels.reduce((sum, channel) => sum + channel.queue.length, 0);
  }

  /** The next packet of the channel that has sent least for its priority; undefined if nothing waits. */
  nextPacket(): Packet | undefined {
    let best: Channel | undefined;
    for (const channel of this.#channels) {
      if (channel.queue.length === 0) continue;
      if (best === undefined || share(channel) < share(best)) best = channel;
    }
    const packet = best?.nextPacket(this.#payloadBytes);
    if (packet?.kind === 'message') this.#queuedBytes -= packet.data.length;
    return packet;
  }

  /** Called every two seconds. */
  decay(): void {
    for (const channel of this.#channels) channel.recentlySent = Math.floor((channel.recentlySent * 4) / 5);
  }

  receive(id: number, data: Bytes, eof: boolean): Result<Bytes | undefined, string> {
    const channel = this.#find(id);
    return channel === undefined ? err(`unknown channel ${id}`) : channel.receive(data, eof);
  }

  #find(id: number): Channel | undefined {
    return this.#channels.find((channel) => channel.spec.id === id);
  }
}

const share = (channel: Channel): number => channel.recentlySent / channel.spec.priority;
