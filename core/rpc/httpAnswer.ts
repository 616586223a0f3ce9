/** What an HTTP adapter sends, word for word. Header names in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Where a websocket session writes. Implemented by the adapter over one socket. */
export interface SessionOut {
  /** Queues one text frame. */
  send(text: string): void;
  /** Bytes queued and not yet written to the socket. */
  buffered(): number;
  /** Closes the socket with a websocket status code and a reason of at most 123 bytes. */
  close(code: number, reason: string): void;
}
