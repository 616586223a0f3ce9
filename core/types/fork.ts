/** Ethereum forks a chain's genesis may name, oldest first; each includes those before it. */
export const FORKS = ['berlin', 'london', 'paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const;
export type ForkName = (typeof FORKS)[number];
