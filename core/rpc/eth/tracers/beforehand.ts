/** Whether a frame ended at an instruction that could not begin: too little gas, a stack that does not fit. */
export const isBeforehand = (error: string): boolean =>
  error.startsWith('out of gas') || error.startsWith('stack ') || error === 'gas uint64 overflow';
