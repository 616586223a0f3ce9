/** The open connections, from dial or accept on, and which of them belongs to which peer. */
import { compareText } from '../lib/bytes.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import type { NodeInfo } from '../types/peer.ts';
import type { PeerAddress } from './peerAddress.ts';

/** Identifies one connection, from dial or accept on. */
export type LinkId = number;
export type Direction = 'inbound' | 'outbound';

export interface Link {
  readonly id: LinkId;
  readonly direction: Direction;
  /** Remote IP; until it is known, the host that was dialled. */
  ip: string;
  readonly dialled: PeerAddress | undefined;
  readonly openedAt: Micros;
  heardAt: Micros;
  /** This and the following fields are set once the handshake is done. */
  peer: PeerId | undefined;
  info: NodeInfo | undefined;
  upAt: Micros;
}

/** A link whose handshake is done. */
export interface PeerLink extends Link {
  peer: PeerId;
  info: NodeInfo;
}

const isUp = (link: Link): link is PeerLink => link.peer !== undefined && link.info !== undefined;

export class Links {
  readonly #links = new Map<LinkId, Link>();
  readonly #byPeer = new Map<PeerId, Link>();
  #last: LinkId = 0;

  open(now: Micros, direction: Direction, ip: string, dialled: PeerAddress | undefined): Link {
    const link: Link = {
      id: ++this.#last,
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

  get(id: LinkId): Link | undefined {
    return this.#links.get(id);
  }

  of(peer: PeerId): Link | undefined {
    return this.#byPeer.get(peer);
  }

  setUp(now: Micros, link: Link, peer: PeerId, info: NodeInfo): void {
    link.peer = peer;
    link.info = info;
    link.upAt = now;
    link.heardAt = now;
    this.#byPeer.set(peer, link);
  }

  /** False if the link was removed before. */
  remove(link: Link): boolean {
    if (!this.#links.delete(link.id)) return false;
    if (link.peer !== undefined && this.#byPeer.get(link.peer) === link) this.#byPeer.delete(link.peer);
    return true;
  }

  /** Connected peers, sorted by id. */
  up(): readonly PeerLink[] {
    return [...this.#byPeer.values()].filter(isUp).sort((a, b) => compareText(a.peer, b.peer));
  }

  outbound(): readonly Link[] {
    return [...this.#links.values()].filter((link) => link.direction === 'outbound');
  }

  /** Inbound links that are still in their handshake. */
  arriving(): readonly Link[] {
    return [...this.#links.values()].filter(
      (link) => link.direction === 'inbound' && link.peer === undefined,
    );
  }

  /** Whether we are connected to the peer or are dialling it. */
  isBusyWith(peer: PeerId): boolean {
    if (this.#byPeer.has(peer)) return true;
    for (const link of this.#links.values()) if (link.dialled?.id === peer) return true;
    return false;
  }
}

/** The oldest link of the IP that has the most of these links. */
export function oldestOfBusiest(open: readonly Link[]): Link {
  const counts = new Map<string, number>();
  for (const { ip } of open) counts.set(ip, (counts.get(ip) ?? 0) + 1);
  return [...open].sort(
    (a, b) => (counts.get(b.ip) ?? 0) - (counts.get(a.ip) ?? 0) || a.openedAt - b.openedAt || a.id - b.id,
  )[0] as Link;
}
