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

/**
 * The bytes so far, copied into one buffer. A client chooses how it divides a body: chunks of one byte each, kept as
 * they came, would take some two hundred times their size.
 */
class Gathered {
  #held: Buffer | undefined;
  #length = 0;

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#held === undefined) {
      // Nearly every body arrives in one chunk, which needs no copy.
      this.#held = chunk;
    } else {
      if (length > this.#held.length) this.#growTo(Math.max(length, 2 * this.#length));
      chunk.copy(this.#held, this.#length);
    }
    this.#length = length;
  }

  #growTo(bytes: number): void {
    const longer = Buffer.allocUnsafe(bytes);
    this.#held?.copy(longer, 0, 0, this.#length);
    this.#held = longer;
  }

  text(encoding: 'utf8' | 'latin1'): string {
    return this.#held === undefined ? '' : this.#held.toString(encoding, 0, this.#length);
  }
}

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
  let gathered: Gathered | undefined = new Gathered();
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
      gathered = undefined;
      finish({ kind: 'too-large', bytes });
    } else gathered?.add(chunk);
  });
  request.on('end', () => finish({ kind: 'body', text: gathered?.text(encoding) ?? '' }));
  request.on('error', () => finish({ kind: 'aborted' }));
  request.on('close', () => finish({ kind: 'aborted' }));
}
