import type { IncomingMessage } from 'node:http';

export type BodyOutcome =
  | { readonly kind: 'body'; readonly text: string }
  /** `bytes`: as announced, or read so far. The rest is not read: answer and close. */
  | { readonly kind: 'too-large'; readonly bytes: number }
  /** The client disconnected, so there is nobody to answer. */
  | { readonly kind: 'aborted' };

/** The announced length of the body; undefined for a chunked request. */
export const announcedBytes = (request: IncomingMessage): number | undefined => {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

/** Reads at most `bytesMax` of a request body as UTF-8, or as latin1, which keeps each byte. Calls `done` once. */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  done: (outcome: BodyOutcome) => void,
  encoding: 'utf8' | 'latin1' = 'utf8',
): void {
  const announced = announcedBytes(request);
  if (announced !== undefined && announced > bytesMax) {
    done({ kind: 'too-large', bytes: announced });
    return;
  }
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let bytes = 0;
  let isDone = false;
  const finish = (outcome: BodyOutcome): void => {
    if (isDone) return;
    isDone = true;
    done(outcome);
  };
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      // Later chunks are discarded; the answer closes the connection.
      chunks = undefined;
      first = undefined;
      finish({ kind: 'too-large', bytes });
    } else if (first === undefined) first = chunk;
    else if (chunks === undefined) chunks = [first, chunk];
    else chunks.push(chunk);
  });
  request.on('end', () => {
    // Nearly every body arrives in one chunk, which needs no copy.
    const whole = chunks === undefined ? first : Buffer.concat(chunks, bytes);
    finish({ kind: 'body', text: whole === undefined ? '' : whole.toString(encoding) });
  });
  request.on('error', () => finish({ kind: 'aborted' }));
  request.on('close', () => finish({ kind: 'aborted' }));
}
