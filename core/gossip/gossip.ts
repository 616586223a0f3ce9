import { encodeConsensusMessage } from '../codec/messages.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { Recent } from '../lib/recent.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { Height, Micros, Millis, PeerId } from '../types/ids.ts';
import { type ConsensusMessage, STEP } from '../types/messages.ts';
import type { Vote } from '../types/vote.ts';
import { Announcer } from './announcer.ts';
import { Author } from './author.ts';
import { claimsFor } from './claims.ts';
import type { GossipOptions, GossipOut } from './contract.ts';
import { lacksLate } from './lacks.ts';
import { isMesh, Pace } from './pace.ts';
import type { Peer, PeerRound } from './peerRound.ts';
import { Peers } from './peers.ts';
import { PeerTracker } from './peerTracker.ts';
import { supply } from './supply.ts';
import { Turn } from './turn.ts';

type Message<K extends ConsensusMessage['kind']> = Extract<ConsensusMessage, { kind: K }>;

/** How often others' votes and parts are forwarded to peers that lack them (CometBFT peer_gossip_sleep). */
const TICK_MS: Millis = 100;
/** A peer that has not moved for this long may have lost what we sent: we forget what it has and send again. */
const STALE_MICROS = 2_000_000;

/**
 * Most bytes that a peer's own messages make us send it between two ticks; the rest follows with the tick. Without this
 * limit, a peer that repeats a message of a few bytes could keep us busy reading blocks.
 */
const PROMPT_BYTES_MAX = 1024 * 1024;
/** Least cost of answering such a message: the look-up takes time even if nothing is sent. */
const PROMPT_BYTES_MIN = 16 * 1024;

/** Most vote encodings that are kept: enough for two rounds of many validators. */
const VOTES_ENCODED_MAX = 512;

/**
 * Spreads what the consensus machine knows, as CometBFT's consensus/reactor.go does. Event-driven: our own messages,
 * and catch-up for a peer behind us, leave in the step that makes them possible. The rest waits for a tick.
 */
export class Gossip {
  readonly #options: GossipOptions;
  readonly #sizes: Sizes;
  readonly #peers = new Peers();
  readonly #announcer: Announcer;
  /** The node reports to it what peers reveal about themselves. */
  readonly tracker: PeerTracker;
  #ticking = false;
  readonly #pace = new Pace();
  /** While block sync runs we listen and say nothing: our height would only attract useless parts. */
  #quiet = false;
  readonly #self: Author | undefined;
  readonly #turn = new Turn();
  /** Each vote is encoded once for all peers that it is sent to. */
  readonly #voteBytes: Recent<Bytes, Vote>;

  constructor(options: GossipOptions) {
    this.#options = options;
    this.#sizes = options.sizes ?? USUAL_SIZES;
    this.#voteBytes = new Recent(this.#sizes.kept(VOTES_ENCODED_MAX));
    this.#announcer = new Announcer(options);
    this.tracker = new PeerTracker(options, this.#peers);
    this.#self = options.self === undefined ? undefined : new Author(options.self);
  }

  silence(): void {
    this.#quiet = true;
  }

  /** Consensus has begun: tells all peers where we stand, and sends our own messages to those that lack them. */
  speak(now: Micros, out: GossipOut): void {
    this.#quiet = false;
    this.#announcer.forget();
    this.flush(now, out);
  }

  /** Sorted by id. What it says of a peer changes with the peer's messages. */
  get peers(): readonly Pick<Peer, 'id' | 'round'>[] {
    return this.#peers.all;
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
    this.#announcer.tellSome(now, [id], out);
    // Otherwise a new peer would learn of our parts only at the next repetition.
    if (this.#announcer.isBlockUntold) this.#announcer.tellParts([id], out);
  }

  /**
   * Nothing to send: we and all peers wait between two heights, and no peer lacks late precommits. In a mesh the
   * authors send those to everyone.
   */
  #isAtRest(): boolean {
    const { rs } = this.#options;
    if (rs.step !== STEP.newHeight || !this.#peers.areAllWaitingFor(rs.height)) return false;
    return isMesh(this.#peers.count, rs) || !this.#peers.all.some(({ round }) => lacksLate(round, rs));
  }

  /** The peer needs decided blocks from us. One height behind, it may still get them from their authors. */
  #isLeftBehind({ round: { height } }: Peer): boolean {
    const { rs } = this.#options;
    return height < rs.height - 1 || (height < rs.height && this.#pace.supplies(this.#peers.count, rs));
  }

  /** Resumes ticking. Peers had no reason to send anything during the rest, so staleness counts from now. */
  #wake(now: Micros, out: GossipOut): void {
    if (this.#ticking || this.#peers.count === 0 || this.#isAtRest()) return;
    this.#ticking = true;
    this.#announcer.toldAt = now;
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
    if (!this.#announcer.isStepTold && this.#pace.tellsStep(this.#peers.count, rs))
      this.#announcer.tell(now, this.#peers.ids, out);
    if (now - this.#announcer.toldAt >= STALE_MICROS) this.#repeat(now, out);
    this.#sayHasVotes(this.#pace.say(this.#peers.count, rs), out);
    const forwards = this.#pace.forwards(this.#peers.count, rs);
    const turn = this.#turn.at(rs);
    // A proposer also serves block parts, and a peer may come to need those within the same turn.
    const mayBeServed = !this.#isOwn(rs.proposer.address);
    for (const peer of this.#peers.all) {
      peer.prompted = 0;
      const isStale = now - peer.movedAt >= STALE_MICROS;
      if (isStale) this.#refresh(now, peer, out);
      // While we are in round 0 and the peer moves, no claims are needed.
      const isDue = now - peer.claimedAt >= STALE_MICROS;
      if (isDue && (isStale || rs.round > 0)) this.#claim(now, peer, out);
      if (peer.servedIn === turn && !isStale && !forwards) continue;
      const scope = isStale || forwards || this.#isLeftBehind(peer) ? 'all' : 'own';
      const isServed =
        this.#pump(peer, scope, out) === 0 && scope === 'own' && peer.round.height >= rs.height;
      peer.servedIn = isServed && mayBeServed ? turn : 0;
    }
  }

  onNewRoundStep(now: Micros, id: PeerId, message: Message<'newRoundStep'>, out: GossipOut): void {
    const peer = this.#peers.find(id);
    if (peer === undefined) return;
    const before = peer.round.round;
    const beforeHeight = peer.round.height;
    const beforeStep = peer.round.step;
    if (!peer.round.onNewRoundStep(message)) return;
    peer.servedIn = 0;
    peer.round.startTime = now - message.secondsSinceStart * 1_000_000;
    const hasMoved =
      message.height !== beforeHeight || message.round !== before || message.step !== beforeStep;
    // A repeated position is not progress. If it were, a peer repeating itself would keep us from resending lost votes.
    if (hasMoved) peer.movedAt = now;
    if (this.#quiet) return;
    if (this.#isLeftBehind(peer)) this.#prompt(peer, 'all', out);
    else if (message.height !== beforeHeight || message.round !== before) this.#prompt(peer, 'own', out);
  }

  onNewValidBlock(id: PeerId, message: Message<'newValidBlock'>, out: GossipOut): void {
    const peer = this.#peers.find(id);
    if (peer === undefined) return;
    peer.round.onNewValidBlock(message);
    peer.servedIn = 0;
    if (this.#quiet) return;
    if (message.isCommit || message.height < this.#options.rs.height) this.#prompt(peer, 'all', out);
  }

  /** The claim itself goes to the consensus machine. Here we answer with the votes that we have for the value. */
  onVoteSetMaj23(id: PeerId, message: Message<'voteSetMaj23'>, out: GossipOut): void {
    const { height, round, type, blockId } = message;
    const ours = height === this.#options.rs.height ? this.#options.rs.votes(round, type) : undefined;
    if (ours === undefined) return;
    this.#send([id], { kind: 'voteSetBits', height, round, type, blockId, bits: ours.bitsFor(blockId) }, out);
  }

  /** Our own votes go at once to the peers that lack them. Others' votes are only announced, when that helps. */
  onVoteAdded(vote: Vote, out: GossipOut): void {
    if (!this.#isOwn(vote.validatorAddress)) {
      this.#pace.note(vote);
      return;
    }
    this.#turn.end();
    const lacking = this.#lacking(vote);
    const to = lacking.map((peer) => peer.id);
    if (to.length > 0) this.#sendVote(to, vote, out);
    for (const peer of lacking) this.tracker.mark(peer, vote);
  }

  #sayHasVotes(votes: readonly Vote[], out: GossipOut): void {
    if (votes.length === 0) return;
    const lacking = votes.map((): PeerId[] => []);
    // Peers form the outer loop, because what is known of one peer is close together in memory.
    for (const peer of this.#peers.all)
      for (const [i, vote] of votes.entries()) if (isLacking(peer, vote)) lacking[i]?.push(peer.id);
    for (const [i, { height, round, type, validatorIndex: index }] of votes.entries()) {
      const to = lacking[i] ?? [];
      if (to.length > 0) this.#send(to, { kind: 'hasVote', height, round, type, index }, out);
    }
  }

  #lacking(vote: Vote): readonly Peer[] {
    return this.#peers.all.filter((peer) => isLacking(peer, vote));
  }

  /** We made a proposal: sends it and its parts at once. */
  onOwnProposal(out: GossipOut): void {
    for (const peer of this.#peers.all) this.#pump(peer, 'own', out);
  }

  /** A block got a polka or was decided: tells peers which parts of it we hold, so that they send the others. */
  onValidBlock(now: Micros, out: GossipOut): void {
    // If we hold the whole block, we need no parts.
    if (!this.#announcer.wantsParts || this.#peers.count === 0) return;
    // First our round: a peer ignores a NewValidBlock for a round in which it does not believe us to be.
    this.#tellRound(now, out);
    this.#announcer.tellParts(this.#peers.ids, out);
  }

  /** Called once after each input: tells all peers of a new height or round. A new step alone waits for the tick. */
  flush(now: Micros, out: GossipOut): void {
    if (this.#quiet) return;
    this.#wake(now, out);
    this.#tellRound(now, out);
  }

  #tellRound(now: Micros, out: GossipOut): void {
    if (this.#announcer.isRoundTold) return;
    this.#announcer.tell(now, this.#peers.ids, out);
    const { height } = this.#options.rs;
    // Peers already at this height did not get our own messages while we were behind. Peers behind us are about to get
    // from the authors what we got; if not, the tick sends it.
    for (const peer of this.#peers.all) if (peer.round.height >= height) this.#pump(peer, 'own', out);
  }

  /**
   * We have not announced anything for long. Peers that progress without us have no reason to doubt what they believe
   * about us, so we repeat where we stand. If no proposal has told them which block we collect, we also repeat which
   * parts we hold.
   */
  #repeat(now: Micros, out: GossipOut): void {
    this.#announcer.tell(now, this.#peers.ids, out);
    if (this.#announcer.isBlockUntold) this.onValidBlock(now, out);
  }

  #refresh(now: Micros, peer: Peer, out: GossipOut): void {
    peer.movedAt = now;
    peer.round.forget();
    peer.servedIn = 0;
    this.#announcer.tellSome(now, [peer.id], out);
  }

  #claim(now: Micros, peer: Peer, out: GossipOut): void {
    peer.claimedAt = now;
    const { rs, blocks } = this.#options;
    for (const claim of claimsFor(peer.round, rs, blocks)) this.#send([peer.id], claim, out);
  }

  /** Sends what the peer's last message shows it lacks, unless the peer has used up its bytes of this tick. */
  #prompt(peer: Peer, scope: 'own' | 'all', out: GossipOut): void {
    if (peer.prompted >= PROMPT_BYTES_MAX) return;
    peer.prompted += Math.max(PROMPT_BYTES_MIN, this.#pump(peer, scope, out));
  }

  /** Sends what the peer lacks and we have; `own` limits it to what we signed. Returns the number of bytes. */
  #pump(peer: Peer, scope: 'own' | 'all', out: GossipOut): number {
    const { rs, blocks } = this.#options;
    if (scope === 'own' && this.#self === undefined) return 0;
    const author = scope === 'own' ? this.#self : undefined;
    const messages = supply(peer.round, rs, blocks, author, this.#sizes);
    let size = 0;
    for (const message of messages)
      size +=
        message.kind === 'vote'
          ? this.#sendVote([peer.id], message.vote, out)
          : this.#send([peer.id], message, out);
    return size;
  }

  #isOwn(address: Bytes): boolean {
    return this.#options.self !== undefined && equalBytes(address, this.#options.self);
  }

  #sendVote(to: readonly PeerId[], vote: Vote, out: GossipOut): number {
    const message = { kind: 'vote', vote } as const;
    const known = this.#voteBytes.get(vote);
    const bytes = known ?? encodeConsensusMessage(message);
    if (known === undefined) this.#voteBytes.set(vote, bytes);
    out.send(to, message, bytes);
    return bytes.length;
  }

  #send(to: readonly PeerId[], message: ConsensusMessage, out: GossipOut): number {
    const bytes = encodeConsensusMessage(message);
    out.send(to, message, bytes);
    return bytes.length;
  }
}

const isLacking = (peer: Peer, { height, round, type, validatorIndex }: Vote): boolean =>
  peer.round.height === height && !peer.round.votes(round, type)?.has(validatorIndex);
