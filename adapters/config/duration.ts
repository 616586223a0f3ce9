const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a duration in Go's notation (whole or decimal parts, units h, m, s, ms), or undefined. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  const ms = Math.round(total);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** As Go prints it, but for seconds below one: `1m30s`, `250ms`, `1.5s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 || hours > 0 ? `${minutes}m` : ''}${seconds}s`;
}
