import type { PeerRoundReader } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';

/** Where a node believes that a peer stands; undefined of whom it knows nothing. */
export const believed = (node: Process, peer: string): PeerRoundReader | undefined =>
  node.node?.rpc?.consensus?.peers().find(({ id }) => id === peer)?.round;
