/** What an HTTP adapter sends, word for word. Header names in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Texts that many clients are sent, each after words of the client's own. Adapters may keep what they make of it. */
export interface SharedTexts {
  readonly texts: readonly string[];
  /** Of all of them together. */
  readonly length: number;
}

/** Where a websocket session writes. Implemented by the adapter over one socket. */
export interface SessionOut {
  /** Queues one text frame. */
  send(text: string): void;
  /** Queues one text frame for each of the texts: `opening` and the text. */
  sendShared(opening: string, shared: SharedTexts): void;
  /** Bytes queued and not yet written to the socket. */
  buffered(): number;
  /** Closes the socket with a websocket status code and a reason of at most 123 bytes. */
  close(code: number, reason: string): void;
}
