import type { Bytes } from '../../core/lib/bytes.ts';
import type { ChoiceStream } from '../choices.ts';
import type { DevAccount } from '../cluster.ts';
import type { SentTx } from '../workload.ts';

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
  /** What its receipt must say. */
  readonly status: '0x0' | '0x1';
}

/** What a script knows of its client. */
export interface ClientState {
  readonly accounts: readonly DevAccount[];
  readonly choices: ChoiceStream;
  /** Sent and neither confirmed nor replaced. */
  open(account: DevAccount): readonly SentTx[];
  nonceOf(account: DevAccount): number;
  /** The account's next nonce; each call takes one. */
  takeNonce(account: DevAccount): number;
  /** Transactions that have a receipt. */
  isConfirmed(account: DevAccount, nonce: number): boolean;
}

/** Decides what a client sends next, in this order; a nonce that is open already replaces. */
export type Script = (state: ClientState) => readonly Draft[];
