import type { Sizes } from '../../core/lib/sizes.ts';

/** Limits sizes to so many values, items at once and kilobytes at once. */
export const smallSizes = (max: number): Sizes => ({
  kept: (usual) => Math.min(usual, max),
  atOnce: (usual) => Math.min(usual, max),
  bytesAtOnce: (usual) => Math.min(usual, max * 1024),
});
