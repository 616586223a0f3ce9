import type { AccessListItem, Authorization } from '../../core/app/chain.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { SentTx } from '../clients/sentTx.ts';
import type { DevAccount } from '../cluster.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { EthLieName } from './ethLies.ts';

/** A transaction that a client is about to sign. */
export interface Draft {
  readonly from: DevAccount;
  readonly to: Bytes | undefined;
  readonly data: Bytes;
  readonly nonce: number;
  readonly value: bigint;
  readonly gas: bigint;
  readonly tip: bigint;
  readonly feeCap: bigint;
  /** The status that its receipt must have; undefined where only a second execution can tell. */
  readonly status: '0x0' | '0x1' | undefined;
  /** Default 2. */
  readonly type?: 0 | 1 | 2 | 4;
  readonly accessList?: readonly AccessListItem[];
  readonly authorizationList?: readonly Authorization[];
  /** The id of another chain. */
  readonly chainId?: bigint;
  /** Encoded by hand, with this lie. */
  readonly lie?: EthLieName;
  /** Why no node may take it. It uses no nonce. */
  readonly bad?: string;
  /**
   * If the transaction before it was taken, this one has to be taken too, unless a block came between. A bad one after
   * it is bad only under the same condition.
   */
  readonly isWanted?: boolean;
}

/** What a script knows of its client. */
export interface ClientState {
  readonly accounts: readonly DevAccount[];
  readonly choices: ChoiceStream;
  /** Transactions that were sent and are neither confirmed nor replaced. */
  open(account: DevAccount): readonly SentTx[];
  nonceOf(account: DevAccount): number;
  /** Open transactions that the node took in its current life. */
  taken(account: DevAccount): readonly SentTx[];
  /** The account's next nonce; each call takes one. */
  takeNonce(account: DevAccount): number;
  /** Coins sent to others by transactions that have a receipt. */
  spent(account: DevAccount): bigint;
  /** Whether the account's transaction with this nonce has a receipt. */
  isConfirmed(account: DevAccount, nonce: number): boolean;
}

/** Decides what a client sends next, in this order. A nonce that is already open makes a replacement. */
export type Script = (state: ClientState) => readonly Draft[];
