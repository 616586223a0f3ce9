/** A complete HTTP response. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Texts that many clients receive, each after a client's own opening. Adapters may cache what they encode from it. */
export interface SharedTexts {
  readonly texts: readonly string[];
  /** Total length of the texts. */
  readonly length: number;
}

/** The output of a websocket session. The adapter implements it on a socket. */
export interface SessionOut {
  /** Queues one text frame. */
  send(text: string): void;
  /** Queues one frame per text, each with `opening` followed by the text. */
  sendShared(opening: string, shared: SharedTexts): void;
  /** Bytes queued and not yet written to the socket. */
  buffered(): number;
  /** Closes the socket with a websocket status code and a reason of at most 123 bytes. */
  close(code: number, reason: string): void;
}
