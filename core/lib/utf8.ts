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

/** Longer texts go to the library's encoder. */
const SHORT_TEXT_MAX = 64;

export function encodeUtf8(text: string): Bytes {
  if (text.length > SHORT_TEXT_MAX) return utf8ToBytes(text);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const charCode = text.charCodeAt(i);
    if (charCode > 127) return utf8ToBytes(text);
    bytes[i] = charCode;
  }
  return bytes;
}

/** The text; undefined if the bytes are not well-formed UTF-8. */
export function decodeUtf8(bytes: Bytes): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
