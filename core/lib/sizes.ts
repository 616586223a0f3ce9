/**
 * How much a node remembers, and does in one go. Each usual number stands where it applies. The simulator makes them
 * small, so that short runs exceed them. They never affect what a node decides, stores or answers.
 */
export interface Sizes {
  /** Number of values that a memo keeps. */
  kept(usual: number): number;
  /** Number of things that are read, sent or done in one go. */
  atOnce(usual: number): number;
  /** Number of bytes that are read, sent or handled in one go. */
  bytesAtOnce(usual: number): number;
}

const asUsual = (usual: number): number => usual;

export const USUAL_SIZES: Sizes = { kept: asUsual, atOnce: asUsual, bytesAtOnce: asUsual };
