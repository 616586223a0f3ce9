/** What a seed is, for error messages. */
export const SEED = 'a seed: 1 to 64 letters, digits, dots, dashes or underscores';

export const isSeed = (text: string): boolean => /^[\w.-]{1,64}$/.test(text);
