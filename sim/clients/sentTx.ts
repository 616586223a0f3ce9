import type { Bytes } from '../../core/lib/bytes.ts';
import type { Draft } from '../scripts/script.ts';

/** A transaction that a node was given. */
export interface Submitted {
  readonly hash: string;
  /** The highest height that any node had decided when it was last sent to a node that did not know it. */
  readonly sentHead: number;
  /** The block that the client was told. */
  readonly height: number | undefined;
}

/** A transaction that a wallet has sent, and what became of it. */
export interface SentTx extends Draft {
  readonly hash: string;
  readonly raw: Bytes;
  sentAt: number;
  /** The highest height that any node had decided when it was last sent to a node that did not know it. */
  sentHead: number;
  /** The life of the node that took it; 0 when none did. */
  takenIn: number;
  /** How often it was sent, and how often it was refused for another reason than that the node knows it. */
  gives: number;
  refusals: number;
  /** How often in a row a node called it known and did not have it. */
  ghosts: number;
  /** Another transaction with the same nonce is in a block. */
  isReplaced: boolean;
  /** The receipt that the client was told. */
  receipt: { readonly blockNumber: number; readonly blockHash: string } | undefined;
}
