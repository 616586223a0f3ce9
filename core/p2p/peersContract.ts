/** What the peers machine is told once, and what it tells its host to do. */
import type { Bytes } from '../lib/bytes.ts';
import type { Millis, PeerId } from '../types/ids.ts';
import type { LinkId } from './links.ts';
import type { PeerAddress } from './peerAddress.ts';

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

/** Peers that an operator wants dialled at once. */
export interface DialOrder {
  readonly peers: readonly PeerAddress[];
  /** To be dialled again whenever they are gone. */
  readonly persistent: boolean;
  /** No limit keeps them out. */
  readonly unconditional: boolean;
  /** Their addresses are told to nobody. */
  readonly isPrivate: boolean;
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
