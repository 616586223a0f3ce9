import { ChainReads } from '../../core/store/chainReads.ts';
import type { Process } from '../machine/process.ts';

/** Height of the newest block on the drive; undefined where that is damaged: it may say anything, and is not asked. */
export const durableHead = ({ disk }: Process): number | undefined =>
  disk.isDamaged ? undefined : new ChainReads(disk.kv).head();
