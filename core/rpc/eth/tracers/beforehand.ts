/** Whether a frame ended at an instruction that could not start: not enough gas, or a stack of the wrong size. */
export const isBeforehand = (error: string): boolean =>
  error.startsWith('out of gas') || error.startsWith('stack ') || error === 'gas uint64 overflow';
