/**
 * Relays transactions to peers. A message of one transaction costs both ends several times its share of a larger
 * message, and in a full mesh most of what a node passes on is known already. So transactions are gathered for a
 * moment, joined, and not sent to peers that have sent them meanwhile. Those of the node's own clients are sent at once
 * if the line was quiet.
 *
 * A peer misses no transaction that stays in the pool: its line begins with the whole pool, waits while the peer is
 * behind the chain, and takes back what could not be sent.
 */
import { txsMessageBytes } from '../codec/limits.ts';
import { decodeTxsMessage, encodeTxsMessage } from '../codec/messages.ts';
import { type Bytes, compareText, toHex } from '../lib/bytes.ts';
import { inserted } from '../lib/inserted.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { Millis, PeerId } from '../types/ids.ts';
import { RelayLine, type RelayTx } from './relayLine.ts';

/** The unit of time here. Counting ticks avoids a clock that may be set back. */
const TICK_MS: Millis = 20;
/** Least ticks between two messages to one peer. */
const GATHER_TICKS = 2;
/** Ticks that a peer's transaction waits before it is passed on: by the node with the lower id, and by the other. */
const FIRST_TICKS = 2;
const SECOND_TICKS = 4;
/** A peer that had no room or is behind is tried again after this many ticks, or up to twice as many. */
const REST_TICKS = 25;
/** Limits of one message. The receiver checks all its transactions in one go. */
const MESSAGE_TXS_MAX = 32;
const MESSAGE_BYTES_MAX = 64 * 1024;
/** Most bytes before each transaction of a message, and before all of them: a tag and a length. */
const FRAMING_BYTES_MAX = 6;
/** Most transactions for which it is remembered which peers have sent them. */
const HEARD_MAX = 10_000;

export interface RelayOut {
  send(to: PeerId, message: Bytes): void;
  /** Asks for `onTick(turn)` after this delay. */
  tickAfter(afterMs: Millis, turn: number): void;
}

export interface RelayOptions {
  readonly self: PeerId;
  readonly sha256: (bytes: Bytes) => Bytes;
  /** The transaction in the pool with this key (lower-case hex of its sha256). */
  readonly pooled: (key: string) => RelayTx | undefined;
  /** Most transactions that the pool holds. */
  readonly poolTxsMax: number;
  /** Size of the largest transaction that the pool takes. */
  readonly txBytesMax: number;
  /** False for a peer that is behind, and so cannot check our transactions yet. */
  readonly isReady: (peer: PeerId) => boolean;
  readonly sizes?: Sizes;
}

export class TxRelay {
  readonly #options: RelayOptions;
  readonly #sizes: Sizes;
  readonly #messageBytesMax: number;
  /** Sorted by peer, so that the order of connections decides nothing. */
  #lines: readonly RelayLine[] = [];
  /** By transaction key, oldest first: the peers that have sent it. */
  readonly #heard = new Map<string, Set<PeerId>>();
  /** Something may be due in this very step. */
  #isFresh = false;
  #turn = 0;
  /** The current timer. Ticks of earlier ones are ignored. */
  #armed: { readonly turn: number; readonly ticks: number } | undefined;
  /** The timer of resting lines. It is never replaced: under traffic, it would start over again and again. */
  #restTurn: number | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#sizes = options.sizes ?? USUAL_SIZES;
    // A peer with the same settings refuses a larger message than one with its largest transaction.
    this.#messageBytesMax = Math.min(
      this.#sizes.bytesAtOnce(MESSAGE_BYTES_MAX),
      txsMessageBytes(options.txBytesMax),
    );
  }

  /** `pool` is what the pool already holds, in order of arrival. */
  onPeerUp(peer: PeerId, pool: readonly RelayTx[]): void {
    const line = new RelayLine(peer, this.#isWanted, 2 * this.#options.poolTxsMax, this.#sizes);
    for (const tx of pool) line.addHeard(tx, this.#relayDelayTicks(peer));
    const others = this.#lines.filter((other) => other.peer !== peer);
    this.#lines = inserted(others, line, (other) => compareText(other.peer, peer) > 0);
    this.#isFresh = true;
  }

  onPeerDown(peer: PeerId): void {
    this.#lines = this.#lines.filter((line) => line.peer !== peer);
    // If the peer comes back, it may have forgotten its transactions.
    for (const peers of this.#heard.values()) peers.delete(peer);
  }

  /** A peer has sent this transaction. */
  onHeard(peer: PeerId, key: string): void {
    const known = this.#heard.get(key);
    if (known !== undefined) {
      known.add(peer);
      return;
    }
    this.#heard.set(key, new Set([peer]));
    if (this.#heard.size > HEARD_MAX) this.#heard.delete(this.#heard.keys().next().value as string);
  }

  /** A transaction is new in the pool. */
  offer(tx: RelayTx): void {
    const known = this.#heard.get(tx.key);
    for (const line of this.#lines) {
      if (known === undefined) line.addOwn(tx);
      else if (!known.has(line.peer)) line.addHeard(tx, this.#relayDelayTicks(line.peer));
    }
    this.#isFresh = true;
  }

  /** A message to the peer found no room in the queue: its transactions wait again. */
  onUnsent(peer: PeerId, message: Bytes): void {
    const line = this.#lines.find((one) => one.peer === peer);
    const decoded = decodeTxsMessage(message);
    if (line === undefined || !decoded.ok) return;
    const back = decoded.value.txs.flatMap((tx) => {
      const pooled = this.#options.pooled(toHex(this.#options.sha256(tx)));
      return pooled === undefined ? [] : [pooled];
    });
    line.takeBack(back);
    this.#rest(line);
    this.#isFresh = true;
  }

  onTick(turn: number, out: RelayOut): void {
    if (turn === this.#restTurn) {
      this.#restTurn = undefined;
      for (const line of this.#lines) line.restTurns = Math.max(0, line.restTurns - 1);
    } else if (turn === this.#armed?.turn) {
      for (const line of this.#lines) line.pass(this.#armed.ticks);
      this.#armed = undefined;
    } else return;
    this.#send(out);
  }

  /** Called once after each input. */
  flush(out: RelayOut): void {
    if (!this.#isFresh) return;
    this.#send(out);
  }

  #send(out: RelayOut): void {
    this.#isFresh = false;
    let last: { readonly txs: readonly RelayTx[]; readonly messages: readonly Bytes[] } | undefined;
    for (const line of this.#lines) {
      if (!line.isDue) continue;
      if (!this.#options.isReady(line.peer)) {
        this.#rest(line);
        continue;
      }
      const txs = line.take(({ key }) => this.#heard.get(key)?.has(line.peer) === true);
      if (txs.length === 0) continue;
      line.quietTicks = GATHER_TICKS;
      // Transactions of our own clients go to all peers alike, so the messages are encoded once.
      if (last === undefined || !isSame(last.txs, txs)) last = { txs, messages: this.#messagesOf(txs) };
      for (const message of last.messages) out.send(line.peer, message);
    }
    this.#arm(out);
  }

  /** Joins transactions into messages that a receiver can check in one go. */
  #messagesOf(list: readonly RelayTx[]): readonly Bytes[] {
    const txsMax = this.#sizes.atOnce(MESSAGE_TXS_MAX);
    const messages: Bytes[] = [];
    let txs: Bytes[] = [];
    let size = FRAMING_BYTES_MAX;
    for (const { bytes } of list) {
      const more = FRAMING_BYTES_MAX + bytes.length;
      if (txs.length >= txsMax || (txs.length > 0 && size + more > this.#messageBytesMax)) {
        messages.push(encodeTxsMessage({ txs }));
        [txs, size] = [[], FRAMING_BYTES_MAX];
      }
      txs.push(bytes);
      size += more;
    }
    if (txs.length > 0) messages.push(encodeTxsMessage({ txs }));
    return messages;
  }

  /** If a rest turn is already running, part of it has passed: wait for one more. */
  #rest(line: RelayLine): void {
    line.restTurns = this.#restTurn === undefined ? 1 : 2;
  }

  #arm(out: RelayOut): void {
    if (this.#restTurn === undefined && this.#lines.some(({ restTurns }) => restTurns > 0)) {
      this.#restTurn = this.#tickAfter(REST_TICKS, out);
    }
    const ticks = this.#lines.reduce((min, line) => Math.min(min, line.nextTicks), Number.MAX_SAFE_INTEGER);
    if (ticks === Number.MAX_SAFE_INTEGER) return;
    if (this.#armed !== undefined && this.#armed.ticks <= ticks) return;
    this.#armed = { ticks, turn: this.#tickAfter(ticks, out) };
  }

  #tickAfter(ticks: number, out: RelayOut): number {
    this.#turn += 1;
    out.tickAfter(ticks * TICK_MS, this.#turn);
    return this.#turn;
  }

  /** Of two nodes that have heard the same transaction, the lower id sends first, so that the other need not. */
  #relayDelayTicks(peer: PeerId): number {
    return compareText(this.#options.self, peer) < 0 ? FIRST_TICKS : SECOND_TICKS;
  }

  readonly #isWanted = (tx: RelayTx): boolean => this.#options.pooled(tx.key) === tx;
}

const isSame = (a: readonly RelayTx[], b: readonly RelayTx[]): boolean =>
  a.length === b.length && a.every((tx, i) => tx === b[i]);
