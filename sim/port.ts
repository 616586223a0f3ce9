/** The interfaces around the simulated network. */
import type { Bytes } from '../core/lib/bytes.ts';
import type { ChannelId } from '../core/node/contract.ts';
import type { Frame } from './network/link.ts';

/** A node as the network sees it. */
export interface Port {
  readonly name: string;
  /** False while the process is down: what arrives is lost. */
  readonly listening: boolean;
  peerUp(peer: string): void;
  peerDown(peer: string): void;
  frames(from: string, frames: readonly Frame[]): void;
  /** A message found no room on its way to `to`. */
  unsent(to: string, channel: ChannelId, bytes: Bytes): void;
}

/** Decides who is connected with whom, instead of the network. */
export interface Steering {
  nodeUp(node: number): void;
  nodeDown(node: number): void;
  /** The connection of `node` with `peer` is gone. */
  lost(node: number, peer: number): void;
  /** Something came from `peer`. */
  heard(node: number, peer: number): void;
  drop(node: number, peer: number, reason: string): void;
}

export interface NetworkStats {
  framesSent: number;
  bytesSent: number;
  segmentsDelivered: number;
  framesLost: number;
  resets: number;
}
