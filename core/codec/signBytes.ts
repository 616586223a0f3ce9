/**
 * Canonical sign bytes (CometBFT's types/canonical.go), which the signatures of votes and proposals cover.
 * Written by hand rather than by tables, because every vote is signed and verified over them.
 */
import type { Bytes } from '../lib/bytes.ts';
import { type BlockId, isZeroBlockId } from '../types/block.ts';
import type { Timestamp } from '../types/ids.ts';
import type { Proposal, Vote, VoteType } from '../types/vote.ts';
import { PROPOSAL_TYPE, VOTE_TYPE } from './vote.ts';
import { type Writer, written } from './writer.ts';

/** What a vote's signature covers. Type 0 ("unknown") occurs only in CometBFT's tests. */
export interface CanonicalVote {
  readonly chainId: string;
  readonly type: 0 | 1 | 2;
  readonly height: number;
  readonly round: number;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
}

function writeFixed(writer: Writer, tag: number, value: number): void {
  if (value === 0) return;
  writer.uint32(tag);
  writer.sfixed64(value);
}

function writeBytes(writer: Writer, tag: number, value: Bytes): void {
  if (value.length === 0) return;
  writer.uint32(tag);
  writer.bytes(value);
}

function writeText(writer: Writer, tag: number, text: string): void {
  if (text === '') return;
  writer.uint32(tag);
  writer.string(text);
}

/** CanonicalBlockID. For nil the whole field is omitted. */
function writeBlockId(writer: Writer, tag: number, id: BlockId): void {
  if (isZeroBlockId(id)) return;
  writer.uint32(tag);
  const mark = writer.open();
  writeBytes(writer, 0x0a, id.hash);
  writer.uint32(0x12);
  const parts = writer.open();
  if (id.parts.total !== 0) {
    writer.uint32(0x08);
    writer.uint32(id.parts.total);
  }
  writeBytes(writer, 0x12, id.parts.hash);
  writer.close(parts);
  writer.close(mark);
}

function writeTimestamp(writer: Writer, tag: number, time: Timestamp): void {
  writer.uint32(tag);
  const mark = writer.open();
  if (time.seconds !== 0) {
    writer.uint32(0x08);
    writer.int64(time.seconds);
  }
  if (time.nanos !== 0) {
    writer.uint32(0x10);
    writer.uint32(time.nanos);
  }
  writer.close(mark);
}

function writeVote(writer: Writer, vote: CanonicalVote): void {
  const mark = writer.open();
  if (vote.type !== 0) {
    writer.uint32(0x08);
    writer.uint32(vote.type);
  }
  writeFixed(writer, 0x11, vote.height);
  writeFixed(writer, 0x19, vote.round);
  writeBlockId(writer, 0x22, vote.blockId);
  writeTimestamp(writer, 0x2a, vote.timestamp);
  writeText(writer, 0x32, vote.chainId);
  writer.close(mark);
}

export const canonicalVoteBytes = (vote: CanonicalVote): Bytes => written(writeVote, vote);

/** The signed fields of a vote. A commit signature is turned back into such a vote to be verified. */
export type SignedVotePart = Pick<Vote, 'height' | 'round' | 'blockId' | 'timestamp'> & {
  readonly type: VoteType;
};

export const voteSignBytes = (chainId: string, vote: SignedVotePart): Bytes =>
  canonicalVoteBytes({
    chainId,
    type: VOTE_TYPE[vote.type],
    height: vote.height,
    round: vote.round,
    blockId: vote.blockId,
    timestamp: vote.timestamp,
  });

type SignedProposalPart = Omit<Proposal, 'signature'>;

function writeProposal(writer: Writer, [chainId, proposal]: readonly [string, SignedProposalPart]): void {
  const mark = writer.open();
  writer.uint32(0x08);
  writer.uint32(PROPOSAL_TYPE);
  writeFixed(writer, 0x11, proposal.height);
  writeFixed(writer, 0x19, proposal.round);
  if (proposal.polRound !== 0) {
    writer.uint32(0x20);
    writer.int64(proposal.polRound);
  }
  writeBlockId(writer, 0x2a, proposal.blockId);
  writeTimestamp(writer, 0x32, proposal.timestamp);
  writeText(writer, 0x3a, chainId);
  writer.close(mark);
}

export const proposalSignBytes = (chainId: string, proposal: SignedProposalPart): Bytes =>
  written(writeProposal, [chainId, proposal]);
