/** Parses a time as Go's servers print it, counting day by day. */
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const TEXT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/;
/** Fractions: without trailing zeros, or in groups of three digits of which the last is not 000. */
const SHORTEST = /[1-9]$/;
const IN_THREES = /^(?:\d{3})*(?!000)\d{3}$/;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}

/** Reads Go's RFC3339Nano; undefined if the text is not in the canonical form. */
export const momentOf = (text: unknown): Moment | undefined => read(text, SHORTEST);

/** The same as protobuf's JSON writes it. */
export const protoMomentOf = (text: unknown): Moment | undefined => read(text, IN_THREES);

function read(text: unknown, form: RegExp): Moment | undefined {
  const match = TEXT.exec(String(text));
  if (match === null || (match[7] !== undefined && !form.test(match[7]))) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  let days = day - 1;
  for (let before = 1970; before < year; before++) days += isLeap(before) ? 366 : 365;
  for (let before = year; before < 1970; before++) days -= isLeap(before) ? 366 : 365;
  for (const [i, length] of MONTH_DAYS.slice(0, month - 1).entries())
    days += length + (i === 1 && isLeap(year) ? 1 : 0);
  const seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
  return { seconds, nanos: Number((match[7] ?? '').padEnd(9, '0')) };
}
