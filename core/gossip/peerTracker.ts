import { BLOCK_PARTS_MAX } from '../codec/limits.ts';
import type { Part } from '../types/block.ts';
import type { Height, PeerId } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { Proposal, Vote } from '../types/vote.ts';
import type { GossipOptions } from './contract.ts';
import { voteSetSize } from './lacks.ts';
import type { Peer, PeerRound } from './peerRound.ts';
import type { Peers } from './peers.ts';

type Message<K extends ConsensusMessage['kind']> = Extract<ConsensusMessage, { kind: K }>;

/** Far more than a peer's outdated view of our height can explain. */
const STRAY_VOTES_MAX = 1_000;

/** Records what peers have, from what they announce and what they send, whether we need it or not. */
export class PeerTracker {
  readonly #options: GossipOptions;
  readonly #peers: Peers;

  constructor(options: GossipOptions, peers: Peers) {
    this.#options = options;
    this.#peers = peers;
  }

  onHasVote(id: PeerId, message: Message<'hasVote'>): void {
    const peer = this.#peers.find(id);
    if (peer !== undefined) this.#note(peer.round, message);
  }

  onVoteSetBits(id: PeerId, message: Message<'voteSetBits'>): void {
    const { height, round, type, bits, blockId } = message;
    const { rs } = this.#options;
    const peer = this.#peers.find(id);
    // VoteSetBits may be late: the peer may have moved to the next height and have none of its votes yet.
    if (peer === undefined || height !== rs.height || height !== peer.round.height) return;
    const ours = rs.votes(round, type);
    if (ours === undefined) return;
    peer.round.onVoteSetBits(round, type, bits, ours.bitsFor(blockId));
    peer.servedIn = 0;
  }

  /** False for a flood: an honest peer sends votes only for heights at which we say we are. */
  onVote(id: PeerId, vote: Vote): boolean {
    const peer = this.#peers.find(id);
    if (peer === undefined) return true;
    peer.round.received.votes += 1;
    if (vote.height > this.#options.rs.height + 1) peer.round.strayVotes += 1;
    this.mark(peer, vote);
    return peer.round.strayVotes <= STRAY_VOTES_MAX;
  }

  onProposal(id: PeerId, proposal: Proposal): void {
    const { height, round, blockId, polRound } = proposal;
    // No block has so many parts, so consensus refuses this proposal. Allocate nothing for it.
    if (blockId.parts.total > BLOCK_PARTS_MAX) return;
    this.#peers.find(id)?.round.onProposal(height, round, blockId.parts, polRound);
  }

  onPart(id: PeerId, height: Height, part: Part): void {
    const round = this.#peers.find(id)?.round;
    if (round === undefined) return;
    round.received.blockParts += 1;
    round.setPart(height, part.index);
  }

  /** Records that the peer has this vote. */
  mark(peer: Peer, vote: Vote): void {
    const { height, round, type, validatorIndex: index } = vote;
    this.#note(peer.round, { height, round, type, index });
  }

  #note(peer: PeerRound, { height, round, type, index }: Omit<Message<'hasVote'>, 'kind'>): void {
    // Nothing is kept for other heights, and the size of their vote sets may cost a read of the store.
    if (height !== peer.height && height !== peer.height - 1) return;
    const size = voteSetSize(height, this.#options.rs, this.#options.blocks);
    peer.setVote(height, round, type, index, size);
  }
}
