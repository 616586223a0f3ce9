/**
 * One connection to a peer, without I/O: bytes and times go in; bytes, events and the next deadline come out.
 * SecretConnection, then the exchange of NodeInfo, then packets on channels (p2p/conn of CometBFT 0.38).
 *
 * The host: feeds `onBytes` with what the socket read, calls `onTime` at `deadline()`, and after either takes
 * `events()` and writes what `take()` gives while the socket accepts bytes.
 */
import { ed25519Address } from '../crypto/addresses.ts';
import { type Bytes, joined, toHex } from '../lib/bytes.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import type { ChannelState } from '../types/peer.ts';
import { Channels } from './channels.ts';
import type { ConnectionEvent, ConnectionOptions } from './connectionContract.ts';
import { DelimitedReader, delimited } from './delimited.ts';
import { connectionSecrets, nobleKeyExchange } from './handshake.ts';
import { checkNodeInfo, decodeNodeInfo, encodeNodeInfo, NODE_INFO_BYTES_MAX } from './nodeInfo.ts';
import {
  decodeAuth,
  decodeKey,
  decodePacket,
  encodeAuth,
  encodeKey,
  encodePacket,
  PACKET_OVERHEAD_BYTES,
  PAYLOAD_BYTES_DEFAULT,
} from './packets.ts';
import { nobleAead, Opener, Sealer } from './sealed.ts';
import { TokenBucket } from './tokenBucket.ts';

const STAGE_MICROS_MAX = 3_000_000;
/** CometBFT's ping interval and pong timeout. */
const PING_MS = 60_000;
const PONG_MS_MAX = 45_000;
/** If the host was delayed or does not read, it checks again this much later: the pong may be unread in the socket. */
const SECOND_LOOK_MICROS = 1_000_000;
const DECAY_MICROS = 2_000_000;
/**
 * What a smaller packet counts as against the receive rate: to handle it costs time even if it is empty. A packet that
 * an honest peer sends alone fills a frame of more bytes anyway.
 */
const PACKET_COST_BYTES = 64;
/** A hundred bytes are enough for either message, and anybody may send them. */
const AUTH_BYTES_MAX = 1024;
const KEY_BYTES_MAX = 1024;

type Stage = 'key' | 'auth' | 'info' | 'running' | 'closed';

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #channels: Channels;
  readonly #plain = new DelimitedReader();
  readonly #sendBucket: TokenBucket;
  readonly #receiveBucket: TokenBucket;
  #stage: Stage = 'key';
  #events: ConnectionEvent[] = [];
  /** Handshake bytes and control packets, ready for the wire. */
  #outbox: Bytes[] = [];
  #sealer: Sealer | undefined;
  #opener: Opener | undefined;
  #challenge: Bytes | undefined;
  #peer: PeerId = '';
  #stageEnds: Micros;
  #pingAt: Micros = 0;
  #pongBy: Micros | undefined;
  #decayAt: Micros = 0;
  readonly #payloadBytes: number;
  readonly #pingMicros: Micros;
  readonly #pongMicros: Micros;

  constructor(now: Micros, options: ConnectionOptions) {
    this.#options = options;
    this.#payloadBytes = options.payloadBytesMax ?? PAYLOAD_BYTES_DEFAULT;
    this.#pingMicros = (options.pingMs ?? PING_MS) * 1000;
    this.#pongMicros = (options.pongMsMax ?? PONG_MS_MAX) * 1000;
    this.#channels = new Channels(options.channels, this.#payloadBytes, options.queuedBytesMax);
    this.#sendBucket = new TokenBucket(now, options.sendRate);
    this.#receiveBucket = new TokenBucket(now, options.receiveRate);
    this.#stageEnds = now + STAGE_MICROS_MAX;
    const exchange = options.keyExchange ?? nobleKeyExchange;
    this.#outbox.push(delimited(encodeKey(exchange.publicKey(options.ephemeralSecret))));
  }

  events(): readonly ConnectionEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** When to call `onTime`; undefined once closed. */
  deadline(): Micros | undefined {
    if (this.#stage === 'closed') return undefined;
    if (this.#stage !== 'running') return this.#stageEnds;
    return Math.min(this.#pingAt, this.#decayAt, this.#pongBy ?? Number.MAX_SAFE_INTEGER);
  }

  /** `isReading`: the host reads from the socket, so silence is the peer's fault. */
  onTime(now: Micros, isReading = true): void {
    if (this.#stage === 'closed') return;
    if (this.#stage !== 'running') {
      if (now >= this.#stageEnds)
        this.close(`no ${this.#stage} message within ${STAGE_MICROS_MAX / 1e6} s`, false);
      return;
    }
    if (this.#pongBy !== undefined && now >= this.#pongBy) {
      if (isReading && now - this.#pongBy < SECOND_LOOK_MICROS) {
        return this.close(`no pong within ${this.#pongMicros / 1e6} s`, false);
      }
      this.#pongBy = now + SECOND_LOOK_MICROS;
    }
    if (now >= this.#pingAt) {
      this.#control('ping');
      this.#pingAt = now + this.#pingMicros;
      this.#pongBy ??= now + this.#pongMicros;
    }
    if (now >= this.#decayAt) {
      this.#channels.decay();
      this.#decayAt = now + DECAY_MICROS;
    }
  }

  onBytes(now: Micros, bytes: Bytes): void {
    if (this.#stage === 'closed') return;
    this.#receiveBucket.spend(now, bytes.length);
    if (this.#opener === undefined) {
      this.#plain.push(bytes);
    } else {
      const opened = this.#opener.open(bytes);
      if (!opened.ok) return this.close(opened.error);
      this.#plain.push(opened.value);
    }
    while (this.#advance(now)) {
      // Each turn handles one whole message; the stage decides what it is.
    }
  }

  /** How long the host should stop reading to keep to the receive rate; 0 if it need not. */
  readPauseMicros(now: Micros): Micros {
    return this.#receiveBucket.debtMicros(now);
  }

  /** Queues a message. False when not running or the channel's queue is full. */
  send(channel: number, bytes: Bytes): boolean {
    return this.#stage === 'running' && this.#channels.enqueue(channel, bytes);
  }

  get queued(): number {
    return this.#channels.waiting;
  }

  /** Bytes to write now, about `bytesMax` at most; undefined if there are none or the send rate is exhausted. */
  take(now: Micros, bytesMax: number): Bytes | undefined {
    const chunks = this.#outbox;
    this.#outbox = [];
    let size = 0;
    const packets: Bytes[] = [];
    while (this.#stage === 'running' && size < bytesMax && this.#sendBucket.debtMicros(now) === 0) {
      const packet = this.#channels.nextPacket();
      if (packet === undefined) break;
      const bytes = delimited(encodePacket(packet));
      this.#sendBucket.spend(now, bytes.length);
      size += bytes.length;
      packets.push(bytes);
    }
    if (packets.length > 0 && this.#sealer !== undefined) chunks.push(this.#sealer.seal(joined(packets)));
    return chunks.length === 0 ? undefined : joined(chunks);
  }

  /** How long until the send rate allows the next packet; 0 if it does now. */
  sendPauseMicros(now: Micros): Micros {
    return this.#sendBucket.debtMicros(now);
  }

  /** Bytes held of messages that are not complete. The host bounds them over all its connections. */
  get unfinishedBytes(): number {
    return this.#channels.unfinishedBytes;
  }

  get channelStates(): readonly ChannelState[] {
    return this.#channels.states;
  }

  /** `isFault`: the peer broke the protocol, rather than falling silent. */
  close(reason: string, isFault = true): void {
    if (this.#stage === 'closed') return;
    this.#stage = 'closed';
    this.#events.push({ kind: 'closed', reason, isFault });
  }

  /** Handles one whole message. False if more bytes are needed or the connection is closed. */
  #advance(now: Micros): boolean {
    switch (this.#stage) {
      case 'key':
        return this.#onKey(now);
      case 'auth':
        return this.#onAuth(now);
      case 'info':
        return this.#onInfo(now);
      case 'running':
        return this.#onPacket(now);
      default:
        return false;
    }
  }

  #next(bytesMax: number): Bytes | undefined {
    const next = this.#plain.next(bytesMax);
    if (next.ok) return next.value;
    this.close(next.error);
    return undefined;
  }

  #fail(reason: string): false {
    this.close(reason);
    return false;
  }

  #enter(now: Micros, stage: Stage): void {
    this.#stage = stage;
    this.#stageEnds = now + STAGE_MICROS_MAX;
  }

  #onKey(now: Micros): boolean {
    const message = this.#next(KEY_BYTES_MAX);
    if (message === undefined) return false;
    const key = decodeKey(message);
    if (!key.ok) return this.#fail(key.error.message);
    const { ephemeralSecret, keyExchange } = this.#options;
    const secrets = connectionSecrets(ephemeralSecret, key.value.value, keyExchange);
    if (!secrets.ok) return this.#fail(secrets.error);
    const { sendKey, receiveKey, challenge } = secrets.value;
    this.#sealer = new Sealer(sendKey, this.#options.aead ?? nobleAead);
    this.#opener = new Opener(receiveKey, this.#options.aead ?? nobleAead);
    this.#challenge = challenge;
    const { suite, nodeSeed } = this.#options;
    const pubKey = { type: 'ed25519', bytes: suite.ed25519PublicKey(nodeSeed) } as const;
    const signature = suite.ed25519Sign(nodeSeed, challenge);
    this.#outbox.push(this.#sealer.seal(delimited(encodeAuth({ pubKey, signature }))));
    this.#enter(now, 'auth');
    // Bytes that arrived after the key are already encrypted.
    const early = this.#opener.open(this.#plain.takeAll());
    if (!early.ok) return this.#fail(early.error);
    this.#plain.push(early.value);
    return true;
  }

  #onAuth(now: Micros): boolean {
    const message = this.#next(AUTH_BYTES_MAX);
    if (message === undefined) return false;
    const auth = decodeAuth(message);
    if (!auth.ok) return this.#fail(auth.error.message);
    const { pubKey, signature } = auth.value;
    if (pubKey.type !== 'ed25519') return this.#fail(`node key of type ${pubKey.type}, expected ed25519`);
    const { suite, expectedId, self } = this.#options;
    if (!suite.ed25519Verify(pubKey.bytes, this.#challenge as Bytes, signature)) {
      return this.#fail('challenge signature does not verify');
    }
    this.#peer = toHex(ed25519Address(pubKey.bytes));
    if (expectedId !== undefined && this.#peer !== expectedId) {
      return this.#fail(`is ${this.#peer}, but ${expectedId} was dialled`);
    }
    this.#outbox.push((this.#sealer as Sealer).seal(delimited(encodeNodeInfo(self))));
    this.#enter(now, 'info');
    return true;
  }

  #onInfo(now: Micros): boolean {
    const message = this.#next(NODE_INFO_BYTES_MAX);
    if (message === undefined) return false;
    const info = decodeNodeInfo(message);
    if (!info.ok) return this.#fail(info.error.message);
    const checked = checkNodeInfo(this.#options.self, info.value, this.#peer);
    if (!checked.ok) return this.#fail(checked.error);
    this.#enter(now, 'running');
    this.#pingAt = now + this.#pingMicros;
    this.#decayAt = now + DECAY_MICROS;
    this.#events.push({ kind: 'ready', peer: this.#peer, info: info.value });
    return true;
  }

  #onPacket(now: Micros): boolean {
    const message = this.#next(this.#payloadBytes + PACKET_OVERHEAD_BYTES);
    if (message === undefined) return false;
    this.#receiveBucket.spend(now, Math.max(0, PACKET_COST_BYTES - message.length));
    const decoded = decodePacket(message);
    if (!decoded.ok) return this.#fail(decoded.error.message);
    const packet = decoded.value;
    if (packet.kind === 'ping') this.#control('pong');
    else if (packet.kind === 'pong') this.#pongBy = undefined;
    else {
      if (packet.data.length > this.#payloadBytes) return this.#fail('packet carries too much');
      const whole = this.#channels.receive(packet.channel, packet.data, packet.eof);
      if (!whole.ok) return this.#fail(whole.error);
      if (whole.value !== undefined) {
        this.#events.push({ kind: 'message', channel: packet.channel, bytes: whole.value });
      }
    }
    return true;
  }

  #control(kind: 'ping' | 'pong'): void {
    if (this.#outbox.length >= CONTROL_MAX) return this.close('does not read what it asks for');
    this.#outbox.push((this.#sealer as Sealer).seal(delimited(encodePacket({ kind }))));
  }
}

/** Most control packets that wait for the socket. A peer that pings without reading is disconnected. */
const CONTROL_MAX = 64;
