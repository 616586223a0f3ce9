/** More than two thirds: any two quorums share a correct validator while less than a third is faulty. */
export const isQuorum = (power: bigint, total: bigint): boolean => 3n * power > 2n * total;

/** More than one third: at least one correct validator is among them (the paper's f+1). */
export const isOneThird = (power: bigint, total: bigint): boolean => 3n * power > total;
