const HEAD_BYTES_MAX = 10;
const PING = 0x9;

/** The frames of a server, counted by their lengths alone: a thousand readers must cost less than the node they read. */
export class FrameCounter {
  readonly #onText: (length: number, payload: Buffer) => void;
  readonly #onPing: () => void;
  /** Of the frame under way. */
  #left = 0;
  /** The start of a head that is cut. */
  #head: Buffer | undefined;

  /** `payload` is as much of it as has come. */
  constructor(onText: (length: number, payload: Buffer) => void, onPing: () => void) {
    this.#onText = onText;
    this.#onPing = onPing;
  }

  push(data: Buffer): void {
    const chunk = this.#head === undefined ? data : Buffer.concat([this.#head, data]);
    this.#head = undefined;
    let at = Math.min(this.#left, chunk.length);
    this.#left -= at;
    while (at < chunk.length) {
      const short = (chunk[at + 1] ?? 0) & 0x7f;
      const size = short < 126 ? 2 : short === 126 ? 4 : HEAD_BYTES_MAX;
      if (chunk.length - at < size) {
        this.#head = chunk.subarray(at);
        return;
      }
      const length =
        short < 126
          ? short
          : short === 126
            ? chunk.readUInt16BE(at + 2)
            : Number(chunk.readBigUInt64BE(at + 2));
      const start = at + size;
      at = Math.min(start + length, chunk.length);
      this.#left = start + length - at;
      if (((chunk[start - size] as number) & 0x0f) === PING) this.#onPing();
      else this.#onText(length, chunk.subarray(start, at));
    }
  }
}
