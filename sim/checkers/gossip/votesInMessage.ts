import type { Bytes } from '../../../core/lib/bytes.ts';
import type { VoteType } from '../../../core/types/vote.ts';
import { TAG } from '../../network/frameKinds.ts';
import { readMessage } from '../../network/readMessage.ts';
import { remembered } from '../../remembered.ts';

/** Votes that a message says its sender has. */
export interface VotesInMessage {
  readonly height: number;
  readonly round: number;
  /** By number (`voteNumber`). */
  readonly votes: readonly number[];
  /** Whether the message carries the vote, so that its receiver has it, too. */
  readonly isGiven: boolean;
}

/** More than the validators of any set. */
const INDEX_SPAN = 2 ** 16;

/** A number that identifies a vote among those of its height. */
export const voteNumber = (round: number, type: VoteType, index: number): number =>
  (2 * round + (type === 'prevote' ? 0 : 1)) * INDEX_SPAN + index;

const TAGS: readonly (number | undefined)[] = [TAG.vote, TAG.hasVote, TAG.voteSetBits];

/** Undefined for every other message. */
export const votesInMessage = (bytes: Bytes): VotesInMessage | undefined =>
  TAGS.includes(bytes[0]) ? decoded(bytes) : undefined;

const decoded = remembered((bytes: Bytes): VotesInMessage | undefined => {
  const result = readMessage(bytes);
  const message = result.ok ? result.value : undefined;
  if (message?.kind === 'vote') {
    const { height, round, type, validatorIndex } = message.vote;
    return { height, round, votes: [voteNumber(round, type, validatorIndex)], isGiven: true };
  }
  if (message?.kind === 'hasVote') {
    const { height, round, type, index } = message;
    return { height, round, votes: [voteNumber(round, type, index)], isGiven: false };
  }
  if (message?.kind !== 'voteSetBits') return undefined;
  const { height, round, type, bits } = message;
  const all = Array.from({ length: bits.size }, (_, i) => i).filter((i) => bits.has(i));
  return { height, round, votes: all.map((i) => voteNumber(round, type, i)), isGiven: false };
});
