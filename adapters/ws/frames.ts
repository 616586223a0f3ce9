import type { SharedTexts } from '../../core/rpc/httpAnswer.ts';

/** First byte of a complete text frame (RFC 6455 §5.2). */
const FIN_TEXT = 0x81;
/** Openings whose frames are cached: clients with the same library tend to use the same ids. */
const OPENINGS_MAX = 4;

interface Encoded {
  readonly texts: readonly Buffer[];
  readonly bytes: number;
  /** Encoded frames by opening. */
  readonly frames: Map<string, Buffer>;
}

const encoded = new WeakMap<SharedTexts, Encoded>();

function encodedOf(shared: SharedTexts): Encoded {
  const known = encoded.get(shared);
  if (known !== undefined) return known;
  const texts = shared.texts.map((text) => Buffer.from(text));
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const made = { texts, bytes, frames: new Map<string, Buffer>() };
  encoded.set(shared, made);
  return made;
}

/** Writes the head of a frame; returns where its payload begins. */
function writeHead(into: Buffer, at: number, length: number): number {
  into[at] = FIN_TEXT;
  if (length < 126) {
    into[at + 1] = length;
    return at + 2;
  }
  if (length < 0x1_0000) {
    into[at + 1] = 126;
    into.writeUInt16BE(length, at + 2);
    return at + 4;
  }
  into[at + 1] = 127;
  into.writeUInt32BE(0, at + 2);
  into.writeUInt32BE(length, at + 6);
  return at + 10;
}

const HEAD_BYTES_MAX = 10;

/**
 * One text frame for each text, which follows the opening; all in one buffer. The texts are encoded once for all
 * clients, and clients with the same opening share the frames too.
 */
export function sharedFrames(opening: string, shared: SharedTexts): Buffer {
  const { texts, bytes, frames } = encodedOf(shared);
  const known = frames.get(opening);
  if (known !== undefined) return known;
  const start = Buffer.from(opening);
  const into = Buffer.allocUnsafeSlow(bytes + (start.length + HEAD_BYTES_MAX) * texts.length);
  let at = 0;
  for (const text of texts) {
    at = writeHead(into, at, start.length + text.length);
    at += start.copy(into, at);
    at += text.copy(into, at);
  }
  const made = into.subarray(0, at);
  if (frames.size < OPENINGS_MAX) frames.set(opening, made);
  return made;
}
