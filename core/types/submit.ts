import type { Bytes } from '../lib/bytes.ts';
import type { CheckReply } from './app.ts';

/** Why the mempool took no look at a tx, before the application was asked (reference §5.5). */
export type MempoolRefusal =
  | { readonly code: 'in-cache' }
  | {
      readonly code: 'full';
      readonly txs: number;
      readonly txsMax: number;
      readonly bytes: number;
      readonly bytesMax: number;
      /** It was looked at, and pays less than everything that is there. */
      readonly isUnderpriced?: true;
    }
  | { readonly code: 'too-large'; readonly bytes: number; readonly bytesMax: number }
  /** No block can hold it, with what a block adds to it (CometBFT's pre-check). */
  | { readonly code: 'beyond-block'; readonly bytes: number; readonly bytesMax: number }
  /** The pool's own rules after the application's (geth wording in `message`). */
  | { readonly code: 'replacement-underpriced' }
  | { readonly code: 'already-known' }
  | { readonly code: 'lane-full'; readonly message: string }
  /** Its sender cannot pay it together with what waits already. */
  | { readonly code: 'overdraft'; readonly message: string };

export type SubmitResult =
  /** The application looked at it; accepted ones are in the pool. `hash` = sha256(tx). */
  | { readonly kind: 'checked'; readonly hash: Bytes; readonly result: CheckReply }
  | { readonly kind: 'refused'; readonly hash: Bytes; readonly refusal: MempoolRefusal };

/** The pool is empty, as its operator asked. */
export interface FlushResult {
  readonly kind: 'flushed';
}

/** What became of evidence that a user sent; `error` says why it was not taken. */
export interface EvidenceResult {
  readonly kind: 'evidence';
  readonly hash: Bytes;
  readonly error: string | undefined;
}
