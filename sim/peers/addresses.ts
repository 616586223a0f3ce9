/** Where simulated nodes live: each in an IP group of its own, all reachable from everywhere. */
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import type { PeerId } from '../../core/types/ids.ts';

export const P2P_PORT = 26_656;

/** Stands for the id that a node's key would give. */
export const idOf = (name: string): PeerId =>
  toHex(sha256(encodeUtf8(`orrery-sim node ${name}`)).subarray(0, 20));

export const ipOf = (node: number): string => `11.${node}.0.1`;

export const addressOf = (node: number, name: string): PeerAddress => ({
  id: idOf(name),
  host: ipOf(node),
  port: P2P_PORT,
});
