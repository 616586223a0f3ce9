import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';

/** First bytes of NewValidBlock, VoteSetMaj23 and VoteSetBits: their numbers in cometbft.consensus.v1.Message, as fields with a length. */
const TAGS: readonly (number | undefined)[] = [0x12, 0x42, 0x4a];

/** Whether a frame says what is there of a block or of votes. They are few; the other messages of gossip are many. */
export const isWord = (channel: number, bytes: Bytes): boolean =>
  (channel === CHANNELS.state || channel === CHANNELS.bits) && TAGS.includes(bytes[0]);

/** The same of NewRoundStep, ProposalPOL and HasVote. */
const STANDING_TAGS: readonly (number | undefined)[] = [0x0a, 0x22, 0x3a];

/** Whether a frame says where a node stands or which votes it has. */
export const isStanding = (channel: number, bytes: Bytes): boolean =>
  (channel === CHANNELS.state || channel === CHANNELS.data) && STANDING_TAGS.includes(bytes[0]);

/** The same of Proposal and BlockPart. */
const DATA_TAGS: readonly (number | undefined)[] = [0x1a, 0x2a];
/** The same of Vote. */
export const VOTE_TAG = 0x32;

/** Whether a frame is a proposal, a part of a block or a vote, on the channel where it belongs: what gossip is about. */
export const isContent = (channel: number, bytes: Bytes): boolean =>
  channel === CHANNELS.vote
    ? bytes[0] === VOTE_TAG
    : channel === CHANNELS.data && DATA_TAGS.includes(bytes[0]);

/** Whether a frame has what waits for a block. */
export const isRumour = (channel: number): boolean =>
  channel === CHANNELS.mempool || channel === CHANNELS.evidence;
