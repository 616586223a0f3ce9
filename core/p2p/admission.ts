/** Decides whether a connection may stay after its handshake. */
import { compareText } from '../lib/bytes.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import type { Link, Links } from './links.ts';
import type { PeersConfig } from './peersContract.ts';
import type { Standings } from './standing.ts';

/** If two nodes dial each other at once, both connections come up within this time. */
const CROSSING_MICROS = 5_000_000;

export interface AdmissionFacts {
  readonly config: PeersConfig;
  readonly links: Links;
  readonly standings: Standings;
  /** Peers that the operator named. Connection limits do not apply to them. */
  isNeeded(peer: PeerId): boolean;
}

/** The reason to refuse the connection; undefined to keep it. */
export function refusalOf(facts: AdmissionFacts, now: Micros, link: Link, peer: PeerId): string | undefined {
  const { config, links, standings, isNeeded } = facts;
  if (peer === config.self) return 'is this node itself';
  const ban = standings.banOf(now, peer);
  if (ban !== undefined) return `is banned: ${ban.reason}`;
  const other = links.of(peer);
  if (other !== undefined && !isBetter(now, link, other, peer, config.self)) return 'is connected already';
  if (isNeeded(peer)) return undefined;
  // The connection that this one replaces does not count. It may be of either direction.
  const others = links.up().filter((one) => one !== other);
  if (!config.allowDuplicateIp && others.some((one) => one.ip === link.ip))
    return `another peer has ${link.ip}`;
  const alike = others.filter((one) => one.direction === link.direction && !isNeeded(one.peer));
  const max = link.direction === 'inbound' ? config.inboundMax : config.outboundMax;
  return alike.length >= max ? `there are ${max} ${link.direction} peers already` : undefined;
}

/**
 * Chooses between two connections to one peer. If both nodes dialled at once, both must keep the same connection: the
 * one that the lower id dialled. Otherwise a peer that connects again has lost its first connection, provided that we
 * hear nothing there either.
 */
function isBetter(now: Micros, fresh: Link, old: Link, peer: PeerId, self: PeerId): boolean {
  if (now - old.heardAt >= CROSSING_MICROS) return true;
  if (fresh.direction === old.direction) return false;
  const [dialler, other] = fresh.direction === 'outbound' ? [self, peer] : [peer, self];
  return now - old.upAt < CROSSING_MICROS && compareText(dialler, other) < 0;
}
