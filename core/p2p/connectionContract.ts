/** What a Connection is told once, and what it tells its host. */
import type { CryptoSuite } from '../crypto/suite.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Millis, PeerId } from '../types/ids.ts';
import type { NodeInfo } from '../types/peer.ts';
import type { ChannelSpec } from './channels.ts';
import type { KeyExchange } from './handshake.ts';
import type { Aead } from './sealed.ts';

export interface ConnectionOptions {
  readonly suite: CryptoSuite;
  /** 32-byte ed25519 seed of the node key. */
  readonly nodeSeed: Bytes;
  /** 32 fresh random bytes from the host. */
  readonly ephemeralSecret: Bytes;
  readonly self: NodeInfo;
  /** The id that was dialled; undefined for an inbound connection. */
  readonly expectedId: PeerId | undefined;
  readonly channels: readonly ChannelSpec[];
  /** Bytes per second in each direction. */
  readonly sendRate: number;
  readonly receiveRate: number;
  /** Data bytes of one packet; both ends must agree. 1024 unless told. */
  readonly payloadBytesMax?: number;
  /** Bytes that may wait for the peer; 32 MiB unless told. */
  readonly queuedBytesMax?: number;
  /** Between two pings; 60 s unless told. */
  readonly pingMs?: Millis;
  /** A peer that answers no ping within this time is gone; 45 s unless told. */
  readonly pongMsMax?: Millis;
  readonly aead?: Aead;
  readonly keyExchange?: KeyExchange;
}

export type ConnectionEvent =
  | { readonly kind: 'ready'; readonly peer: PeerId; readonly info: NodeInfo }
  | { readonly kind: 'message'; readonly channel: number; readonly bytes: Bytes }
  /** Terminal: nothing comes after it, and the host closes the socket. */
  | { readonly kind: 'closed'; readonly reason: string; readonly isFault: boolean };
