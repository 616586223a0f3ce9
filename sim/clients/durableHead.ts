import { ChainReads } from '../../core/store/chainReads.ts';
import type { Process } from '../machine/process.ts';

/**
 * Height of the newest block on the drive of a node that says something; undefined where that is damaged: it may say anything, and is
 * not asked; nor is that of a node that is down, of which an operator may have taken back what it knew.
 */
export const durableHead = ({ disk, state }: Process): number | undefined =>
  disk.isDamaged || state === 'down' ? undefined : new ChainReads(disk.kv).head();
