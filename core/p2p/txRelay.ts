/**
 * Transactions on their way to peers. A message alone costs both ends several times what it costs among others, and in
 * a full mesh most of what a node passes on is known already. So they are gathered for a moment, joined, and not sent
 * to whoever has sent them meanwhile. What a node was given by its own clients goes at once when the line was quiet.
 */
import { decodeTxsMessage, encodeTxsMessage } from '../codec/messages.ts';
import { type Bytes, compareText, toHex } from '../lib/bytes.ts';
import type { Micros, PeerId } from '../types/ids.ts';

/** Between two messages to one peer at least; what was heard from a peer waits so long, or twice. */
const GATHER_MICROS: Micros = 40_000;
/** Of one message; a receiver checks all of them in one go. */
const MESSAGE_TXS_MAX = 32;
const MESSAGE_BYTES_MAX = 64 * 1024;
/** Waiting for one peer; what comes then is lost to it, unless others have it. */
const WAITING_TXS_MAX = 8192;
const WAITING_BYTES_MAX = 8 << 20;
/** Remembered transactions of peers, and of one message. */
const HEARD_MAX = 10_000;
const HEARD_OF_MESSAGE_MAX = 256;

interface Waiting {
  readonly key: string;
  readonly tx: Bytes;
}

interface Line {
  /** Our own, and those heard from others. */
  own: Waiting[];
  heard: Waiting[];
  bytes: number;
  ownAt: Micros;
  heardAt: Micros;
  sentAt: Micros;
}

const NEVER: Micros = Number.MAX_SAFE_INTEGER;

export class TxRelay {
  readonly #self: PeerId;
  readonly #sha256: (bytes: Bytes) => Bytes;
  readonly #lines = new Map<PeerId, Line>();
  /** Who has sent it, oldest transaction first. */
  readonly #heard = new Map<string, Set<PeerId>>();

  constructor(self: PeerId, sha256: (bytes: Bytes) => Bytes) {
    this.#self = self;
    this.#sha256 = sha256;
  }

  /** A peer has sent these. */
  onHeard(peer: PeerId, txs: readonly Bytes[]): void {
    for (const tx of txs.slice(0, HEARD_OF_MESSAGE_MAX)) {
      const key = toHex(this.#sha256(tx));
      const known = this.#heard.get(key);
      if (known !== undefined) {
        known.add(peer);
        continue;
      }
      this.#heard.set(key, new Set([peer]));
      if (this.#heard.size > HEARD_MAX) this.#heard.delete(this.#heard.keys().next().value as string);
    }
  }

  onDown(peer: PeerId): void {
    this.#lines.delete(peer);
  }

  /** Takes a Txs message of our own making on its way to `to`. */
  send(now: Micros, to: readonly PeerId[], message: Bytes): void {
    const decoded = decodeTxsMessage(message);
    if (!decoded.ok) return;
    for (const tx of decoded.value.txs) {
      const key = toHex(this.#sha256(tx));
      const known = this.#heard.get(key);
      for (const peer of to)
        if (known?.has(peer) !== true) this.#queue(now, peer, { key, tx }, known !== undefined);
    }
  }

  /** When `due` wants to be called; undefined while nothing waits. */
  wakeAt(): Micros | undefined {
    let at = NEVER;
    for (const line of this.#lines.values()) at = Math.min(at, line.ownAt, line.heardAt);
    return at === NEVER ? undefined : at;
  }

  /** What is to be sent now. */
  due(now: Micros): readonly { readonly to: PeerId; readonly message: Bytes }[] {
    const out: { to: PeerId; message: Bytes }[] = [];
    for (const [to, line] of this.#lines) {
      if (now < Math.min(line.ownAt, line.heardAt)) continue;
      const heard =
        now < line.heardAt ? [] : line.heard.filter(({ key }) => this.#heard.get(key)?.has(to) !== true);
      for (const message of messagesOf([...line.own, ...heard])) {
        out.push({ to, message });
        line.sentAt = now;
      }
      if (now >= line.heardAt) [line.heard, line.heardAt] = [[], NEVER];
      [line.own, line.ownAt] = [[], NEVER];
      line.bytes = line.heard.reduce((sum, { tx }) => sum + tx.length, 0);
    }
    return out;
  }

  #queue(now: Micros, peer: PeerId, waiting: Waiting, isHeard: boolean): void {
    const line = this.#lineOf(peer);
    if (line.own.length + line.heard.length >= WAITING_TXS_MAX) return;
    if (line.bytes + waiting.tx.length > WAITING_BYTES_MAX) return;
    line.bytes += waiting.tx.length;
    if (!isHeard) {
      line.own.push(waiting);
      line.ownAt = Math.min(line.ownAt, Math.max(now, line.sentAt + GATHER_MICROS));
      return;
    }
    line.heard.push(waiting);
    // Of two that have heard the same, the lower id speaks first: then the other has no need to.
    const wait = compareText(this.#self, peer) < 0 ? GATHER_MICROS : 2 * GATHER_MICROS;
    line.heardAt = Math.min(line.heardAt, now + wait);
  }

  #lineOf(peer: PeerId): Line {
    const known = this.#lines.get(peer);
    if (known !== undefined) return known;
    const line: Line = { own: [], heard: [], bytes: 0, ownAt: NEVER, heardAt: NEVER, sentAt: -GATHER_MICROS };
    this.#lines.set(peer, line);
    return line;
  }
}

/** Joins transactions to messages that a receiver can check in one go. */
export function messagesOf(waiting: readonly { readonly tx: Bytes }[]): readonly Bytes[] {
  const messages: Bytes[] = [];
  let txs: Bytes[] = [];
  let bytes = 0;
  for (const { tx } of waiting) {
    if (txs.length >= MESSAGE_TXS_MAX || (txs.length > 0 && bytes + tx.length > MESSAGE_BYTES_MAX)) {
      messages.push(encodeTxsMessage({ txs }));
      [txs, bytes] = [[], 0];
    }
    txs.push(tx);
    bytes += tx.length;
  }
  if (txs.length > 0) messages.push(encodeTxsMessage({ txs }));
  return messages;
}
