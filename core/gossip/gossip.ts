import { BLOCK_PARTS_MAX } from '../codec/limits.ts';
import { encodeConsensusMessage } from '../codec/messages.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { equalPartSetHeader, type Part } from '../types/block.ts';
import type { Height, Micros, Millis, PeerId } from '../types/ids.ts';
import { type ConsensusMessage, STEP } from '../types/messages.ts';
import type { Proposal, Vote } from '../types/vote.ts';
import { Author } from './author.ts';
import { claimsFor } from './claims.ts';
import type { GossipOptions, GossipOut } from './contract.ts';
import { voteSetSize } from './lacks.ts';
import { Pace } from './pace.ts';
import type { Peer, PeerRound } from './peerRound.ts';
import { Peers } from './peers.ts';
import { roundStepOf } from './roundStep.ts';
import { supply } from './supply.ts';

type Message<K extends ConsensusMessage['kind']> = Extract<ConsensusMessage, { kind: K }>;

/** How often others' votes and parts are forwarded to peers that lack them (CometBFT peer_gossip_sleep). */
const TICK_MS: Millis = 100;
/** A peer that has not moved for this long may have lost what we sent: believe nothing, send again. */
const STALE_MICROS = 2_000_000;
/** Far more than a belief that is out of date explains. */
const STRAY_VOTES_MAX = 1_000;

/**
 * Spreads what the consensus machine knows (reference §4.9). Event-driven: own messages and catch-up for a lagging
 * peer leave in the step that makes them possible, the rest on a tick.
 */
export class Gossip {
  readonly #options: GossipOptions;
  readonly #peers = new Peers();
  #announced = { height: 0, round: -1, step: 0 };
  /** When we last said where we stand. */
  #announcedAt: Micros = 0;
  #ticking = false;
  readonly #pace = new Pace();
  /** While block sync is at work we listen and say nothing: our own height would only draw useless parts. */
  #quiet = false;
  readonly #self: Author | undefined;
  /** Encoded once for all peers that are sent it. */
  readonly #voteBytes = new WeakMap<Vote, Bytes>();

  constructor(options: GossipOptions) {
    this.#options = options;
    this.#self = options.self === undefined ? undefined : new Author(options.self);
  }

  silence(): void {
    this.#quiet = true;
  }

  /** Consensus has begun: everyone is told where we stand, and who lacks what we have gets it. */
  speak(now: Micros, out: GossipOut): void {
    this.#quiet = false;
    this.#announced = { height: 0, round: -1, step: 0 };
    this.flush(now, out);
  }

  get peers(): readonly PeerId[] {
    return this.#peers.ids;
  }

  /** What we believe of a peer, for operators and tests. */
  peerRound(id: PeerId): PeerRound | undefined {
    return this.#peers.find(id)?.round;
  }

  /** Highest height any peer says it works on; 0 without peers. */
  peerHeightMax(): Height {
    return this.#peers.heightMax;
  }

  onPeerUp(now: Micros, id: PeerId, out: GossipOut): void {
    this.#peers.add(id, now);
    if (this.#quiet) return;
    this.#announceTo(now, [id], out);
    // Who was not here when we said it would wait for the repetition.
    if (this.#isOursToTell()) this.#tellParts([id], out);
  }

  /** Between two heights, with every peer waiting as we do, nobody lacks anything. */
  #isAtRest(): boolean {
    const { height, step } = this.#options.rs;
    return step === STEP.newHeight && this.#peers.areAllWaitingFor(height);
  }

  /** In need of what was decided. One height behind, it may be about to hear that from the authors themselves. */
  #isLeftBehind({ round: { height } }: Peer): boolean {
    const { rs } = this.#options;
    return height < rs.height - 1 || (height < rs.height && this.#pace.supplies(this.#peers.count, rs));
  }

  /** A rest was nobody's silence: what is overdue counts from here. */
  #wake(now: Micros, out: GossipOut): void {
    if (this.#ticking || this.#peers.count === 0 || this.#isAtRest()) return;
    this.#ticking = true;
    this.#announcedAt = now;
    for (const peer of this.#peers.all) {
      peer.movedAt = now;
      peer.claimedAt = now;
    }
    out.tickAfter(TICK_MS);
  }

  onPeerDown(id: PeerId): void {
    this.#peers.remove(id);
  }

  onTick(now: Micros, out: GossipOut): void {
    this.#ticking = !this.#quiet && this.#peers.count > 0 && !this.#isAtRest();
    if (!this.#ticking) return;
    out.tickAfter(TICK_MS);
    const { rs } = this.#options;
    this.#pace.tick(rs);
    if (rs.step !== this.#announced.step && this.#pace.tellsStep(this.#peers.count, rs))
      this.#announce(now, out);
    if (now - this.#announcedAt >= STALE_MICROS) this.#repeat(now, out);
    for (const vote of this.#pace.say(this.#peers.count, rs)) this.#sayHasVote(vote, out);
    const forwards = this.#pace.forwards(this.#peers.count, rs);
    for (const peer of this.#peers.all) {
      const isStale = now - peer.movedAt >= STALE_MICROS;
      if (isStale) this.#refresh(now, peer, out);
      // In a first round that moves there is nothing to prove to anyone.
      const isDue = now - peer.claimedAt >= STALE_MICROS;
      if (isDue && (isStale || rs.round > 0)) this.#claim(now, peer, out);
      this.#pump(peer, isStale || forwards || this.#isLeftBehind(peer) ? 'all' : 'own', out);
    }
  }

  onNewRoundStep(now: Micros, id: PeerId, message: Message<'newRoundStep'>, out: GossipOut): void {
    const peer = this.#peers.find(id);
    if (peer === undefined) return;
    const before = peer.round.round;
    const beforeHeight = peer.round.height;
    const beforeStep = peer.round.step;
    if (!peer.round.onNewRoundStep(message)) return;
    peer.round.startTime = now - message.secondsSinceStart * 1_000_000;
    const hasMoved =
      message.height !== beforeHeight || message.round !== before || message.step !== beforeStep;
    // One that only says again where it stands may lack something that we believe it has. Taken for a move, such words, sent
    // about as often as we look, could keep a lost vote from ever being sent again.
    if (hasMoved) peer.movedAt = now;
    if (this.#quiet) return;
    if (this.#isLeftBehind(peer)) this.#pump(peer, 'all', out);
    else if (message.height !== beforeHeight || message.round !== before) this.#pump(peer, 'own', out);
  }

  onNewValidBlock(id: PeerId, message: Message<'newValidBlock'>, out: GossipOut): void {
    const peer = this.#peers.find(id);
    if (peer === undefined) return;
    peer.round.onNewValidBlock(message);
    if (this.#quiet) return;
    if (message.isCommit || message.height < this.#options.rs.height) this.#pump(peer, 'all', out);
  }

  onHasVote(id: PeerId, message: Message<'hasVote'>): void {
    this.#mark(this.#peers.find(id), { ...message, validatorIndex: message.index });
  }

  /** The peer's claim goes to the consensus machine; here we answer with our votes for that value. */
  onVoteSetMaj23(id: PeerId, message: Message<'voteSetMaj23'>, out: GossipOut): void {
    const { height, round, type, blockId } = message;
    const ours = height === this.#options.rs.height ? this.#options.rs.votes(round, type) : undefined;
    if (ours === undefined) return;
    this.#send([id], { kind: 'voteSetBits', height, round, type, blockId, bits: ours.bitsFor(blockId) }, out);
  }

  onVoteSetBits(id: PeerId, message: Message<'voteSetBits'>): void {
    const { height, round, type, bits, blockId } = message;
    const { rs } = this.#options;
    const peer = this.#peers.find(id)?.round;
    // They may be late: the peer is a height further, and has none of its votes yet.
    if (peer === undefined || height !== rs.height || height !== peer.height) return;
    const ours = rs.votes(round, type);
    if (ours !== undefined) peer.onVoteSetBits(round, type, bits, ours.bitsFor(blockId));
  }

  /** Tells what the peer has, useful or not. False for a flood: honest peers send votes for heights we say we are at. */
  noteVoteFrom(id: PeerId, vote: Vote): boolean {
    const peer = this.#peers.find(id);
    if (peer === undefined) return true;
    peer.round.received.votes += 1;
    if (vote.height > this.#options.rs.height + 1) peer.round.strayVotes += 1;
    this.#mark(peer, vote);
    return peer.round.strayVotes <= STRAY_VOTES_MAX;
  }

  noteProposalFrom(id: PeerId, proposal: Proposal): void {
    const { height, round, blockId, polRound } = proposal;
    // Consensus drops whoever says so, a moment later: until then no room is made for what no block can have.
    if (blockId.parts.total > BLOCK_PARTS_MAX) return;
    this.#peers.find(id)?.round.setProposal(height, round, blockId.parts, polRound);
  }

  notePartFrom(id: PeerId, height: Height, part: Part): void {
    const round = this.#peers.find(id)?.round;
    if (round === undefined) return;
    round.received.blockParts += 1;
    round.setPart(height, part.index);
  }

  /** Own votes go to whoever lacks them, at once; of others' votes we only say that we have them, when it helps. */
  onVoteAdded(vote: Vote, out: GossipOut): void {
    if (!this.#isOwn(vote.validatorAddress)) {
      this.#pace.note(vote);
      return;
    }
    const lacking = this.#lacking(vote);
    const to = lacking.map((peer) => peer.id);
    if (to.length > 0) this.#sendVote(to, vote, out);
    for (const peer of lacking) this.#mark(peer, vote);
  }

  #sayHasVote(vote: Vote, out: GossipOut): void {
    const to = this.#lacking(vote).map((peer) => peer.id);
    const { height, round, type, validatorIndex: index } = vote;
    if (to.length > 0) this.#send(to, { kind: 'hasVote', height, round, type, index }, out);
  }

  #lacking(vote: Vote): readonly Peer[] {
    const { height, round, type, validatorIndex } = vote;
    return this.#peers.all.filter(
      (peer) => peer.round.height === height && !peer.round.votes(round, type)?.has(validatorIndex),
    );
  }

  /** We made a proposal: it and its parts leave at once. */
  onOwnProposal(out: GossipOut): void {
    for (const peer of this.#peers.all) this.#pump(peer, 'own', out);
  }

  /** We know which block is valid or decided: a peer that has its parts may send them. */
  onValidBlock(now: Micros, out: GossipOut): void {
    // Once we hold the whole block there is nothing we want.
    if (this.#options.rs.proposalParts?.isComplete() !== false || this.#peers.count === 0) return;
    // Of a round in which a peer does not know us it hears nothing.
    this.#tellRound(now, out);
    this.#tellParts(this.peers, out);
  }

  /** True when no proposal has told peers which block we collect. */
  #isOursToTell(): boolean {
    const { step, proposal, proposalParts: parts } = this.#options.rs;
    if (step === STEP.commit || proposal === undefined) return true;
    return parts !== undefined && !equalPartSetHeader(parts.header, proposal.blockId.parts);
  }

  /** Says which parts we hold of the block that we collect. */
  #tellParts(to: readonly PeerId[], out: GossipOut): void {
    const { height, round, step, proposalParts } = this.#options.rs;
    if (proposalParts?.isComplete() !== false) return;
    const { header: parts, bits } = proposalParts;
    this.#send(
      to,
      { kind: 'newValidBlock', height, round, parts, bits, isCommit: step === STEP.commit },
      out,
    );
  }

  /** Called once after each input: tells everyone of a new height or round. A new step alone waits for the tick. */
  flush(now: Micros, out: GossipOut): void {
    if (this.#quiet) return;
    this.#wake(now, out);
    this.#tellRound(now, out);
  }

  #tellRound(now: Micros, out: GossipOut): void {
    const { height, round } = this.#options.rs;
    if (height === this.#announced.height && round === this.#announced.round) return;
    this.#announce(now, out);
    // Those who are already here did not get our votes while we were elsewhere. Those behind are about to hear what we
    // heard from its authors; if not, the tick sends it.
    for (const peer of this.#peers.all) if (peer.round.height >= height) this.#pump(peer, 'own', out);
  }

  #announce(now: Micros, out: GossipOut): void {
    const { height, round, step } = this.#options.rs;
    this.#announced = { height, round, step };
    this.#announcedAt = now;
    if (this.#peers.count > 0) this.#announceTo(now, this.peers, out);
  }

  /**
   * We have not moved for long. Peers that go on without us have no reason to doubt what they believe of us, so we say
   * again where we stand and, when we collect a block that has votes but no proposal here, which parts we hold.
   */
  #repeat(now: Micros, out: GossipOut): void {
    this.#announce(now, out);
    if (this.#isOursToTell()) this.onValidBlock(now, out);
  }

  #announceTo(now: Micros, to: readonly PeerId[], out: GossipOut): void {
    const { rs, initialHeight } = this.#options;
    this.#send(to, roundStepOf(now, rs, initialHeight), out);
  }

  #refresh(now: Micros, peer: Peer, out: GossipOut): void {
    peer.movedAt = now;
    peer.round.forget();
    this.#announceTo(now, [peer.id], out);
  }

  #claim(now: Micros, peer: Peer, out: GossipOut): void {
    peer.claimedAt = now;
    const { rs, blocks } = this.#options;
    for (const claim of claimsFor(peer.round, rs, blocks)) this.#send([peer.id], claim, out);
  }

  /** Sends what the peer lacks and we have; `own` keeps to what we signed ourselves. */
  #pump(peer: Peer, scope: 'own' | 'all', out: GossipOut): void {
    const { rs, blocks } = this.#options;
    if (scope === 'own' && this.#self === undefined) return;
    const author = scope === 'own' ? this.#self : undefined;
    for (const message of supply(peer.round, rs, blocks, author))
      if (message.kind === 'vote') this.#sendVote([peer.id], message.vote, out);
      else this.#send([peer.id], message, out);
  }

  /** The peer has this vote. */
  #mark(peer: Peer | undefined, vote: Pick<Vote, 'height' | 'round' | 'type' | 'validatorIndex'>): void {
    const { height, round, type, validatorIndex } = vote;
    const { rs, blocks } = this.#options;
    peer?.round.setVote(height, round, type, validatorIndex, voteSetSize(height, rs, blocks));
  }

  #isOwn(address: Bytes): boolean {
    return this.#options.self !== undefined && equalBytes(address, this.#options.self);
  }

  #sendVote(to: readonly PeerId[], vote: Vote, out: GossipOut): void {
    const message = { kind: 'vote', vote } as const;
    const known = this.#voteBytes.get(vote);
    const bytes = known ?? encodeConsensusMessage(message);
    if (known === undefined) this.#voteBytes.set(vote, bytes);
    out.send(to, message, bytes);
  }

  #send(to: readonly PeerId[], message: ConsensusMessage, out: GossipOut): void {
    out.send(to, message, encodeConsensusMessage(message));
  }
}
