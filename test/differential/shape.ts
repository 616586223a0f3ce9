export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Numbers of up to 32 bytes without leading zeros: their length says nothing. */
const NUMBERS = new Set(['r', 's', 'key', 'value', 'extraData', 'data', 'input', 'output']);

/** What kind of thing an answer is, without what differs between two chains. */
export function shapeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return shapeOfText(value);
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  // A map by address, hash or number: its keys are data.
  if (entries.length > 0 && entries.every(([key]) => /^(0x[0-9a-f]*|\d+)$/i.test(key)))
    return `{*:${[...new Set(entries.map(([, field]) => shapeOf(field)))].sort().join('|')}}`;
  return `{${entries
    .map(([key, field]) => `${key}:${NUMBERS.has(key) && typeof field === 'string' ? 'hex' : shapeOf(field)}`)
    .sort()
    .join(',')}}`;
}

function shapeOfText(text: string): string {
  if (!/^0x[0-9a-f]*$/i.test(text)) return 'text';
  if (text.length === 66) return 'hash';
  if (text.length === 42) return 'address';
  return 'hex';
}

/** An answer in one line: what the comparison is about. */
export const digestOf = ({ result, error }: Answer): string =>
  error === undefined ? shapeOf(result) : `error ${error.code}: ${error.message}`;
