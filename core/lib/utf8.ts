import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Bytes } from './bytes.ts';

// TextDecoder is a deterministic part of every JavaScript host, but not of the `es2023` library we compile against.
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => {
  decode(bytes: Uint8Array): string;
};
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const encodeUtf8 = (text: string): Bytes => utf8ToBytes(text);

/** The text, or undefined when the bytes are not well-formed UTF-8. */
export function decodeUtf8(bytes: Bytes): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
