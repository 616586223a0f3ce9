import { BitSet } from '../lib/bitset.ts';
import { equalPartSetHeader, type PartSetHeader } from '../types/block.ts';
import type { Height, Micros, PeerId, Round } from '../types/ids.ts';
import { type ConsensusMessage, STEP } from '../types/messages.ts';
import type { VoteType } from '../types/vote.ts';

type Message<K extends ConsensusMessage['kind']> = Extract<ConsensusMessage, { kind: K }>;

/** Most vote sets remembered for one peer's height: its rounds, the POL round, catch-up rounds and ours. */
const VOTE_SETS_MAX = 32;
/** After this many NewRoundSteps in a row behind our belief, the belief is wrong: not all of them came late. */
const LESSER_WORDS = 3;

/**
 * What one peer has, as far as it told us or we told it (CometBFT's PeerRoundState). This is a belief,
 * not a fact: on a lossy network it is forgotten from time to time, so that lost messages are sent again.
 */
export class PeerRound {
  height: Height = 0;
  round: Round = -1;
  step = 0;
  lastCommitRound: Round = -1;
  /** When the peer's height began, by our clock and its report; 0 until it has reported. */
  startTime: Micros = 0;
  hasProposal = false;
  /** POL round of its proposal; -1 if the proposal has none or is not known. */
  polRound: Round = -1;
  partsHeader: PartSetHeader | undefined = undefined;
  parts: BitSet | undefined = undefined;
  /** The peer itself named its block (NewValidBlock); otherwise `partsHeader` is our guess. */
  #hasSaidBlock = false;
  /** Votes of the peer's height by `round * 2 + (precommit ? 1 : 0)`. */
  readonly #votes = new Map<number, BitSet>();
  /** The last set looked up, cached because votes of one kind arrive in a row. */
  #lastSlot = 0;
  #lastVotes: BitSet | undefined;
  /** Its latest NewRoundStep, if behind what we believe. Either it came late, or an earlier one was garbled. */
  #lesser: { readonly word: Message<'newRoundStep'>; readonly times: number } | undefined;
  /** Precommits of the peer's height - 1 (its last commit). */
  lastCommit: BitSet | undefined = undefined;
  /** Counts of messages that the peer sent us. */
  readonly received = { votes: 0, blockParts: 0 };
  /** Votes that the peer sent for heights further above ours than the next. */
  strayVotes = 0;

  /** False if the message is older than what we know. */
  onNewRoundStep(message: Message<'newRoundStep'>): boolean {
    const { height, round, step } = message;
    const older =
      height < this.height ||
      (height === this.height && (round < this.round || (round === this.round && step < this.step)));
    this.#lesser = older ? { word: message, times: (this.#lesser?.times ?? 0) + 1 } : undefined;
    if (older) return false;
    if (height !== this.height) this.#enterHeight(height, message.lastCommitRound);
    this.#standAt(message);
    return true;
  }

  #standAt({ height, round, step, lastCommitRound }: Message<'newRoundStep'>): void {
    if (height !== this.height || round !== this.round) this.#forgetProposal();
    this.height = height;
    this.round = round;
    this.step = step;
    this.lastCommitRound = lastCommitRound;
  }

  #enterHeight(height: Height, lastCommitRound: Round): void {
    const precommits = this.votes(lastCommitRound, 'precommit');
    this.lastCommit = height === this.height + 1 && lastCommitRound >= 0 ? precommits : undefined;
    this.#forgetVotes();
  }

  #forgetVotes(): void {
    this.#votes.clear();
    this.#lastVotes = undefined;
  }

  #forgetProposal(): void {
    this.hasProposal = false;
    this.polRound = -1;
    this.partsHeader = undefined;
    this.parts = undefined;
    this.#hasSaidBlock = false;
  }

  onNewValidBlock(message: Message<'newValidBlock'>): void {
    if (message.height !== this.height) return;
    if (message.round !== this.round && !message.isCommit) return;
    this.partsHeader = message.parts;
    this.parts = message.bits.clone();
    this.#hasSaidBlock = true;
  }

  /** The peer sent us the proposal of its round, so it collects that block unless it named another itself. */
  onProposal(height: Height, round: Round, parts: PartSetHeader, polRound: Round): void {
    if (height !== this.height || round !== this.round) return;
    if (!this.#hasSaidBlock && this.partsHeader !== undefined && !equalPartSetHeader(this.partsHeader, parts))
      this.partsHeader = undefined;
    this.setProposal(height, round, parts, polRound);
  }

  /** We sent the peer the proposal of its round. If it already collects a block, it continues with that. */
  setProposal(height: Height, round: Round, parts: PartSetHeader, polRound: Round): void {
    if (height !== this.height || round !== this.round) return;
    this.hasProposal = true;
    this.polRound = polRound;
    if (this.partsHeader !== undefined) return;
    this.partsHeader = parts;
    this.parts = new BitSet(parts.total);
  }

  setPart(height: Height, index: number): void {
    if (height === this.height && this.parts !== undefined && index < this.parts.size) this.parts.add(index);
  }

  setVote(height: Height, round: Round, type: VoteType, index: number, size: number): void {
    if (index < 0 || index >= size) return;
    if (height === this.height) this.#votesOf(round, type, size)?.add(index);
    else if (height === this.height - 1 && type === 'precommit' && round === this.lastCommitRound) {
      this.lastCommit ??= new BitSet(size);
      if (index < this.lastCommit.size) this.lastCommit.add(index);
    }
  }

  /** Replaces our belief about votes for one value: (known − ours) ∪ sent. */
  onVoteSetBits(round: Round, type: VoteType, bits: BitSet, ours: BitSet): void {
    const known = this.#votesOf(round, type, ours.size);
    if (known === undefined || bits.size !== ours.size) return;
    for (let i = 0; i < known.size; i++) {
      if (bits.has(i)) known.add(i);
      else if (ours.has(i)) known.remove(i);
    }
  }

  votes(round: Round, type: VoteType): BitSet | undefined {
    const key = slot(round, type);
    if (this.#lastVotes === undefined || this.#lastSlot !== key) {
      this.#lastVotes = this.#votes.get(key);
      this.#lastSlot = key;
    }
    return this.#lastVotes;
  }

  #votesOf(round: Round, type: VoteType, size: number): BitSet | undefined {
    const known = this.votes(round, type);
    if (known !== undefined) return known.size === size ? known : undefined;
    if (this.#votes.size >= VOTE_SETS_MAX && !this.#forgetPast()) return undefined;
    const fresh = new BitSet(size);
    this.#votes.set(slot(round, type), fresh);
    return fresh;
  }

  /**
   * Makes room in a height of many rounds: drops the set noted first among the rounds that the peer has left, but not the
   * prevotes that it needs for its proposal.
   */
  #forgetPast(): boolean {
    const pol = slot(this.polRound, 'prevote');
    for (const key of this.#votes.keys())
      if (key < slot(this.round, 'prevote') && key !== pol) return this.#votes.delete(key);
    return false;
  }

  /** Drops what we only believe. Keeps where the peer says it stands. */
  forget(): void {
    this.#forgetVotes();
    this.lastCommit = undefined;
    this.hasProposal = false;
    if (this.#lesser !== undefined && this.#lesser.times >= LESSER_WORDS) {
      this.#standAt(this.#lesser.word);
      this.#lesser = undefined;
    }
    if (this.parts !== undefined && this.step < STEP.commit) this.parts = new BitSet(this.parts.size);
  }
}

/** A peer, with the times of its last progress and of our last claims to it. */
export interface Peer {
  readonly id: PeerId;
  readonly round: PeerRound;
  movedAt: Micros;
  claimedAt: Micros;
  /** The turn (turn.ts) in which it was found to lack nothing that we authored; 0 if that may have changed. */
  servedIn: number;
  /** Bytes sent to the peer since the last tick in answer to its messages. */
  prompted: number;
}

const slot = (round: Round, type: VoteType): number => round * 2 + (type === 'precommit' ? 1 : 0);
