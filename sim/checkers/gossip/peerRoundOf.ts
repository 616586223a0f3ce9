import type { PeerRoundReader } from '../../../core/rpc/context.ts';
import type { Process } from '../../machine/process.ts';

/** Where a node believes a peer to be; undefined for a peer it does not know. */
export const peerRoundOf = (node: Process, peer: string): PeerRoundReader | undefined =>
  node.node?.rpc?.consensus?.peerRound(peer);
