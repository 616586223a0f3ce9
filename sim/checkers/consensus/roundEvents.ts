import { isQuorum } from '../../../core/consensus/quorum.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { equalPartSetHeader } from '../../../core/types/block.ts';
import type { NodeEvent } from '../../../core/types/nodeEvent.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { remembered } from '../../remembered.ts';
import { totalOf, type Voter } from '../../schedule.ts';
import { type FactOf, hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { signedValue } from '../safety/signedValue.ts';

type RoundEvent = Extract<NodeEvent, { kind: 'round' }>;

const powerOf = remembered(totalOf);

/** The validators that voted, and their power. */
class Ballot {
  readonly #voted: BitSet;
  power = 0n;

  constructor(voters: readonly Voter[]) {
    this.#voted = new BitSet(voters.length);
  }

  add(index: number, voters: readonly Voter[]): void {
    const voter = voters[index];
    if (voter !== undefined && this.#voted.add(index)) this.power += voter.power;
  }
}

/** The votes of one round that the node has announced. */
class Votes {
  /** Votes of either type. */
  readonly all: Ballot;
  /** The hash that first had two thirds of the prevotes. Liars with a third may give them to a second one later. */
  polka: Bytes | undefined;
  /** Prevotes by block hash; the hash of nil is empty. */
  readonly #prevotes: { readonly hash: Bytes; readonly ballot: Ballot }[] = [];

  constructor(voters: readonly Voter[]) {
    this.all = new Ballot(voters);
  }

  add({ type, validatorIndex, blockId: { hash } }: Vote, voters: readonly Voter[]): void {
    this.all.add(validatorIndex, voters);
    if (type !== 'prevote') return;
    let value = this.#prevotes.find((one) => equalBytes(one.hash, hash));
    if (value === undefined) {
      value = { hash, ballot: new Ballot(voters) };
      this.#prevotes.push(value);
    }
    value.ballot.add(validatorIndex, voters);
    if (this.polka === undefined && isQuorum(value.ballot.power, powerOf(voters))) this.polka = hash;
  }
}

/** What a node has announced of one height that it began in this life. */
class Story {
  readonly height: number;
  readonly #voters: readonly Voter[];
  /** Events since the last step. */
  #told: string[] = [];
  #round = 0;
  /** The proposal of this round was complete. */
  #isComplete = false;
  /** Hash of the locked block. */
  #locked: Bytes | undefined;
  /** A lock must be followed by a ValidBlock event. */
  #owesValid = false;
  /** A ValidBlock event came. */
  #hasToldValid = false;
  readonly #votes = new Map<number, Votes>();
  /** Round and hash of each block of which a CompleteProposal event came. */
  readonly #complete = new Set<string>();

  constructor(height: number, voters: readonly Voter[]) {
    this.height = height;
    this.#voters = voters;
  }

  onVote(vote: Vote): void {
    if (vote.height !== this.height) return;
    let votes = this.#votes.get(vote.round);
    if (votes === undefined) {
      votes = new Votes(this.#voters);
      this.#votes.set(vote.round, votes);
    }
    votes.add(vote, this.#voters);
  }

  onComplete(round: number, hash: Bytes): void {
    if (round === this.#round) this.#isComplete = true;
    this.#complete.add(`${round}/${toHex(hash)}`);
  }

  hasTold(round: number, hash: string): boolean {
    return this.#complete.has(`${round}/${hash}`);
  }

  /**
   * @param isWhole whether all parts are there: if they make no block, no completeProposal event comes.
   * @param isOther whether the node collects another block than the proposed one.
   */
  onRound({ name, at }: RoundEvent, isWhole: boolean, isOther: boolean): string | undefined {
    if (name !== 'NewRoundStep') {
      this.#told.push(name);
      if (name === 'ValidBlock') {
        this.#owesValid = false;
        this.#hasToldValid = true;
      }
      return undefined;
    }
    this.#isComplete ||= isWhole;
    const told = this.#told;
    this.#told = [];
    const came = this.#validProblem(at, isOther) ?? this.#stepProblem(at, told);
    this.#round = at.round;
    return came;
  }

  #validProblem(at: RoundEvent['at'], isOther: boolean): string | undefined {
    if (this.#owesValid && at.step !== 'RoundStepPrecommit')
      return 'without the event ValidBlock, due after its lock';
    const isOwed = isOther && !this.#hasToldValid && this.#hasSeenVotes(at);
    return isOwed ? 'without the event ValidBlock, due for the block that it collects' : undefined;
  }

  /** Whether the votes for what it collects had come when it announced this step. They may also come later. */
  #hasSeenVotes({ round, step }: RoundEvent['at']): boolean {
    if (step === 'RoundStepCommit') return true;
    return step === 'RoundStepPrecommit' && (this.#polka(round)?.length ?? 0) > 0;
  }

  #stepProblem({ round, step }: RoundEvent['at'], told: readonly string[]): string | undefined {
    const count = (name: string): number => told.filter((one) => one === name).length;
    if (step === 'RoundStepNewRound') {
      // The proposal may come already while the node waits to start the first round.
      if (round > this.#round) this.#isComplete = false;
      if (round === 0 || count('TimeoutWait') === 1 || this.#mayFollow(round)) return undefined;
      return `without the event TimeoutWait, due at the end of round ${this.#round}`;
    }
    if (count('TimeoutPropose') > 0 && step !== 'RoundStepPrevote')
      return 'after the event TimeoutPropose, should then go to RoundStepPrevote';
    if (step === 'RoundStepPrevote') {
      const isDone = this.#isComplete || this.#locked !== undefined || count('TimeoutPropose') === 1;
      return isDone ? undefined : 'without a whole proposal, a lock or the event TimeoutPropose before';
    }
    return step === 'RoundStepPrecommit' ? this.#precommitProblem(round, told) : undefined;
  }

  #precommitProblem(round: number, told: readonly string[]): string | undefined {
    const waited = told.includes('TimeoutWait');
    if (waited === told.includes('Polka'))
      return waited
        ? 'after both events Polka and TimeoutWait, should publish one of them'
        : 'without the event Polka or TimeoutWait before';
    const locks = told.filter((one) => one === 'Lock' || one === 'Relock');
    if (waited)
      return locks.length === 0 ? undefined : 'after TimeoutWait with a lock, should lock only after a polka';
    const value = this.#polka(round);
    if (value === undefined) return 'after the event Polka without the votes of one before';
    if (value.length === 0) return locks.length === 0 ? undefined : 'after a polka for nil with a lock';
    const due = this.#locked !== undefined && equalBytes(value, this.#locked) ? 'Relock' : 'Lock';
    this.#locked = value;
    this.#owesValid = true;
    return locks.length === 1 && locks[0] === due
      ? undefined
      : `without the event ${due}, due after this polka`;
  }

  #polka(round: number): Bytes | undefined {
    return this.#votes.get(round)?.polka;
  }

  /** More than a third of the power votes in that round, so a correct validator is there. */
  #mayFollow(round: number): boolean {
    return 3n * (this.#votes.get(round)?.all.power ?? 0n) > powerOf(this.#voters);
  }
}

/**
 * Whether the node has all parts of what it collects, or may have had them: its events come when it has taken many inputs
 * at once, and by then it may collect something else.
 */
const isWhole = (rs: RoundState | undefined, at: RoundEvent['at']): boolean =>
  rs?.height !== at.height ||
  rs.round !== at.round ||
  rs.proposalParts?.isComplete() === true ||
  isOther(rs, at);

/** Whether the node collects a block that was not proposed in the announced round, because two thirds are for it. */
function isOther(rs: RoundState | undefined, { height, round }: RoundEvent['at']): boolean {
  if (rs?.height !== height || rs.round !== round || rs.proposalParts === undefined) return false;
  const proposed = rs.proposal?.blockId.parts;
  return proposed === undefined || !equalPartSetHeader(proposed, rs.proposalParts.header);
}

type NewRound = Extract<NodeEvent, { kind: 'newRound' }>;

const TOPICS = ['started', 'round', 'newRound', 'vote', 'completeProposal', 'newEvidence', 'signed'] as const;
type News = FactOf<(typeof TOPICS)[number]>;

/**
 * The events with which a node announces its rounds fit together. It begins a round with the right proposer in the right
 * place. It prevotes after a complete proposal or the propose timeout, and a block only after its CompleteProposal. It
 * precommits after a polka, with a lock if that is for a block, or after a timeout. It announces a block that it collects
 * although it was not proposed. It goes to the next round after a timeout or after other validators. Evidence is announced
 * with its own height. Judged by its own events, its prevotes and the block it collects, at heights that it has begun in
 * this life.
 */
export function roundEvents(context: CheckerContext): Checker {
  const name = 'conduct';
  const stories = new Stories(context);
  return {
    name,
    ...hearing(TOPICS, (fact) => {
      const problem = fact.node.isCorrect ? stories.problem(fact) : undefined;
      if (problem !== undefined) context.fail(name, `${fact.node.name} ${problem}`);
    }),
  };
}

/** The stories of all nodes. */
class Stories {
  readonly #context: CheckerContext;
  readonly #stories = new Map<Process, Story>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  /** What is wrong with the news. */
  problem(fact: News): string | undefined {
    const { node } = fact;
    if (fact.kind === 'signed') return this.#signatureProblem(fact);
    if (fact.kind === 'started') {
      this.#stories.delete(node);
      return undefined;
    }
    const { event } = fact;
    const story = this.#stories.get(node);
    switch (event.kind) {
      case 'newRound':
        return this.#beginningProblem(node, event);
      case 'newEvidence':
        return evidenceProblem(event);
      case 'vote':
        story?.onVote(event.vote);
        return undefined;
      case 'completeProposal':
        if (event.at.height === story?.height) story.onComplete(event.at.round, event.blockId.hash);
        return undefined;
      case 'round':
        return this.#roundProblem(node, event);
    }
  }

  #roundProblem(node: Process, event: RoundEvent): string | undefined {
    const { at, name } = event;
    const { height, round, step } = at;
    if (step === 'RoundStepNewHeight' && name === 'NewRoundStep') {
      this.#stories.set(node, new Story(height, this.#context.cluster.schedule.voters(height)));
      return undefined;
    }
    const story = this.#stories.get(node);
    if (story?.height !== height) return undefined;
    const rs = node.node?.rs();
    const problem = story.onRound(event, isWhole(rs, at), isOther(rs, at));
    return problem && `publishes that it is at ${height}/${round}, ${step}, ${problem}`;
  }

  #beginningProblem(node: Process, { at: { height, round }, proposer }: NewRound): string | undefined {
    const named = this.#context.cluster.schedule.voters(height)[proposer.index];
    const rs = node.node?.rs();
    const isNow = rs?.height === height && rs.round === round;
    const isRight =
      named !== undefined &&
      equalBytes(named.address, proposer.address) &&
      (!isNow || equalBytes(rs.proposer.address, proposer.address));
    return isRight
      ? undefined
      : `publishes that ${height}/${round} begins, with a proposer at index ${proposer.index} who is not the proposer of that round`;
  }

  /** A prevote for a block comes after the news that its proposal is complete. */
  #signatureProblem({ node, ask, signed }: Extract<News, { kind: 'signed' }>): string | undefined {
    const { kind, height, round } = ask;
    const story = this.#stories.get(node);
    if (kind !== 'prevote' || story?.height !== height) return undefined;
    const value = signedValue(signed.bytes);
    if (value === undefined || story.hasTold(round, value)) return undefined;
    return `prevotes ${value.slice(0, 12)} at ${height}/${round}, should publish CompleteProposal of it before`;
  }
}

function evidenceProblem({
  height,
  evidence,
}: Extract<NodeEvent, { kind: 'newEvidence' }>): string | undefined {
  const own = evidence.kind === 'duplicate-vote' ? evidence.voteA.height : evidence.commonHeight;
  return height === own ? undefined : `publishes new evidence of height ${own} as of height ${height}`;
}
