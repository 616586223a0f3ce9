import type { Commit, Header } from './block.ts';
import type { Height, Timestamp } from './ids.ts';
import type { Validator, ValidatorSet } from './validator.ts';
import type { Vote } from './vote.ts';

export interface DuplicateVoteEvidence {
  readonly kind: 'duplicate-vote';
  /** Ordered by block key: voteA has the smaller one. */
  readonly voteA: Vote;
  readonly voteB: Vote;
  readonly totalVotingPower: bigint;
  readonly validatorPower: bigint;
  /** Block time at the height of the votes. */
  readonly timestamp: Timestamp;
}

export interface LightBlock {
  readonly header: Header;
  readonly commit: Commit;
  readonly validators: ValidatorSet;
}

export interface LightClientAttackEvidence {
  readonly kind: 'light-client-attack';
  readonly conflictingBlock: LightBlock;
  readonly commonHeight: Height;
  readonly byzantineValidators: readonly Validator[];
  readonly totalVotingPower: bigint;
  readonly timestamp: Timestamp;
}

export type Evidence = DuplicateVoteEvidence | LightClientAttackEvidence;

/** Two signed votes of one validator, at least one of them dishonest. Becomes evidence once the block time is known. */
export interface Conflict {
  readonly voteA: Vote;
  readonly voteB: Vote;
}

/** What the application is told about a misbehaving validator (ABCI Misbehavior). */
export interface Misbehavior {
  readonly kind: 'duplicate-vote' | 'light-client-attack';
  readonly validator: { readonly address: Uint8Array; readonly power: bigint };
  readonly height: Height;
  readonly time: Timestamp;
  readonly totalVotingPower: bigint;
}
