import type { Peers } from '../../core/p2p/peers.ts';
import type { P2pConfig } from '../config/p2pConfig.ts';
import { reasonOf } from '../disk/files.ts';
import type { Logger } from '../log/logger.ts';
import { steadyNow } from '../system.ts';
import { loadAddressBook, saveAddressBook } from './addressBookFile.ts';
import { banFileOf, loadBans, saveBans } from './banFile.ts';

const SAVE_BOOK_MS = 120_000;
/** Delay before bans are written, so that several are written together. */
const SAVE_BANS_MS = 1000;

/** What the node keeps about peers across restarts: the address book and the bans, each in a file. */
export class PeerMemory {
  readonly #config: P2pConfig;
  readonly #peers: Peers;
  readonly #log: Logger;
  #book = 0;
  #bans = 0;
  #bookTimer: NodeJS.Timeout | undefined;
  #bansTimer: NodeJS.Timeout | undefined;

  constructor(config: P2pConfig, peers: Peers, log: Logger) {
    this.#config = config;
    this.#peers = peers;
    this.#log = log;
  }

  /** Loads both files into the peers, and saves changes from now on. */
  start(): void {
    loadAddressBook(this.#config.addressBookFile, this.#peers.book);
    this.#book = this.#peers.book.version;
    this.#peers.restoreBans(steadyNow(), loadBans(banFileOf(this.#config.addressBookFile)));
    this.#bookTimer = setInterval(() => this.#saveBook(), SAVE_BOOK_MS);
    this.#bookTimer.unref();
  }

  /** Call it when bans may have changed. */
  onChange(): void {
    if (this.#peers.standings.version === this.#bans || this.#bansTimer !== undefined) return;
    this.#bansTimer = setTimeout(() => this.#saveBans(), SAVE_BANS_MS);
    this.#bansTimer.unref();
  }

  /** Saves everything for the last time. */
  stop(): void {
    clearInterval(this.#bookTimer);
    clearTimeout(this.#bansTimer);
    this.#saveBook();
    this.#saveBans();
  }

  #saveBans(): void {
    this.#bansTimer = undefined;
    const { version } = this.#peers.standings;
    if (version === this.#bans) return;
    this.#bans = version;
    try {
      saveBans(banFileOf(this.#config.addressBookFile), this.#peers.bans(steadyNow()));
    } catch (error) {
      this.#log.warn(`the bans are not saved: ${reasonOf(error)}`);
    }
  }

  #saveBook(): void {
    const { book } = this.#peers;
    if (!this.#config.pex || book.version === this.#book) return;
    this.#book = book.version;
    try {
      saveAddressBook(this.#config.addressBookFile, book);
    } catch (error) {
      this.#log.warn(`the address book is not saved: ${reasonOf(error)}`);
    }
  }
}
