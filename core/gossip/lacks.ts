/** What a peer lacks and we have, in the order in which CometBFT's gossip loops would send it (consensus/reactor.go). */
import { BitSet } from '../lib/bitset.ts';
import { equalBytes } from '../lib/bytes.ts';
import { type Commit, equalPartSetHeader, type Part } from '../types/block.ts';
import type { BlockReader } from '../types/blockReader.ts';
import type { Height } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { RoundState, VoteSetReader } from '../types/roundState.ts';
import { commitVote, type Proposal, type Vote } from '../types/vote.ts';
import type { Author } from './author.ts';
import type { PeerRound } from './peerRound.ts';

export interface Missing {
  readonly proposal: { readonly proposal: Proposal; readonly pol: BitSet | undefined } | undefined;
  readonly parts: readonly Part[];
  readonly votes: readonly Vote[];
}

export const NOTHING: Missing = { proposal: undefined, parts: [], votes: [] };

export interface Batch {
  readonly partsMax: number;
  readonly votesMax: number;
  /** If absent, messages of all authors. */
  readonly author: Author | undefined;
}

export function missingAt(peer: PeerRound, rs: RoundState, blocks: BlockReader, batch: Batch): Missing {
  if (peer.height === 0) return NOTHING;
  if (peer.height === rs.height) return missingNow(peer, rs, batch);
  if (peer.height < rs.height && peer.height >= blocks.base()) return missingOld(peer, rs, blocks, batch);
  return NOTHING;
}

/** Our precommits of the last height, if the peer is waiting for ours to begin and can still use them. */
const lateVotesFor = (peer: PeerRound, { lastPrecommits }: RoundState): VoteSetReader | undefined =>
  peer.step === STEP.newHeight && lastPrecommits?.round === peer.lastCommitRound ? lastPrecommits : undefined;

/** The peer waits for our height to begin and lacks some of our precommits of the last one. */
export const lacksLate = (peer: PeerRound, rs: RoundState): boolean =>
  lateVotesFor(peer, rs)?.bits.minus(peer.lastCommit).next().done === false;

/** Whether proposal and parts are in the batch. Their author is taken to be the proposer of our round. */
const isWanted = (rs: RoundState, { author }: Batch): boolean =>
  author === undefined || equalBytes(rs.proposer.address, author.address);

function missingNow(peer: PeerRound, rs: RoundState, batch: Batch): Missing {
  const votes: Vote[] = [];
  const late = lateVotesFor(peer, rs);
  if (late !== undefined) takeVotes(late, peer.lastCommit, votes, batch);
  const polRound = rs.proposal !== undefined && rs.round === peer.round ? rs.proposal.polRound : -1;
  if (polRound >= 0) take(rs.votes(polRound, 'prevote'), peer, votes, batch);
  if (peer.round >= 0 && peer.round <= rs.round) {
    take(rs.votes(peer.round, 'prevote'), peer, votes, batch);
    take(rs.votes(peer.round, 'precommit'), peer, votes, batch);
  }
  // Our own round's votes let a peer in an earlier round skip to it once +1/3 are there (L55).
  if (peer.round < rs.round) {
    take(rs.votes(rs.round, 'prevote'), peer, votes, batch);
    take(rs.votes(rs.round, 'precommit'), peer, votes, batch);
  }
  if (rs.commitRound >= 0) take(rs.votes(rs.commitRound, 'precommit'), peer, votes, batch);
  if (isWanted(rs, batch))
    return { proposal: missingProposal(peer, rs), parts: missingParts(peer, rs, batch.partsMax), votes };
  return votes.length === 0 ? NOTHING : { proposal: undefined, parts: NOTHING.parts, votes };
}

function take(set: VoteSetReader | undefined, peer: PeerRound, votes: Vote[], batch: Batch): void {
  if (set !== undefined) takeVotes(set, peer.votes(set.round, set.type), votes, batch);
}

function missingProposal(peer: PeerRound, rs: RoundState): Missing['proposal'] {
  if (rs.proposal === undefined || peer.hasProposal || peer.round !== rs.round) return undefined;
  const { polRound } = rs.proposal;
  return { proposal: rs.proposal, pol: polRound >= 0 ? rs.votes(polRound, 'prevote')?.bits : undefined };
}

function missingParts(peer: PeerRound, rs: RoundState, max: number): readonly Part[] {
  const ours = rs.proposalParts;
  if (ours === undefined) return [];
  const willKnow = peer.partsHeader ?? (peer.round === rs.round ? rs.proposal?.blockId.parts : undefined);
  if (willKnow === undefined || !equalPartSetHeader(willKnow, ours.header)) return [];
  const parts: Part[] = [];
  for (const index of ours.bits.minus(peer.parts)) {
    if (parts.length >= max) break;
    const part = ours.part(index);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

/** Skips votes already in `out`: the same set may be passed for several reasons. */
function takeVotes(set: VoteSetReader, known: BitSet | undefined, out: Vote[], batch: Batch): void {
  const { author, votesMax } = batch;
  if (author !== undefined) {
    const index = author.placeIn(set.validators);
    const vote = index < 0 || known?.has(index) === true ? undefined : set.vote(index);
    if (vote !== undefined && !out.includes(vote)) out.push(vote);
    return;
  }
  for (const index of set.bits.minus(known)) {
    if (out.length >= votesMax) return;
    const vote = set.vote(index);
    if (vote !== undefined && !out.includes(vote)) out.push(vote);
  }
}

/** The commit of a decided height: from the store, or for the last height from the machine. */
export function commitFor(height: Height, rs: RoundState, blocks: BlockReader): Commit | undefined {
  if (height < blocks.base()) return undefined;
  const last = height === rs.height - 1 ? (rs.lastCommit ?? blocks.loadSeenCommit(height)) : undefined;
  const commit = blocks.loadCommit(height) ?? last;
  return commit?.height === height ? commit : undefined;
}

/** A peer at a decided height first needs the commit. Once it names the part set, it needs the parts. */
function missingOld(peer: PeerRound, rs: RoundState, blocks: BlockReader, batch: Batch): Missing {
  const commit = commitFor(peer.height, rs, blocks);
  const votes: Vote[] = [];
  if (commit !== undefined) {
    const known = peer.votes(commit.round, 'precommit');
    const place = batch.author?.placeInCommit(commit);
    const [from, to] = place === undefined ? [0, commit.signatures.length] : [Math.max(0, place), place + 1];
    for (let i = from; i < to && votes.length < batch.votesMax; i++) {
      const vote = known?.has(i) ? undefined : commitVote(commit, i);
      if (vote !== undefined) votes.push(vote);
    }
  }
  if (!isWanted(rs, batch)) return votes.length === 0 ? NOTHING : { ...NOTHING, votes };
  const parts: Part[] = [];
  const meta = peer.partsHeader === undefined ? undefined : blocks.loadMeta(peer.height);
  if (
    meta !== undefined &&
    peer.partsHeader !== undefined &&
    equalPartSetHeader(meta.blockId.parts, peer.partsHeader)
  ) {
    const all = peer.parts ?? new BitSet(meta.blockId.parts.total);
    for (let i = 0; i < all.size && parts.length < batch.partsMax; i++) {
      const part = all.has(i) ? undefined : blocks.loadPart(peer.height, i);
      if (part !== undefined) parts.push(part);
    }
  }
  return { proposal: undefined, parts, votes };
}

/** Size of a vote set at `height`; for a decided height it is the commit's length. 0 if it is not known. */
export function voteSetSize(height: Height, rs: RoundState, blocks: BlockReader): number {
  if (height === rs.height) return rs.validators.validators.length;
  if (height === rs.height - 1 && rs.lastCommit !== undefined) return rs.lastCommit.signatures.length;
  if (height > rs.height || height < blocks.base()) return 0;
  return (blocks.loadCommit(height) ?? blocks.loadSeenCommit(height))?.signatures.length ?? 0;
}
