/** The options of a Connection, and the events that it reports to its host. */
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
  /** Most data bytes in one packet; both ends must agree. Default 1024. */
  readonly payloadBytesMax?: number;
  /** Most bytes that may wait for the peer. Default 32 MiB. */
  readonly queuedBytesMax?: number;
  /** Time between two pings. Default 60 s. */
  readonly pingMs?: Millis;
  /** A peer that answers no ping within this time is gone. Default 45 s. */
  readonly pongMsMax?: Millis;
  readonly aead?: Aead;
  readonly keyExchange?: KeyExchange;
}

export type ConnectionEvent =
  | { readonly kind: 'ready'; readonly peer: PeerId; readonly info: NodeInfo }
  | { readonly kind: 'message'; readonly channel: number; readonly bytes: Bytes }
  /** The last event of a connection. The host then closes the socket. */
  | { readonly kind: 'closed'; readonly reason: string; readonly isFault: boolean };
