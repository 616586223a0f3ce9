import type { SessionOut, SharedTexts } from '../../../core/rpc/httpAnswer.ts';

/** A message of a node on an EVM websocket: an answer or a notification. */
export interface Frame {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: string | boolean;
  readonly params?: { readonly subscription: string; readonly result: unknown };
}

/** The client's end of a websocket. It reads everything at once. */
export class WatchSocket implements SessionOut {
  readonly #read: (frame: Frame) => void;

  constructor(read: (frame: Frame) => void) {
    this.#read = read;
  }

  send(text: string): void {
    this.#read(JSON.parse(text) as Frame);
  }

  sendShared(opening: string, { texts }: SharedTexts): void {
    for (const text of texts) this.send(opening + text);
  }

  buffered(): number {
    return 0;
  }

  close(_code: number, reason: string): void {
    this.#read({ error: { message: reason } });
  }
}
