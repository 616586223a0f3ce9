import type { Sizes } from '../../core/lib/sizes.ts';

/** At most so many values, things and kilobytes. */
export const smallSizes = (max: number): Sizes => ({
  kept: (usual) => Math.min(usual, max),
  atOnce: (usual) => Math.min(usual, max),
  bytesAtOnce: (usual) => Math.min(usual, max * 1024),
});
