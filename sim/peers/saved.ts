import type { AddressBook, KnownAddress } from '../../core/p2p/addressBook.ts';
import type { Ban } from '../../core/p2p/standing.ts';

/** What a node's peer manager has on disk: `addrbook.json` and `bans.json` of the real one. */
export class Saved {
  #book: readonly Omit<KnownAddress, 'group'>[] = [];
  #bans: readonly Ban[] = [];

  get bans(): readonly Ban[] {
    return this.#bans;
  }

  keepBans(bans: readonly Ban[]): void {
    this.#bans = bans;
  }

  keepBook(book: AddressBook): void {
    this.#book = book.entries().map((entry) => ({ ...entry }));
  }

  fill(book: AddressBook): void {
    for (const entry of this.#book) book.restore(entry);
  }
}
