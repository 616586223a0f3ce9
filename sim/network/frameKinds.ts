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

/** What the observer hears of when a node sends a frame of some kind, and when it receives one. */
export interface FrameTopics {
  readonly said: 'claimSaid' | 'roundStateSaid' | 'contentSaid';
  readonly heard: 'claimHeard' | 'roundStateHeard' | 'contentHeard';
}

interface FrameKind extends FrameTopics {
  readonly tags: readonly number[];
  /** Frames on other channels are of no kind. */
  readonly channels: readonly number[];
}

const { state, data, vote, bits } = CHANNELS;

const KINDS: readonly FrameKind[] = [
  // Claims about a block or about votes are few among the many frames of gossip.
  {
    said: 'claimSaid',
    heard: 'claimHeard',
    tags: [TAG.newValidBlock, TAG.voteSetMaj23, TAG.voteSetBits],
    channels: [state, bits],
  },
  // Where a node stands, and which votes it has.
  {
    said: 'roundStateSaid',
    heard: 'roundStateHeard',
    tags: [TAG.newRoundStep, TAG.proposalPol, TAG.hasVote],
    channels: [state, data],
  },
  { said: 'contentSaid', heard: 'contentHeard', tags: [TAG.proposal, TAG.blockPart], channels: [data] },
  { said: 'contentSaid', heard: 'contentHeard', tags: [TAG.vote], channels: [vote] },
];

const BY_TAG = new Map(KINDS.flatMap((kind) => kind.tags.map((tag) => [tag, kind] as const)));

/** Undefined for a frame that is no message of consensus, or is on a channel where it does not belong. */
export function consensusTopics(channel: number, bytes: Bytes): FrameTopics | undefined {
  const kind = BY_TAG.get(bytes[0] ?? 0);
  return kind?.channels.includes(channel) === true ? kind : undefined;
}

/** Whether a channel carries what waits for a block: transactions or evidence. */
export const isPoolGossip = (channel: number): boolean =>
  channel === CHANNELS.mempool || channel === CHANNELS.evidence;
