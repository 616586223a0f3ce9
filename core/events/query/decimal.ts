/** A non-negative decimal of any size: digits / 10^scale. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const LEADING_NUMBER = /^([0-9]+)(?:\.([0-9]*))?/;
/** Longer numbers never match: comparing them would take time quadratic in their length. */
const DIGITS_MAX = 4096;

/** The number at the start of a text ("8atom" is 8, "007" is 7); undefined if there is none, as in "-5" and "+5". */
export function leadingDecimal(text: string): Decimal | undefined {
  const match = LEADING_NUMBER.exec(text);
  if (match === null || match[0].length > DIGITS_MAX) return undefined;
  const fraction = match[2] ?? '';
  return { digits: BigInt((match[1] as string) + fraction), scale: fraction.length };
}

export function compareDecimal(a: Decimal, b: Decimal): number {
  const left = a.digits * 10n ** BigInt(Math.max(0, b.scale - a.scale));
  const right = b.digits * 10n ** BigInt(Math.max(0, a.scale - b.scale));
  return left < right ? -1 : left > right ? 1 : 0;
}
