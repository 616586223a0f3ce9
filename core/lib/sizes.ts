/**
 * How much a node remembers, and does in one go. The usual numbers stand where they apply; the simulator makes them small, so that
 * short runs come to what lies beyond them. Nothing that a node decides, stores or answers depends on them.
 */
export interface Sizes {
  /** Values that a memo keeps. */
  kept(usual: number): number;
  /** Things that are read, sent or done in one go. */
  atOnce(usual: number): number;
  /** Bytes that are read, sent or handled in one go. */
  bytesAtOnce(usual: number): number;
}

const asUsual = (usual: number): number => usual;

export const USUAL_SIZES: Sizes = { kept: asUsual, atOnce: asUsual, bytesAtOnce: asUsual };
