import type { Timestamp } from '../../types/ids.ts';

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const RFC3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})$/;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

/** Days since 1970-01-01, or undefined when there is no such day. */
function dayNumber(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const y = year - 1;
  const before = y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  const leapDay = month > 2 && isLeap(year) ? 1 : 0;
  return before + (DAYS_BEFORE_MONTH[month - 1] as number) + leapDay + day - 1 - 719162;
}

/** `YYYY-MM-DD` as midnight UTC. */
export function parseDate(text: string): Timestamp | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const days = dayNumber(Number(match[1]), Number(match[2]), Number(match[3]));
  return days === undefined ? undefined : { seconds: days * 86400, nanos: 0 };
}

/** Seconds east of UTC, or undefined for an impossible offset. */
function zoneSeconds(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24 || minutes > 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** RFC 3339 with an optional fraction of which nanoseconds are kept, as Go's time.Parse reads it. */
export function parseTime(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const days = dayNumber(Number(match[1]), Number(match[2]), Number(match[3]));
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])];
  const zone = zoneSeconds(match[8] as string);
  if (days === undefined || zone === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return { seconds: days * 86400 + hour * 3600 + minute * 60 + second - zone, nanos };
}
