/** The configuration of the peers machine, and its instructions to the host. */
import type { Bytes } from '../lib/bytes.ts';
import type { Millis, PeerId } from '../types/ids.ts';
import type { LinkId } from './links.ts';
import type { PeerAddress } from './peerAddress.ts';

export interface PeersConfig {
  readonly self: PeerId;
  readonly persistent: readonly PeerAddress[];
  readonly seeds: readonly PeerAddress[];
  /** Limits on connected peers. Unconditional and persistent peers do not count. */
  readonly inboundMax: number;
  readonly outboundMax: number;
  readonly unconditional: ReadonlySet<PeerId>;
  /** Their addresses are never told to others. */
  readonly privateIds: ReadonlySet<PeerId>;
  readonly allowDuplicateIp: boolean;
  readonly isStrict: boolean;
  readonly pex: boolean;
  /** Answers requests for addresses, then disconnects. */
  readonly seedMode: boolean;
  /** Longest wait between dials of a persistent peer; 0 for the default. */
  readonly persistentDialMsMax: Millis;
}

/** An operator's order to dial peers at once. */
export interface DialOrder {
  readonly peers: readonly PeerAddress[];
  /** Dial them again whenever they are gone. */
  readonly persistent: boolean;
  /** Connection limits do not apply to them. */
  readonly unconditional: boolean;
  /** Their addresses are never told to others. */
  readonly isPrivate: boolean;
}

export interface PeersOut {
  dial(link: LinkId, address: PeerAddress): void;
  /** Writes what is queued, then closes the socket. Nothing more is reported about the link. */
  close(link: LinkId, reason: string): void;
  up(peer: PeerId, link: LinkId): void;
  down(peer: PeerId): void;
  sendPex(link: LinkId, bytes: Bytes): void;
  note(level: 'debug' | 'info' | 'warn', text: string, fields: Readonly<Record<string, string>>): void;
}
