import { ChainReads } from '../../core/store/chainReads.ts';
import type { Process } from '../machine/process.ts';

/**
 * Height of the newest block on a node's disk. undefined for a damaged disk, which may answer anything, and for a node
 * that is down, whose newest blocks an operator may have removed.
 */
export const durableHead = ({ disk, state }: Process): number | undefined =>
  disk.isDamaged || state === 'down' ? undefined : new ChainReads(disk.kv).head();
