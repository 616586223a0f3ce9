import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';

/** First bytes of encoded messages: their field in tendermint.consensus.Message, with wire type "bytes". */
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

const CLAIM_TAGS: readonly (number | undefined)[] = [TAG.newValidBlock, TAG.voteSetMaj23, TAG.voteSetBits];

/** Whether a frame claims something about a block or about votes. Such frames are few among the many of gossip. */
export const isClaim = (channel: number, bytes: Bytes): boolean =>
  (channel === CHANNELS.state || channel === CHANNELS.bits) && CLAIM_TAGS.includes(bytes[0]);

const ROUND_STATE_TAGS: readonly (number | undefined)[] = [TAG.newRoundStep, TAG.proposalPol, TAG.hasVote];

/** Whether a frame says where a node stands or which votes it has. */
export const isRoundState = (channel: number, bytes: Bytes): boolean =>
  (channel === CHANNELS.state || channel === CHANNELS.data) && ROUND_STATE_TAGS.includes(bytes[0]);

const DATA_TAGS: readonly (number | undefined)[] = [TAG.proposal, TAG.blockPart];

/** Whether a frame is a proposal, a block part or a vote, on the channel where it belongs. */
export const isContent = (channel: number, bytes: Bytes): boolean =>
  channel === CHANNELS.vote
    ? bytes[0] === TAG.vote
    : channel === CHANNELS.data && DATA_TAGS.includes(bytes[0]);

/** Whether a channel carries what waits for a block: transactions or evidence. */
export const isPoolGossip = (channel: number): boolean =>
  channel === CHANNELS.mempool || channel === CHANNELS.evidence;
