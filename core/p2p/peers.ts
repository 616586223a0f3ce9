/**
 * Who we are connected to and why: dials, limits, duplicates, faults, bans, the exchange of addresses. Without I/O: the
 * host reports what happens to sockets, and does what `PeersOut` says.
 */
import { unreachable } from '../lib/assert.ts';
import { type Bytes, compareText } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Micros, Millis, PeerId } from '../types/ids.ts';
import { AddressBook } from './addressBook.ts';
import { DialPlan } from './dialPlan.ts';
import { plainIp } from './ip.ts';
import type { NodeInfo } from './nodeInfo.ts';
import { formatPeerAddress, type PeerAddress, portOf } from './peerAddress.ts';
import { Pex } from './pex.ts';
import { encodePexMessage, type PexMessage } from './pexMessages.ts';
import { BAN_MS_MAX, type Ban, Standings } from './standing.ts';

/** Names one connection, from the dial or the accept on. */
export type LinkId = number;
export type Direction = 'inbound' | 'outbound';

export interface PeersConfig {
  readonly self: PeerId;
  readonly persistent: readonly PeerAddress[];
  readonly seeds: readonly PeerAddress[];
  /** Peers beyond these are refused; unconditional and persistent ones do not count. */
  readonly inboundMax: number;
  readonly outboundMax: number;
  readonly unconditional: ReadonlySet<PeerId>;
  /** Never told to others. */
  readonly privateIds: ReadonlySet<PeerId>;
  readonly allowDuplicateIp: boolean;
  readonly isStrict: boolean;
  readonly pex: boolean;
  /** Answer with addresses, then hang up. */
  readonly seedMode: boolean;
  /** Longest wait between dials of a persistent peer; 0 for the usual one. */
  readonly persistentDialMsMax: Millis;
}

export interface PeersOut {
  dial(link: LinkId, address: PeerAddress): void;
  /** Writes what is queued, then ends the socket. Nothing is reported about the link any more. */
  close(link: LinkId, reason: string): void;
  up(peer: PeerId, link: LinkId): void;
  down(peer: PeerId): void;
  sendPex(link: LinkId, bytes: Bytes): void;
  note(level: 'debug' | 'info' | 'warn', text: string, fields: Readonly<Record<string, string>>): void;
}

export interface Link {
  readonly id: LinkId;
  readonly direction: Direction;
  /** Remote IP, or the host that was dialled until it is known. */
  ip: string;
  readonly dialled: PeerAddress | undefined;
  readonly openedAt: Micros;
  heardAt: Micros;
  /** Set once the handshake is done. */
  peer: PeerId | undefined;
  info: NodeInfo | undefined;
  upAt: Micros;
}

/** Inbound connections in their handshake. When all are taken, the IP that holds most gives one up. */
const HANDSHAKES_MAX = 64;
const PROTOCOL_FAULT = 40;
/** Operators want their own peers back even when those misbehave; a minute keeps them from costing others much. */
const NEEDED_BAN_MS_MAX: Millis = 60_000;
/** Two nodes that dial each other at once end up with two connections within this time. */
const CROSSING_MICROS = 5_000_000;
const ENSURE_MICROS = 30_000_000;
/** While there is nobody at all. */
const ENSURE_ALONE_MICROS = 3_000_000;
/** A book larger than this needs no more addresses. */
const ADDRESSES_ENOUGH = 1000;

export class Peers {
  readonly book: AddressBook;
  readonly standings = new Standings();
  readonly #config: PeersConfig;
  readonly #choose: (n: number) => number;
  readonly #pex: Pex;
  readonly #persistent: DialPlan;
  readonly #seeds: DialPlan;
  readonly #links = new Map<LinkId, Link>();
  readonly #byPeer = new Map<PeerId, Link>();
  #lastLink: LinkId = 0;
  #ensureAt: Micros = 0;

  constructor(config: PeersConfig, choose: (n: number) => number) {
    const { self, isStrict, privateIds } = config;
    this.#config = config;
    this.#choose = choose;
    this.book = new AddressBook({ self, isStrict, privateIds, choose });
    this.#pex = new Pex(this.book);
    const named = (list: readonly PeerAddress[]): PeerAddress[] =>
      list.filter(({ id }, i) => id !== self && list.findIndex((other) => other.id === id) === i);
    const dialMsMax = config.persistentDialMsMax > 0 ? config.persistentDialMsMax : undefined;
    this.#persistent = new DialPlan(named(config.persistent), choose, dialMsMax);
    this.#seeds = new DialPlan(named(config.seeds), choose);
  }

  /** Connected peers, sorted by id. */
  connected(): readonly Readonly<Link & { peer: PeerId; info: NodeInfo }>[] {
    return [...this.#byPeer.values()]
      .flatMap((link) => (link.peer === undefined || link.info === undefined ? [] : [link as never]))
      .sort((a: Link, b: Link) => compareText(a.peer as PeerId, b.peer as PeerId));
  }

  link(id: LinkId): Readonly<Link> | undefined {
    return this.#links.get(id);
  }

  linkOf(peer: PeerId): LinkId | undefined {
    return this.#byPeer.get(peer)?.id;
  }

  bans(now: Micros): readonly Ban[] {
    return this.standings.bans(now);
  }

  /** When `onTime` wants to be called. */
  wakeAt(): Micros {
    const isWanted = (id: PeerId): boolean => !this.#isBusyWith(id);
    return Math.min(this.#ensureAt, this.#persistent.nextAt(isWanted) ?? Number.MAX_SAFE_INTEGER);
  }

  /** Dials whoever is due and looks for more peers. Call once at the start, too. */
  onTime(now: Micros, out: PeersOut): void {
    const isWanted = (id: PeerId): boolean =>
      !this.#isBusyWith(id) && this.standings.banOf(now, id) === undefined;
    for (const address of this.#persistent.due(now, isWanted)) this.#dial(now, address, out);
    if (now < this.#ensureAt) return;
    if (this.#config.pex) this.#ensure(now, isWanted, out);
    this.#ensureAt = now + (this.#byPeer.size === 0 ? ENSURE_ALONE_MICROS : ENSURE_MICROS);
  }

  onInbound(now: Micros, address: string, out: PeersOut): Result<LinkId, string> {
    const ip = plainIp(address);
    const open = [...this.#links.values()].filter(
      (link) => link.direction === 'inbound' && link.peer === undefined,
    );
    if (open.length >= HANDSHAKES_MAX) {
      const victim = oldestOfBusiest(open);
      if (victim.ip !== ip && open.filter((link) => link.ip === victim.ip).length === 1) {
        return err('too many handshakes are under way');
      }
      this.#end(now, victim, 'gives way to a newer connection', out);
    }
    return ok(this.#open(now, 'inbound', ip, undefined).id);
  }

  /** The socket of a dial is open; its remote IP is known now. */
  onDialled(link: LinkId, ip: string): void {
    const found = this.#links.get(link);
    if (found !== undefined) found.ip = plainIp(ip);
  }

  onHeard(now: Micros, link: LinkId): void {
    const found = this.#links.get(link);
    if (found !== undefined) found.heardAt = now;
  }

  /** The handshake is done and `peer` is who it says: keep the connection or not. */
  onReady(now: Micros, linkId: LinkId, peer: PeerId, info: NodeInfo, out: PeersOut): void {
    const link = this.#links.get(linkId);
    if (link === undefined) return;
    const refusal = this.#refusal(now, link, peer);
    if (refusal !== undefined) {
      out.note('info', 'peer refused', { peer, ip: link.ip, reason: refusal });
      this.#end(now, link, refusal, out);
      return;
    }
    const other = this.#byPeer.get(peer);
    if (other !== undefined) this.#end(now, other, 'replaced by a newer connection', out);
    link.peer = peer;
    link.info = info;
    link.upAt = now;
    link.heardAt = now;
    this.#byPeer.set(peer, link);
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

  /** The connection ended by itself; `isFault` when the peer broke the protocol. */
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

  /** The node found a peer out. */
  onDrop(now: Micros, peer: PeerId, reason: string, out: PeersOut): void {
    const link = this.#byPeer.get(peer);
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

  #refusal(now: Micros, link: Link, peer: PeerId): string | undefined {
    const { self, allowDuplicateIp, inboundMax, outboundMax } = this.#config;
    if (peer === self) return 'is this node itself';
    const ban = this.standings.banOf(now, peer);
    if (ban !== undefined) return `is banned: ${ban.reason}`;
    const other = this.#byPeer.get(peer);
    if (other !== undefined)
      return this.#isBetter(now, link, other, peer) ? undefined : 'is connected already';
    if (this.#isNeeded(peer)) return undefined;
    const others = [...this.#byPeer.values()];
    if (!allowDuplicateIp && others.some((one) => one.ip === link.ip)) return `another peer has ${link.ip}`;
    const alike = others.filter(
      (one) => one.direction === link.direction && !this.#isNeeded(one.peer as PeerId),
    );
    const max = link.direction === 'inbound' ? inboundMax : outboundMax;
    return alike.length >= max ? `there are ${max} ${link.direction} peers already` : undefined;
  }

  /**
   * Two connections to one peer. When both sides dialled at once, both must keep the same one: the one that the lower id
   * dialled. Otherwise a peer that proves its key again has lost the first connection, if we hear nothing there either.
   */
  #isBetter(now: Micros, fresh: Link, old: Link, peer: PeerId): boolean {
    if (now - old.heardAt >= CROSSING_MICROS) return true;
    if (fresh.direction === old.direction) return fresh.direction === 'inbound';
    const dialler = fresh.direction === 'outbound' ? this.#config.self : peer;
    const other = fresh.direction === 'outbound' ? peer : this.#config.self;
    return now - old.upAt < CROSSING_MICROS && compareText(dialler, other) < 0;
  }

  #isNeeded(peer: PeerId): boolean {
    return this.#config.unconditional.has(peer) || this.#persistent.addressOf(peer) !== undefined;
  }

  #isBusyWith(peer: PeerId): boolean {
    if (this.#byPeer.has(peer)) return true;
    for (const link of this.#links.values()) if (link.dialled?.id === peer) return true;
    return false;
  }

  #open(now: Micros, direction: Direction, ip: string, dialled: PeerAddress | undefined): Link {
    const link: Link = {
      id: ++this.#lastLink,
      direction,
      ip,
      dialled,
      openedAt: now,
      heardAt: now,
      peer: undefined,
      info: undefined,
      upAt: 0,
    };
    this.#links.set(link.id, link);
    return link;
  }

  #dial(now: Micros, address: PeerAddress, out: PeersOut): void {
    const link = this.#open(now, 'outbound', address.host, address);
    this.book.onAttempt(now, address.id);
    out.dial(link.id, address);
  }

  /** Forgets the link; a reason means that the host has to close it. */
  #end(now: Micros, link: Link, reason: string | undefined, out: PeersOut): void {
    if (!this.#links.delete(link.id)) return;
    if (reason !== undefined) out.close(link.id, reason);
    const upMicros = link.upAt === 0 ? 0 : now - link.upAt;
    const id = link.peer ?? link.dialled?.id;
    if (link.peer !== undefined && this.#byPeer.get(link.peer) === link) {
      this.#byPeer.delete(link.peer);
      this.#pex.onDown(link.peer);
      out.down(link.peer);
    }
    if (id === undefined || this.#byPeer.has(id)) return;
    for (const plan of [this.#persistent, this.#seeds]) {
      plan.onEnd(now, id, upMicros);
      const ban = this.standings.banOf(now, id);
      if (ban !== undefined) plan.notBefore(id, ban.until);
    }
  }

  #fault(now: Micros, peer: PeerId, reason: string, out: PeersOut): void {
    out.note('warn', 'peer dropped', { peer, ip: this.#byPeer.get(peer)?.ip ?? '', reason });
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

  /** A peer that answers is worth remembering, and may know others. */
  #learn(now: Micros, link: Link, info: NodeInfo, out: PeersOut): void {
    const peer = link.peer as PeerId;
    if (link.direction === 'outbound') {
      if (link.dialled !== undefined) this.book.add({ ...link.dialled, host: link.ip }, this.#config.self);
      this.book.onGood(now, peer);
      this.#ask(now, link, out);
      return;
    }
    const port = portOf(info.listenAddress);
    if (port !== undefined) this.book.add({ id: peer, host: link.ip, port }, peer);
  }

  #ask(now: Micros, link: Link, out: PeersOut): void {
    if (this.book.size >= ADDRESSES_ENOUGH) return;
    const request: PexMessage | undefined = this.#pex.ask(now, link.peer as PeerId);
    if (request !== undefined) out.sendPex(link.id, encodePexMessage(request));
  }

  #ensure(now: Micros, isWanted: (id: PeerId) => boolean, out: PeersOut): void {
    const { outboundMax } = this.#config;
    const outbound = [...this.#links.values()].filter(
      (link) => link.direction === 'outbound' && !this.#isNeeded(link.peer ?? link.dialled?.id ?? ''),
    );
    for (let missing = outboundMax - outbound.length; missing > 0; missing--) {
      const address = this.book.pick(now, isWanted);
      if (address === undefined) break;
      this.#dial(now, address, out);
    }
    const up = this.connected();
    const one = up.length === 0 ? undefined : up[this.#choose(up.length)];
    if (one !== undefined) this.#ask(now, one, out);
    if (outbound.length >= outboundMax || this.book.size > 0) return;
    for (const address of this.#seeds.due(now, isWanted)) {
      out.note('info', 'asking a seed', { address: formatPeerAddress(address) });
      this.#dial(now, address, out);
    }
  }
}

const whoOf = ({ peer, dialled }: Link): Readonly<Record<string, string>> =>
  peer !== undefined ? { peer } : dialled !== undefined ? { address: formatPeerAddress(dialled) } : {};

function oldestOfBusiest(open: readonly Link[]): Link {
  const counts = new Map<string, number>();
  for (const { ip } of open) counts.set(ip, (counts.get(ip) ?? 0) + 1);
  return [...open].sort(
    (a, b) => (counts.get(b.ip) ?? 0) - (counts.get(a.ip) ?? 0) || a.openedAt - b.openedAt || a.id - b.id,
  )[0] as Link;
}
