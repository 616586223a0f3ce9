import type { Bytes } from '../lib/bytes.ts';
import type { BlockId } from './block.ts';
import type { Address, Height, Round, Timestamp } from './ids.ts';

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

export interface Proposal {
  readonly height: Height;
  readonly round: Round;
  /** Round of the proof-of-lock, -1 for none. */
  readonly polRound: Round;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
  readonly signature: Bytes;
}
