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
  /** What its receipt must say; undefined where only a second execution can tell. */
  readonly status: '0x0' | '0x1' | undefined;
  /** Default 2. */
  readonly type?: 0 | 1 | 2 | 4;
  readonly accessList?: readonly AccessListItem[];
  readonly authorizationList?: readonly Authorization[];
  /** Of another chain than this one. */
  readonly chainId?: bigint;
  /** In an envelope that is written by hand. */
  readonly lie?: EthLieName;
  /** Why no node may take it; it costs no nonce. */
  readonly bad?: string;
  /** If the one before it was taken, this one is as well, unless a block came between. What is bad after it is so only then. */
  readonly isWanted?: boolean;
}

/** What a script knows of its client. */
export interface ClientState {
  readonly accounts: readonly DevAccount[];
  readonly choices: ChoiceStream;
  /** Sent and neither confirmed nor replaced. */
  open(account: DevAccount): readonly SentTx[];
  nonceOf(account: DevAccount): number;
  /** Of the open ones, those that the node said it has, in the life it still lives. */
  taken(account: DevAccount): readonly SentTx[];
  /** The account's next nonce; each call takes one. */
  takeNonce(account: DevAccount): number;
  /** What went to others by transactions that have a receipt. */
  spent(account: DevAccount): bigint;
  /** Transactions that have a receipt. */
  isConfirmed(account: DevAccount, nonce: number): boolean;
}

/** Decides what a client sends next, in this order; a nonce that is open already replaces. */
export type Script = (state: ClientState) => readonly Draft[];
