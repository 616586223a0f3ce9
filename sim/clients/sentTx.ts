import type { Bytes } from '../../core/lib/bytes.ts';
import type { Draft } from '../scripts/script.ts';

/** What a wallet has sent, and what became of it. */
export interface SentTx extends Draft {
  readonly hash: string;
  readonly raw: Bytes;
  sentAt: number;
  /** Head of the node when it was sent last. */
  sentHead: number;
  /** The life of the node in which it was taken; 0 for none. */
  takenIn: number;
  /** How often it was sent, and of these how often it was refused for another reason than that it is known. */
  gives: number;
  refusals: number;
  /** How often in a row it was called known by a node that did not have it. */
  ghosts: number;
  /** Another one of the same nonce is in a block. */
  isReplaced: boolean;
  /** What the client was told. */
  receipt: { readonly blockNumber: number; readonly blockHash: string } | undefined;
}
