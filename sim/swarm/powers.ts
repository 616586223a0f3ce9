/** Voting power by validator, as a world is drawn with it. */
export type Powers = Readonly<Record<string, number>>;

export const powerOf = (powers: Powers, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (powers[name] as number), 0);

/** Whether these have less than a third of the power. */
export const isTolerable = (powers: Powers, liars: readonly string[]): boolean =>
  3 * powerOf(powers, liars) < powerOf(powers, Object.keys(powers));

/** Whether these have more than two thirds of the power. */
export const isEnough = (powers: Powers, names: readonly string[]): boolean =>
  3 * powerOf(powers, names) > 2 * powerOf(powers, Object.keys(powers));
