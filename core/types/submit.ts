import type { Bytes } from '../lib/bytes.ts';
import type { CheckReply } from './app.ts';

/** Why the mempool refused a tx: before the application was asked, or by its own rules afterwards. */
export type MempoolRefusal =
  | { readonly code: 'in-cache' }
  | {
      readonly code: 'full';
      readonly txs: number;
      readonly txsMax: number;
      readonly bytes: number;
      readonly bytesMax: number;
      /** The application accepted the tx, but it is worth no more than any tx that could make room for it. */
      readonly isUnderpriced?: true;
    }
  | { readonly code: 'too-large'; readonly bytes: number; readonly bytesMax: number }
  /** No block has room for it, counting the overhead in the block (CometBFT's pre-check). */
  | { readonly code: 'beyond-block'; readonly bytes: number; readonly bytesMax: number }
  /** These three are the pool's own rules after the application's check. `message` has geth's wording. */
  | { readonly code: 'replacement-underpriced' }
  | { readonly code: 'lane-full'; readonly message: string }
  /** Its sender cannot pay for it together with the txs already in the pool. */
  | { readonly code: 'overdraft'; readonly message: string };

export type SubmitResult =
  /** The application has checked the tx. If it accepted the tx, the tx is in the pool. `hash` is sha256(tx). */
  | { readonly kind: 'checked'; readonly hash: Bytes; readonly result: CheckReply }
  | { readonly kind: 'refused'; readonly hash: Bytes; readonly refusal: MempoolRefusal };

/** The pool was emptied, as the operator asked. */
export interface FlushResult {
  readonly kind: 'flushed';
}

/** The outcome for evidence that a user sent. `error` says why it was refused. */
export interface EvidenceResult {
  readonly kind: 'evidence';
  readonly hash: Bytes;
  readonly error: string | undefined;
}
