/**
 * Manages the connections to peers: dials, limits, duplicates, faults, bans, and the exchange of addresses. Without
 * I/O: the host reports what happens to sockets, and does what `PeersOut` says.
 */
import { unreachable } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Micros, Millis, PeerId } from '../types/ids.ts';
import type { NodeInfo } from '../types/peer.ts';
import { AddressBook } from './addressBook.ts';
import { type AdmissionFacts, refusalOf } from './admission.ts';
import { DialPlan } from './dialPlan.ts';
import { plainIp } from './ip.ts';
import { type Link, type LinkId, Links, oldestOfBusiest, type PeerLink } from './links.ts';
import { Named } from './named.ts';
import { formatPeerAddress, type PeerAddress, portOf, publicHostOf } from './peerAddress.ts';
import type { DialOrder, PeersConfig, PeersOut } from './peersContract.ts';
import { Pex } from './pex.ts';
import { encodePexMessage, type PexMessage } from './pexMessages.ts';
import { BAN_MS_MAX, type Ban, Standings } from './standing.ts';

/** Most inbound connections in their handshake. If there are more, the IP that has most of them loses one. */
const HANDSHAKES_MAX = 64;
const PROTOCOL_FAULT = 40;
/** Operators want their own peers back even after misbehaviour. A ban of a minute limits the harm to others. */
const NEEDED_BAN_MS_MAX: Millis = 60_000;
const ENSURE_MICROS = 30_000_000;
/** Used while there is no peer at all. */
const ENSURE_ALONE_MICROS = 3_000_000;
/** A book larger than this needs no more addresses. */
const ADDRESSES_ENOUGH = 1000;

export class Peers {
  readonly book: AddressBook;
  readonly standings = new Standings();
  readonly #config: PeersConfig;
  readonly #choose: (n: number) => number;
  readonly #pex: Pex;
  readonly #named: Named;
  readonly #seeds: DialPlan;
  readonly #links = new Links();
  readonly #facts: AdmissionFacts;
  #ensureAt: Micros = 0;

  constructor(config: PeersConfig, choose: (n: number) => number) {
    const { self, isStrict } = config;
    this.#config = config;
    this.#choose = choose;

    this.#facts = {
      config,
      links: this.#links,
      standings: this.standings,
      isNeeded: (peer) => this.#isNeeded(peer),
    };
    const named = (list: readonly PeerAddress[]): PeerAddress[] =>
      list.filter(({ id }, i) => id !== self && list.findIndex((other) => other.id === id) === i);
    this.#named = new Named(config, named(config.persistent), choose);
    this.#seeds = new DialPlan(named(config.seeds), choose);
    this.book = new AddressBook({ self, isStrict, privateIds: this.#named.privateIds, choose });
    this.#pex = new Pex(this.book);
  }

  /** Connected peers, sorted by id. */
  connected(): readonly Readonly<PeerLink>[] {
    return this.#links.up();
  }

  link(id: LinkId): Readonly<Link> | undefined {
    return this.#links.get(id);
  }

  linkOf(peer: PeerId): LinkId | undefined {
    return this.#links.of(peer)?.id;
  }

  bans(now: Micros): readonly Ban[] {
    return this.standings.bans(now);
  }

  /** Restores bans of an earlier run. Also shortens those of peers that the operator has named since. */
  restoreBans(now: Micros, bans: readonly Ban[]): void {
    for (const ban of bans) {
      const latest = this.#isNeeded(ban.peer) ? now + NEEDED_BAN_MS_MAX * 1000 : ban.until;
      this.standings.restore(now, { ...ban, until: Math.min(ban.until, latest) });
      const restored = this.standings.banOf(now, ban.peer);
      if (restored !== undefined) this.#named.persistent.notBefore(ban.peer, restored.until);
    }
  }

  /** When to call `onTime`. */
  wakeAt(): Micros {
    const isWanted = (id: PeerId): boolean => !this.#links.isBusyWith(id);
    return Math.min(this.#ensureAt, this.#named.persistent.nextAt(isWanted) ?? Number.MAX_SAFE_INTEGER);
  }

  /** Dials the peers that are due, and looks for more. To be called once at the start, too. */
  onTime(now: Micros, out: PeersOut): void {
    const isWanted = (id: PeerId): boolean =>
      !this.#links.isBusyWith(id) && this.standings.banOf(now, id) === undefined;
    for (const address of this.#named.persistent.due(now, isWanted)) this.#dial(now, address, out);
    if (now < this.#ensureAt) return;
    if (this.#config.pex) this.#ensure(now, isWanted, out);
    this.#ensureAt = now + (this.#links.up().length === 0 ? ENSURE_ALONE_MICROS : ENSURE_MICROS);
  }

  /** Dials peers now, whatever the plans say, and remembers them as ordered. Skips banned and connected peers. */
  dialNow(now: Micros, order: DialOrder, out: PeersOut): Result<void, string> {
    const peers = order.peers.filter(({ id }) => id !== this.#config.self);
    const named = this.#named.add({ ...order, peers });
    if (!named.ok) return named;
    // A peer that has just been named gets a shorter ban, and is dialled when the ban ends.
    this.restoreBans(
      now,
      this.bans(now).filter(({ peer }) => peers.some(({ id }) => id === peer)),
    );
    const isFree = (id: PeerId): boolean =>
      this.standings.banOf(now, id) === undefined && !this.#links.isBusyWith(id);
    for (const address of peers) if (isFree(address.id)) this.#dial(now, address, out);
    return named;
  }

  onInbound(now: Micros, address: string, out: PeersOut): Result<LinkId, string> {
    const ip = plainIp(address);
    const open = this.#links.arriving();
    if (open.length >= HANDSHAKES_MAX) {
      const victim = oldestOfBusiest(open);
      if (victim.ip !== ip && open.filter((link) => link.ip === victim.ip).length === 1) {
        return err('too many handshakes are under way');
      }
      this.#end(now, victim, 'gives way to a newer connection', out);
    }
    return ok(this.#links.open(now, 'inbound', ip, undefined).id);
  }

  /** The socket of a dial is open, so its remote IP is known. */
  onDialled(link: LinkId, ip: string): void {
    const found = this.#links.get(link);
    if (found !== undefined) found.ip = plainIp(ip);
  }

  onHeard(now: Micros, link: LinkId): void {
    const found = this.#links.get(link);
    if (found !== undefined) found.heardAt = now;
  }

  /** The handshake is done and `peer` has proved its id: keeps or refuses the connection. */
  onReady(now: Micros, linkId: LinkId, peer: PeerId, info: NodeInfo, out: PeersOut): void {
    const link = this.#links.get(linkId);
    if (link === undefined) return;
    const refusal = refusalOf(this.#facts, now, link, peer);
    if (refusal !== undefined) {
      out.note('info', 'peer refused', { peer, ip: link.ip, reason: refusal });
      this.#end(now, link, refusal, out);
      return;
    }
    const other = this.#links.of(peer);
    if (other !== undefined) this.#end(now, other, 'replaced by a newer connection', out);
    this.#links.setUp(now, link, peer, info);
    this.#pex.onUp(peer);
    out.note('info', 'peer connected', {
      peer,
      ip: link.ip,
      direction: link.direction,
      moniker: info.moniker,
    });
    out.up(peer, link.id);
    if (this.#config.pex) this.#learn(now, link, info, out);
  }

  /** The connection has ended by itself. `isFault`: the peer broke the protocol. */
  onEnded(now: Micros, linkId: LinkId, reason: string, isFault: boolean, out: PeersOut): void {
    const link = this.#links.get(linkId);
    if (link === undefined) return;
    const fields = { ...whoOf(link), ip: link.ip, reason };
    if (link.peer === undefined) {
      out.note(link.direction === 'outbound' ? 'debug' : 'info', 'handshake failed', fields);
    } else if (isFault) this.#fault(now, link.peer, reason, out);
    else out.note('info', 'peer disconnected', fields);
    this.#end(now, link, undefined, out);
  }

  /** The node wants a peer dropped for breaking the protocol. */
  onDrop(now: Micros, peer: PeerId, reason: string, out: PeersOut): void {
    const link = this.#links.of(peer);
    if (link === undefined) return;
    this.#fault(now, peer, reason, out);
    this.#end(now, link, reason, out);
  }

  onPex(now: Micros, linkId: LinkId, bytes: Bytes, out: PeersOut): void {
    const link = this.#links.get(linkId);
    if (link?.peer === undefined || !this.#config.pex) return;
    const answer = this.#pex.onMessage(now, link.peer, bytes);
    if (!answer.ok) {
      this.#ban(now, link.peer, answer.error, BAN_MS_MAX, out);
      this.#end(now, link, answer.error, out);
      return;
    }
    switch (answer.value.kind) {
      case 'reply':
        out.sendPex(link.id, encodePexMessage(answer.value.message));
        if (this.#config.seedMode && link.direction === 'inbound' && !this.#isNeeded(link.peer)) {
          this.#end(now, link, 'a seed hangs up after answering', out);
        }
        return;
      case 'learned':
        if (answer.value.count > 0) this.#ensureAt = Math.min(this.#ensureAt, now);
        if (this.#config.seedMode && link.direction === 'outbound' && !this.#isNeeded(link.peer)) {
          this.#end(now, link, 'a seed hangs up after asking', out);
        }
        return;
      default:
        unreachable(answer.value);
    }
  }

  #isNeeded(peer: PeerId): boolean {
    return this.#named.isNeeded(peer);
  }

  #dial(now: Micros, address: PeerAddress, out: PeersOut): void {
    const link = this.#links.open(now, 'outbound', address.host, address);
    this.book.onAttempt(now, address.id);
    out.dial(link.id, address);
  }

  /** Forgets the link. With a `reason`, the host has to close the connection. */
  #end(now: Micros, link: Link, reason: string | undefined, out: PeersOut): void {
    const isItsLink = link.peer !== undefined && this.#links.of(link.peer) === link;
    if (!this.#links.remove(link)) return;
    if (reason !== undefined) out.close(link.id, reason);
    const upMicros = link.peer === undefined ? 0 : now - link.upAt;
    const id = link.peer ?? link.dialled?.id;
    if (isItsLink && link.peer !== undefined) {
      this.#pex.onDown(link.peer);
      out.down(link.peer);
    }
    if (id === undefined || this.#links.of(id) !== undefined) return;
    for (const plan of [this.#named.persistent, this.#seeds]) {
      plan.onEnd(now, id, upMicros);
      const ban = this.standings.banOf(now, id);
      if (ban !== undefined) plan.notBefore(id, ban.until);
    }
  }

  #fault(now: Micros, peer: PeerId, reason: string, out: PeersOut): void {
    out.note('warn', 'peer dropped', { peer, ip: this.#links.of(peer)?.ip ?? '', reason });
    const banMsMax = this.#isNeeded(peer) ? NEEDED_BAN_MS_MAX : BAN_MS_MAX;
    const ban = this.standings.fault(now, peer, reason, PROTOCOL_FAULT, banMsMax);
    if (ban !== undefined) this.#noteBan(now, ban, out);
  }

  #ban(now: Micros, peer: PeerId, reason: string, ms: Millis, out: PeersOut): void {
    const banMs = this.#isNeeded(peer) ? Math.min(ms, NEEDED_BAN_MS_MAX) : ms;
    this.#noteBan(now, this.standings.ban(now, peer, reason, banMs), out);
    this.book.remove(peer);
  }

  #noteBan(now: Micros, ban: Ban, out: PeersOut): void {
    const forSeconds = String(Math.ceil((ban.until - now) / 1e6));
    out.note('warn', 'peer banned', { peer: ban.peer, reason: ban.reason, seconds: forSeconds });
  }

  /** Remembers the address of a peer that answers, and asks it for others. */
  #learn(now: Micros, link: Link, info: NodeInfo, out: PeersOut): void {
    const peer = link.peer as PeerId;
    if (link.direction === 'outbound') {
      if (link.dialled !== undefined) this.book.add({ ...link.dialled, host: link.ip }, this.#config.self);
      this.book.onGood(now, peer);
      this.#ask(now, link, out);
      return;
    }
    const port = portOf(info.listenAddress);
    if (port === undefined) return;
    // Behind NAT a peer is seen at an IP where nobody can dial it. It may name a public one.
    const host = publicHostOf(info.listenAddress) ?? link.ip;
    this.book.add({ id: peer, host, port }, peer, link.ip);
  }

  #ask(now: Micros, link: Link, out: PeersOut): void {
    if (this.book.size >= ADDRESSES_ENOUGH) return;
    const request: PexMessage | undefined = this.#pex.ask(now, link.peer as PeerId);
    if (request !== undefined) out.sendPex(link.id, encodePexMessage(request));
  }

  #ensure(now: Micros, isWanted: (id: PeerId) => boolean, out: PeersOut): void {
    const { outboundMax } = this.#config;
    const outbound = this.#links
      .outbound()
      .filter((link) => !this.#isNeeded(link.peer ?? link.dialled?.id ?? ''));
    for (let missing = outboundMax - outbound.length; missing > 0; missing--) {
      const address = this.book.pick(now, (id) => isWanted(id) && !this.#named.isPlanned(id));
      if (address === undefined) break;
      this.#dial(now, address, out);
    }
    const up = this.connected();
    const one = up.length === 0 ? undefined : up[this.#choose(up.length)];
    if (one !== undefined) this.#ask(now, one, out);
    // If no address is due, because none has answered for long, the book is as good as empty.
    const isAlone = up.length === 0 && this.#links.outbound().length === 0;
    if (outbound.length >= outboundMax || (this.book.size > 0 && !isAlone)) return;
    for (const address of this.#seeds.due(now, isWanted)) {
      out.note('info', 'asking a seed', { address: formatPeerAddress(address) });
      this.#dial(now, address, out);
    }
  }
}

const whoOf = ({ peer, dialled }: Link): Readonly<Record<string, string>> =>
  peer !== undefined ? { peer } : dialled !== undefined ? { address: formatPeerAddress(dialled) } : {};
