const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a duration in Go notation (whole or decimal numbers; units h, m, s, ms); undefined if invalid. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  const ms = Math.round(total);
  return Number.isSafeInteger(ms) ? ms : undefined;
}
