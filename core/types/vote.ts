import { type Bytes, EMPTY, equalBytes } from '../lib/bytes.ts';
import { type BlockId, type Commit, equalBlockId, ZERO_BLOCK_ID } from './block.ts';
import { type Address, compareTime, type Height, type Round, type Timestamp } from './ids.ts';

export type VoteType = 'prevote' | 'precommit';

export interface Vote {
  readonly type: VoteType;
  readonly height: Height;
  readonly round: Round;
  /** ZERO_BLOCK_ID means nil. */
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
  readonly validatorAddress: Address;
  readonly validatorIndex: number;
  readonly signature: Bytes;
  readonly extension: Bytes;
  readonly extensionSignature: Bytes;
}

/** The precommit behind slot `index` of a commit: for its block, or for nil. undefined when that validator was absent. */
export function commitVote(commit: Commit, index: number): Vote | undefined {
  const slot = commit.signatures[index];
  if (slot === undefined || slot.flag === 'absent') return undefined;
  return {
    type: 'precommit',
    height: commit.height,
    round: commit.round,
    blockId: slot.flag === 'commit' ? commit.blockId : ZERO_BLOCK_ID,
    timestamp: slot.timestamp,
    validatorAddress: slot.validatorAddress,
    validatorIndex: index,
    signature: slot.signature,
    extension: EMPTY,
    extensionSignature: EMPTY,
  };
}

/** The same validator said the same under the same signature. */
export const isSameVote = (a: Vote, b: Vote): boolean =>
  a.type === b.type &&
  a.height === b.height &&
  a.round === b.round &&
  equalBlockId(a.blockId, b.blockId) &&
  compareTime(a.timestamp, b.timestamp) === 0 &&
  equalBytes(a.validatorAddress, b.validatorAddress) &&
  equalBytes(a.signature, b.signature);

export interface Proposal {
  readonly height: Height;
  readonly round: Round;
  /** Round of the proof-of-lock, -1 for none. */
  readonly polRound: Round;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
  readonly signature: Bytes;
}
