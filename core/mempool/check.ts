import type { Bytes } from '../lib/bytes.ts';

/** A transaction that the application looks at. */
export interface Check {
  readonly tx: Bytes;
  readonly hash: Bytes;
  readonly key: string;
  /** The submit call that waits for the verdict; undefined when a peer sent the tx. */
  readonly call: number | undefined;
  readonly epoch: number;
}
