/** What a seed is, for error messages. */
export const SEED = 'a seed: 1 to 64 letters, digits, dots, dashes or underscores';

export const isSeed = (text: string): boolean => /^[\w.-]{1,64}$/.test(text);

/** The seed as a value of YAML. It is text; only where a number is spelled the same does it stand without quotes. */
export const seedValue = (seed: string): number | string =>
  Number.isSafeInteger(Number(seed)) && String(Number(seed)) === seed ? Number(seed) : seed;
