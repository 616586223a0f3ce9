/** JSON for the legacy amino sign mode: keys sorted at every level, no whitespace, `<`, `>` and `&` escaped. */
import { compareText } from '../../lib/bytes.ts';

export type AminoJson = string | number | boolean | readonly AminoJson[] | AminoObject;
export interface AminoObject {
  readonly [key: string]: AminoJson;
}

export const isAminoObject = (value: AminoJson): value is AminoObject =>
  typeof value === 'object' && !Array.isArray(value);

export function aminoText(value: AminoJson): string {
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  if (!isAminoObject(value)) return `[${value.map(aminoText).join(',')}]`;
  const keys = Object.keys(value).sort(compareText);
  return `{${keys.map((key) => `${escaped(key)}:${aminoText(value[key] as AminoJson)}`).join(',')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Escapes a string like Go's encoding/json. */
const escaped = (text: string): string =>
  JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (one) => ESCAPES[one] as string);
