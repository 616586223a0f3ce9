/** RFC 3339 texts of timestamps. Made without the host's Date, because nanoseconds and the year 1 must survive. */
import { err, ok, type Result } from '../lib/result.ts';
import type { Timestamp } from '../types/ids.ts';
import { isTimestamp } from './time.ts';

const DAY_SECONDS = 86400;
const PATTERN = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

export interface TimeError {
  readonly code: 'time';
  readonly message: string;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar. Years start in March, so leap days come last. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

function dateOf(days: number): readonly [year: number, month: number, day: number] {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36524) + Math.floor(dayOfEra / 146096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

const two = (value: number): string => String(value).padStart(2, '0');

/** UTC. `fraction` is empty or begins with its point. */
function format(seconds: number, fraction: string): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const [year, month, day] = dateOf(days);
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}${fraction}Z`;
}

const fractionOf = (nanos: number): string => (nanos === 0 ? '' : `.${String(nanos).padStart(9, '0')}`);

/** Up to nine fractional digits without trailing zeros, as Go prints RFC3339Nano. */
export const formatTime = ({ seconds, nanos }: Timestamp): string =>
  format(seconds, fractionOf(nanos).replace(/0+$/, ''));

/** 0, 3, 6 or 9 fractional digits, as protobuf's JSON has them (google.protobuf.Timestamp). */
export const formatProtoTime = ({ seconds, nanos }: Timestamp): string =>
  format(seconds, fractionOf(nanos).replace(/(?:000)+$/, ''));

/** Whole seconds, truncated, as Go prints RFC3339. */
export const formatSecond = ({ seconds }: Timestamp): string => format(seconds, '');

/** RFC 3339 with 0 to 9 fractional digits. Other zones are converted to UTC. */
export function parseTime(text: string): Result<Timestamp, TimeError> {
  const match = PATTERN.exec(text);
  const bad = { code: 'time', message: `"${text.slice(0, 64)}" is not an RFC 3339 time` } as const;
  if (match === null) return err(bad);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const days = daysOf(year, month, day);
  const [sameYear, sameMonth, sameDay] = dateOf(days);
  // February 30, for example, becomes another day than was written.
  if (sameYear !== year || sameMonth !== month || sameDay !== day) return err(bad);
  const [zoneHour, zoneMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return err(bad);
  const zoneSeconds = (zoneHour * 60 + zoneMinute) * (match[8] === '-' ? -60 : 60);
  const time = {
    seconds: days * DAY_SECONDS + hour * 3600 + minute * 60 + second - zoneSeconds,
    nanos: Number((match[7] ?? '').padEnd(9, '0')),
  };
  return isTimestamp(time) ? ok(time) : err(bad);
}
