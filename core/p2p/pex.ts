/** Rules of the address exchange (CometBFT's p2p/pex): who may ask, who may answer, and how often. */

import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import type { AddressBook } from './addressBook.ts';
import { parseIp } from './ip.ts';
import { isPeerId } from './peerAddress.ts';
import { decodePexMessage, PEX_ADDRESSES_MAX, type PexMessage } from './pexMessages.ts';

/** Least time between two requests of a peer. Honest peers ask every 30 s; a third allows for clocks and restarts. */
const ASK_MICROS_MIN = 10_000_000;
/** Least time between two requests of ours to one peer. */
const OWN_ASK_MICROS = 30_000_000;
/** Requests that need not keep the interval: one on connecting, one of the first round. */
const FREE_ASKS = 2;

interface Talk {
  asks: number;
  askedAt: Micros;
  /** We have asked and got no answer yet. Addresses are accepted once. */
  isAnswerDue: boolean;
  ourAskAt: Micros | undefined;
}

export type PexAnswer =
  | { readonly kind: 'reply'; readonly message: PexMessage }
  | { readonly kind: 'learned'; readonly count: number };

export class Pex {
  readonly #book: AddressBook;
  /** One entry for each connected peer. */
  readonly #talks = new Map<PeerId, Talk>();

  constructor(book: AddressBook) {
    this.#book = book;
  }

  onUp(peer: PeerId): void {
    this.#talks.set(peer, { asks: 0, askedAt: 0, isAnswerDue: false, ourAskAt: undefined });
  }

  onDown(peer: PeerId): void {
    this.#talks.delete(peer);
  }

  /** The request to send; undefined if an earlier one is unanswered or too recent. */
  ask(now: Micros, peer: PeerId): PexMessage | undefined {
    const talk = this.#talks.get(peer);
    if (talk === undefined || talk.isAnswerDue) return undefined;
    if (talk.ourAskAt !== undefined && now - talk.ourAskAt < OWN_ASK_MICROS) return undefined;
    talk.isAnswerDue = true;
    talk.ourAskAt = now;
    return { kind: 'request' };
  }

  /** An error is abuse: the sender is to be banned. */
  onMessage(now: Micros, peer: PeerId, bytes: Bytes): Result<PexAnswer, string> {
    const talk = this.#talks.get(peer);
    const decoded = decodePexMessage(bytes);
    if (!decoded.ok) return err(decoded.error.message);
    if (talk === undefined) return ok({ kind: 'learned', count: 0 });
    return decoded.value.kind === 'request'
      ? this.#onRequest(now, talk)
      : this.#onAddresses(peer, talk, decoded.value);
  }

  #onRequest(now: Micros, talk: Talk): Result<PexAnswer, string> {
    talk.asks += 1;
    if (talk.asks > FREE_ASKS && now - talk.askedAt < ASK_MICROS_MIN) {
      return err(`asks for addresses more often than every ${ASK_MICROS_MIN / 1e6} s`);
    }
    talk.askedAt = now;
    const addresses = this.#book
      .sample(PEX_ADDRESSES_MAX)
      .map(({ id, host, port }) => ({ id, ip: host, port }));
    return ok({ kind: 'reply', message: { kind: 'addresses', addresses } });
  }

  #onAddresses(
    peer: PeerId,
    talk: Talk,
    message: Extract<PexMessage, { kind: 'addresses' }>,
  ): Result<PexAnswer, string> {
    if (!talk.isAnswerDue) return err('sends addresses unasked');
    talk.isAnswerDue = false;
    let count = 0;
    for (const { id, ip, port } of message.addresses) {
      if (!isPeerId(id) || parseIp(ip) === undefined || port < 1 || port > 65535) {
        return err(`sends the address "${id.slice(0, 40)}@${ip}:${port}", which is none`);
      }
      // If the book does not want an address (not routable, private, too many alike), that is not the sender's fault.
      if (this.#book.add({ id, host: ip, port }, peer).ok) count += 1;
    }
    return ok({ kind: 'learned', count });
  }
}
