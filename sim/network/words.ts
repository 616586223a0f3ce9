import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';

/** First bytes of messages: their numbers in cometbft.consensus.v1.Message, as fields with a length. */
export const TAG: Readonly<Record<ConsensusMessage['kind'], number>> = {
  newRoundStep: 0x0a,
  newValidBlock: 0x12,
  proposal: 0x1a,
  proposalPol: 0x22,
  blockPart: 0x2a,
  vote: 0x32,
  hasVote: 0x3a,
  voteSetMaj23: 0x42,
  voteSetBits: 0x4a,
};

const WORD_TAGS: readonly (number | undefined)[] = [TAG.newValidBlock, TAG.voteSetMaj23, TAG.voteSetBits];

/** Whether a frame says what is there of a block or of votes. They are few; the other messages of gossip are many. */
export const isWord = (channel: number, bytes: Bytes): boolean =>
  (channel === CHANNELS.state || channel === CHANNELS.bits) && WORD_TAGS.includes(bytes[0]);

const STANDING_TAGS: readonly (number | undefined)[] = [TAG.newRoundStep, TAG.proposalPol, TAG.hasVote];

/** Whether a frame says where a node stands or which votes it has. */
export const isStanding = (channel: number, bytes: Bytes): boolean =>
  (channel === CHANNELS.state || channel === CHANNELS.data) && STANDING_TAGS.includes(bytes[0]);

const DATA_TAGS: readonly (number | undefined)[] = [TAG.proposal, TAG.blockPart];

/** Whether a frame is a proposal, a part of a block or a vote, on the channel where it belongs: what gossip is about. */
export const isContent = (channel: number, bytes: Bytes): boolean =>
  channel === CHANNELS.vote
    ? bytes[0] === TAG.vote
    : channel === CHANNELS.data && DATA_TAGS.includes(bytes[0]);

/** Whether a frame has what waits for a block. */
export const isRumour = (channel: number): boolean =>
  channel === CHANNELS.mempool || channel === CHANNELS.evidence;
