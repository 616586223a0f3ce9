import type { BlockMeta, Commit, Part } from './block.ts';
import type { Height } from './ids.ts';

/** Decided blocks, for the machines to read. They never change up to the head, so reading them is no input. */
export interface BlockReader {
  head(): Height;
  base(): Height;
  loadMeta(height: Height): BlockMeta | undefined;
  loadPart(height: Height, index: number): Part | undefined;
  /** The commit for `height` that block height + 1 carries. */
  loadCommit(height: Height): Commit | undefined;
  loadSeenCommit(height: Height): Commit | undefined;
}
