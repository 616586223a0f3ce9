/** Ethereum forks that a genesis may name, oldest first. Each includes all earlier ones. */
export const FORKS = ['berlin', 'london', 'paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const;
export type ForkName = (typeof FORKS)[number];
