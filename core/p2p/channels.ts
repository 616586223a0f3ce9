import type { Bytes } from '../lib/bytes.ts';
import { concat } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { PAYLOAD_BYTES_MAX, type Packet } from './packets.ts';

export interface ChannelSpec {
  readonly id: number;
  readonly priority: number;
  /** Messages that may wait to be sent. */
  readonly queueMax: number;
  readonly messageBytesMax: number;
}

/** What a full node advertises, in this order (reference §3). */
export const CHANNEL_SPECS: readonly ChannelSpec[] = [
  { id: 0x40, priority: 5, queueMax: 1000, messageBytesMax: 104_857_605 },
  { id: 0x20, priority: 6, queueMax: 100, messageBytesMax: 1_048_576 },
  { id: 0x21, priority: 10, queueMax: 100, messageBytesMax: 1_048_576 },
  { id: 0x22, priority: 7, queueMax: 100, messageBytesMax: 1_048_576 },
  { id: 0x23, priority: 1, queueMax: 2, messageBytesMax: 1_048_576 },
  { id: 0x30, priority: 5, queueMax: 100, messageBytesMax: 1_048_592 },
  { id: 0x38, priority: 6, queueMax: 10, messageBytesMax: 1_048_576 },
  { id: 0x00, priority: 1, queueMax: 10, messageBytesMax: 64_000 },
];

/** One channel of one connection: a bounded queue out, one message being put together in. */
class Channel {
  readonly spec: ChannelSpec;
  readonly queue: Bytes[] = [];
  /** Bytes of the head message already cut into packets. */
  #sent = 0;
  /** Halves with time, so that a channel that was busy lets others go first. */
  recentlySent = 0;
  #chunks: Bytes[] = [];
  #received = 0;

  constructor(spec: ChannelSpec) {
    this.spec = spec;
  }

  nextPacket(): Packet {
    const head = this.queue[0] as Bytes;
    const data = head.slice(this.#sent, this.#sent + PAYLOAD_BYTES_MAX);
    this.#sent += data.length;
    const eof = this.#sent >= head.length;
    if (eof) {
      this.queue.shift();
      this.#sent = 0;
    }
    this.recentlySent += data.length;
    return { kind: 'message', channel: this.spec.id, eof, data };
  }

  receive(data: Bytes, eof: boolean): Result<Bytes | undefined, string> {
    this.#received += data.length;
    if (this.#received > this.spec.messageBytesMax) {
      return err(`message on channel ${hexId(this.spec.id)} exceeds ${this.spec.messageBytesMax} bytes`);
    }
    if (data.length > 0) this.#chunks.push(data);
    if (!eof) return ok(undefined);
    const message = this.#chunks.length === 1 ? (this.#chunks[0] as Bytes) : concat(...this.#chunks);
    this.#chunks = [];
    this.#received = 0;
    return ok(message);
  }
}

const hexId = (id: number): string => `0x${id.toString(16).padStart(2, '0')}`;

/** All channels of a connection: who sends next, and what a packet adds to. */
export class Channels {
  readonly #channels: readonly Channel[];

  constructor(specs: readonly ChannelSpec[]) {
    this.#channels = specs.map((spec) => new Channel(spec));
  }

  /** False when the queue is full: the message is not sent. */
  enqueue(id: number, message: Bytes): boolean {
    const channel = this.#find(id);
    if (channel === undefined || channel.queue.length >= channel.spec.queueMax) return false;
    channel.queue.push(message);
    return true;
  }

  get waiting(): number {
    return this.#channels.reduce((sum, channel) => sum + channel.queue.length, 0);
  }

  /** The packet of the channel that has sent least for its priority; undefined when nothing waits. */
  nextPacket(): Packet | undefined {
    let best: Channel | undefined;
    for (const channel of this.#channels) {
      if (channel.queue.length === 0) continue;
      if (best === undefined || share(channel) < share(best)) best = channel;
    }
    return best?.nextPacket();
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
