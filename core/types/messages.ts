/** Messages between peers, decoded: those of CometBFT's consensus, mempool, evidence and blocksync reactors. */
import type { BitSet } from '../lib/bitset.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Block, BlockId, Part, PartSetHeader } from './block.ts';
import type { Height, Round } from './ids.ts';
import type { Proposal, Vote, VoteType } from './vote.ts';

/** CometBFT's step numbers, as on the wire. */
export const STEP = {
  newHeight: 1,
  newRound: 2,
  propose: 3,
  prevote: 4,
  prevoteWait: 5,
  precommit: 6,
  precommitWait: 7,
  commit: 8,
} as const;

export type ConsensusMessage =
  | {
      readonly kind: 'newRoundStep';
      readonly height: Height;
      readonly round: Round;
      readonly step: number;
      readonly secondsSinceStart: number;
      readonly lastCommitRound: Round;
    }
  | {
      readonly kind: 'newValidBlock';
      readonly height: Height;
      readonly round: Round;
      readonly parts: PartSetHeader;
      readonly bits: BitSet;
      readonly isCommit: boolean;
    }
  | { readonly kind: 'proposal'; readonly proposal: Proposal }
  | { readonly kind: 'proposalPol'; readonly height: Height; readonly polRound: Round; readonly bits: BitSet }
  | { readonly kind: 'blockPart'; readonly height: Height; readonly round: Round; readonly part: Part }
  | { readonly kind: 'vote'; readonly vote: Vote }
  | {
      readonly kind: 'hasVote';
      readonly height: Height;
      readonly round: Round;
      readonly type: VoteType;
      readonly index: number;
    }
  | {
      readonly kind: 'voteSetMaj23';
      readonly height: Height;
      readonly round: Round;
      readonly type: VoteType;
      readonly blockId: BlockId;
    }
  | {
      readonly kind: 'voteSetBits';
      readonly height: Height;
      readonly round: Round;
      readonly type: VoteType;
      readonly blockId: BlockId;
      readonly bits: BitSet;
    };

export type BlocksyncMessage =
  | { readonly kind: 'blockRequest'; readonly height: Height }
  | { readonly kind: 'noBlockResponse'; readonly height: Height }
  | { readonly kind: 'blockResponse'; readonly block: Block }
  | { readonly kind: 'statusRequest' }
  | { readonly kind: 'statusResponse'; readonly height: Height; readonly base: Height };

/** One mempool message. It may carry several transactions. */
export interface TxsMessage {
  readonly txs: readonly Bytes[];
}
