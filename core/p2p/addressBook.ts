/**
 * Addresses of nodes that we may dial. We were told of `new` ones; `old` ones have answered. The number by group and by
 * source is limited, so that no single operator can fill the book with its own nodes. CometBFT does the same with
 * hashed buckets.
 */
import { compareText } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import { groupOf, isRoutable, parseIp } from './ip.ts';
import { isPeerId, type PeerAddress } from './peerAddress.ts';

export interface KnownAddress {
  readonly address: PeerAddress;
  /** Who named the address: a peer (maybe this one, when it connected to us), or our own id if we reached it there. */
  readonly source: PeerId;
  readonly group: string;
  /** Group of the IP that the node connected from, if it named another IP as its own; else `group`. */
  readonly via: string;
  isOld: boolean;
  /** Dials since the last success. */
  attempts: number;
  lastAttempt: Micros;
  lastSuccess: Micros;
}

export interface AddressBookOptions {
  readonly self: PeerId;
  /** Refuse addresses that cannot be reached from everywhere. */
  readonly isStrict: boolean;
  /** Never stored, and so never told to other nodes. */
  readonly privateIds: ReadonlySet<PeerId>;
  /** Returns a number from 0 to n - 1. */
  readonly choose: (n: number) => number;
}

export const ADDRESSES_MAX = 2048;
const GROUP_MAX = 256;
const SOURCE_MAX = 256;
const ATTEMPTS_MAX = 8;
const RETRY_MICROS = 15_000_000;
const SAMPLE_PERCENT = 23;
const SAMPLE_MIN = 32;

export class AddressBook {
  readonly #options: AddressBookOptions;
  readonly #known = new Map<PeerId, KnownAddress>();
  /** Grows with every change that is worth saving. */
  version = 0;

  constructor(options: AddressBookOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#known.size;
  }

  has(id: PeerId): boolean {
    return this.#known.has(id);
  }

  /** `from` is the IP that the node connected from. The node may have named another one as its own. */
  add(address: PeerAddress, source: PeerId, from = address.host): Result<void, string> {
    const { self, isStrict, privateIds } = this.#options;
    const ip = parseIp(address.host);
    if (!isPeerId(address.id)) return err('is no node id');
    if (ip === undefined) return err('is no IP address');
    if (address.port < 1 || address.port > 65535) return err('has no port');
    if (address.id === self) return err('is this node');
    if (privateIds.has(address.id)) return err('is private');
    if (isStrict && !isRoutable(ip)) return err('cannot be reached from everywhere');
    const known = this.#known.get(address.id);
    if (known !== undefined && sameAddress(known.address, address)) return ok(undefined);
    // A known address yields to the node's own word, or to where we reached the node. Any other source replaces it only
    // if it was tried and has never worked.
    const isFirstHand = source === address.id || source === self;
    if (known !== undefined && !isFirstHand && (known.isOld || known.attempts === 0)) return ok(undefined);
    const group = groupOf(ip);
    const via = groupOf(parseIp(from) ?? ip);
    if (!this.#hasRoom(address.id, group, source, via)) return err('would crowd out others');
    this.#known.set(address.id, {
      address,
      source,
      group,
      via,
      isOld: false,
      attempts: 0,
      lastAttempt: 0,
      lastSuccess: 0,
    });
    this.version += 1;
    return ok(undefined);
  }

  onAttempt(now: Micros, id: PeerId): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    known.attempts += 1;
    known.lastAttempt = now;
    this.version += 1;
    if (!known.isOld && known.attempts >= ATTEMPTS_MAX) this.remove(id);
  }

  onGood(now: Micros, id: PeerId): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    known.isOld = true;
    known.attempts = 0;
    known.lastAttempt = now;
    known.lastSuccess = now;
    this.version += 1;
  }

  remove(id: PeerId): void {
    if (this.#known.delete(id)) this.version += 1;
  }

  /** Picks an address to dial. `old` and `new` addresses are equally likely, and so are their groups. */
  pick(now: Micros, isWanted: (id: PeerId) => boolean): PeerAddress | undefined {
    const due = this.#sorted().filter(
      ({ address, attempts, lastAttempt }) =>
        isWanted(address.id) &&
        // An attempt in the future was made in an earlier run, whose clock was set back since.
        (lastAttempt === 0 ||
          lastAttempt > now ||
          now - lastAttempt >= RETRY_MICROS * 2 ** Math.min(attempts, ATTEMPTS_MAX)),
    );
    const [old, fresh] = [due.filter((one) => one.isOld), due.filter((one) => !one.isOld)];
    const [first, second] = this.#options.choose(2) === 0 ? [old, fresh] : [fresh, old];
    const from = first.length > 0 ? first : second;
    if (from.length === 0) return undefined;
    const groups = [...new Set(from.map(({ group }) => group))];
    const group = groups[this.#options.choose(groups.length)];
    const alike = from.filter((one) => one.group === group);
    return alike[this.#options.choose(alike.length)]?.address;
  }

  /** Addresses to send to a peer: a random quarter of the book, so that nobody learns all of it at once. */
  sample(max: number): readonly PeerAddress[] {
    const all = this.#sorted().filter(({ attempts }) => attempts < ATTEMPTS_MAX);
    const count = Math.min(
      max,
      all.length,
      Math.max(SAMPLE_MIN, Math.floor((all.length * SAMPLE_PERCENT) / 100)),
    );
    for (let i = 0; i < count; i++) {
      const j = i + this.#options.choose(all.length - i);
      [all[i], all[j]] = [all[j] as KnownAddress, all[i] as KnownAddress];
    }
    return all.slice(0, count).map(({ address }) => address);
  }

  /** Sorted by id. */
  entries(): readonly Readonly<KnownAddress>[] {
    return this.#sorted();
  }

  /** Takes an entry of a saved book, if the rules still allow it. */
  restore(entry: Omit<KnownAddress, 'group' | 'via'>): void {
    if (this.#known.has(entry.address.id) || !this.add(entry.address, entry.source).ok) return;
    Object.assign(this.#known.get(entry.address.id) as KnownAddress, {
      isOld: entry.isOld,
      attempts: entry.attempts,
      lastAttempt: entry.lastAttempt,
      lastSuccess: entry.lastSuccess,
    });
  }

  #hasRoom(id: PeerId, group: string, source: PeerId, via: string): boolean {
    let inGroup = 0;
    let fromGroup = 0;
    let ofSource = 0;
    for (const known of this.#known.values()) {
      if (known.address.id === id) continue;
      if (known.group === group) inGroup += 1;
      if (known.via === via) fromGroup += 1;
      if (known.source === source && known.address.id !== source) ofSource += 1;
    }
    if (inGroup >= GROUP_MAX || ofSource >= SOURCE_MAX) return false;
    // Keys cost nothing: someone with many of them may name an IP of another network with each.
    if (fromGroup >= GROUP_MAX) return false;
    return this.#known.has(id) || this.#known.size < ADDRESSES_MAX || this.#evict();
  }

  /** Makes room: forgets the new address with the most failed dials. Old addresses stay. */
  #evict(): boolean {
    let worst: KnownAddress | undefined;
    for (const known of this.#sorted()) {
      if (!known.isOld && (worst === undefined || known.attempts > worst.attempts)) worst = known;
    }
    if (worst === undefined) return false;
    this.remove(worst.address.id);
    return true;
  }

  #sorted(): KnownAddress[] {
    return [...this.#known.values()].sort((a, b) => compareText(a.address.id, b.address.id));
  }
}

const sameAddress = (a: PeerAddress, b: PeerAddress): boolean => a.host === b.host && a.port === b.port;
