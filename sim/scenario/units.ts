import type { Delay } from '../network/delay.ts';
import { PPM } from '../world/choices.ts';
import type { Cursor } from './cursor.ts';

const MICROS_PER: Readonly<Record<string, number>> = {
  us: 1,
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
};

/** The highest height that a scenario can name. Its chain begins at half of it at most. */
export const HEIGHT_MAX = 2_000_000_000_000;

const PERIOD_MIN = 1_000;
const DURATION_MICROS_MAX = 366 * 24 * 3_600_000_000;

/** Virtual µs of a text such as `250ms`; undefined when it is not one. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?(us|ms|s|m|h)$/.exec(text);
  if (match === null) return undefined;
  const unit = MICROS_PER[match[3] as string] as number;
  const fraction = (match[2] ?? '').padEnd(6, '0');
  const micros = Number(match[1]) * unit + (Number(fraction) * unit) / 1_000_000;
  return Number.isSafeInteger(micros) && micros <= DURATION_MICROS_MAX ? micros : undefined;
}

const DURATION = 'a duration with a unit (us, ms, s, m, h), such as 250ms';

export function duration(at: Cursor): number {
  const value = at.raw();
  return (
    (typeof value === 'string' ? parseDuration(value) : undefined) ?? at.fail(`expected ${wrongWith(value)}`)
  );
}

/** What was expected where a text is no valid duration. */
function wrongWith(value: unknown): string {
  const match = /^(-?)[0-9.]+(us|ms|s|m|h)$/.exec(String(value));
  if (match === null) return DURATION;
  return match[1] === '-'
    ? 'a duration that is not negative'
    : 'a duration of whole microseconds, at most 366 days (8784h)';
}

export function positive(at: Cursor): number {
  const micros = duration(at);
  return micros > 0 ? micros : at.fail('expected a duration above zero');
}

/** The period of something that repeats. */
export function period(at: Cursor): number {
  const micros = duration(at);
  return micros >= PERIOD_MIN ? micros : at.fail('expected at least 1ms, for what comes again and again');
}

/** `10ms`, or `10ms-100ms`, or a map {low, high, shape}. */
export function delay(at: Cursor): Delay {
  if (at.isMap) {
    const { low, high, shape } = at.fields(['low', 'high', 'shape'], 'a delay {low, high, shape}');
    const from = low === undefined ? 0 : duration(low);
    const to = high === undefined ? at.fail('expected a key high') : duration(high);
    if (to < from) at.fail('expected high at or above low');
    return { low: from, high: to, shape: shape?.oneOf(['uniform', 'exponential'], 'a shape') ?? 'uniform' };
  }
  const value = at.raw();
  const [first, second, more] = typeof value === 'string' ? value.split('-') : [];
  const low = first === undefined ? undefined : parseDuration(first);
  const high = second === undefined ? low : parseDuration(second);
  if (low === undefined || high === undefined || more !== undefined) {
    const wrong = [first, second].find((one) => one !== undefined && parseDuration(one) === undefined);
    return at.fail(`expected ${wrongWith(wrong)}, or a range such as 10ms-100ms`);
  }
  if (high < low) return at.fail('expected a range from low to high, such as 10ms-100ms');
  return { low, high, shape: 'uniform' };
}

/** `5%`, or a number 0..1: parts per million. */
export function probability(at: Cursor): number {
  const value = at.raw();
  const percent = typeof value === 'string' ? /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(value) : null;
  const share = percent !== null ? Number(percent[1]) / 100 : value;
  if (typeof share !== 'number' || !(share >= 0 && share <= 1)) {
    return at.fail('expected a probability of at most 100%, such as 5% or 0.05');
  }
  const ppm = Math.round(share * PPM);
  return ppm > 0 || share === 0 ? ppm : at.fail('expected a probability of at least 0.0001%, or 0');
}

/** A signed duration such as +20s or -1h, in µs. */
export function signedDuration(at: Cursor): number {
  const value = at.raw();
  const sign = typeof value === 'string' && value.startsWith('-') ? -1 : 1;
  const micros = typeof value === 'string' ? parseDuration(value.replace(/^[+-]/, '')) : undefined;
  return micros === undefined
    ? at.fail('expected a signed duration, such as +20s or -1h, of at most 366 days')
    : sign * micros;
}

/** `-500ppm`. */
export function driftPpm(at: Cursor, max: number): number {
  const value = at.raw();
  const match = typeof value === 'string' ? /^([+-]?\d{1,7})ppm$/.exec(value) : null;
  const ppm = match === null ? Number.NaN : Number(match[1]);
  return Math.abs(ppm) <= max ? ppm : at.fail(`expected a drift within ±${max} ppm, such as -500ppm`);
}

/** `20/s`: events a second, as µs between two of them. */
export function ratePeriod(at: Cursor): number {
  const value = at.raw();
  const match = typeof value === 'string' ? /^(\d{1,6})\/(s|m)$/.exec(value) : null;
  const count = match === null ? 0 : Number(match[1]);
  if (count === 0) return at.fail('expected a rate, such as 20/s or 6/m, of at most 999999');
  return Math.floor((match?.[2] === 'm' ? 60_000_000 : 1_000_000) / count);
}

const GAS_PRICE_MAX = 10n ** 15n;

/** `2gwei`, `7wei`: a price per gas, in wei. */
export function gasPrice(at: Cursor): bigint {
  const value = at.raw();
  const match = typeof value === 'string' ? /^(\d{1,15})(wei|gwei)$/.exec(value) : null;
  const wei =
    match === null ? undefined : BigInt(match[1] as string) * (match[2] === 'gwei' ? 10n ** 9n : 1n);
  return wei !== undefined && wei <= GAS_PRICE_MAX
    ? wei
    : at.fail('expected a price of gas, such as 2gwei or 7wei, of at most 1000000gwei');
}

/** `100kB/s`, `1MB/s`, `500B/s`: bytes a second. */
export function byteRate(at: Cursor): number {
  const value = at.raw();
  const match = typeof value === 'string' ? /^(\d{1,9})(B|kB|MB)\/s$/.exec(value) : null;
  if (match === null || Number(match[1]) === 0) return at.fail('expected a byte rate, such as 100kB/s');
  return Number(match[1]) * { B: 1, kB: 1_000, MB: 1_000_000 }[match[2] as 'B' | 'kB' | 'MB'];
}
