import { isQuorum } from '../../core/consensus/quorum.ts';
import { BitSet } from '../../core/lib/bitset.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { equalPartSetHeader } from '../../core/types/block.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Vote } from '../../core/types/vote.ts';
import type { Process } from '../machine/process.ts';
import { remembered } from '../remembered.ts';
import { totalOf, type Voter } from '../schedule.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

type RoundEvent = Extract<NodeEvent, { kind: 'round' }>;

const powerOf = remembered(totalOf);

/** Who has voted, and with what power. */
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

/** Told of the votes of one round. */
class Votes {
  /** Of either kind. */
  readonly all: Ballot;
  /** By the hash of their block, which nil has none of. */
  readonly prevotes: { readonly hash: Bytes; readonly ballot: Ballot }[] = [];

  constructor(voters: readonly Voter[]) {
    this.all = new Ballot(voters);
  }

  add({ type, validatorIndex, blockId: { hash } }: Vote, voters: readonly Voter[]): void {
    this.all.add(validatorIndex, voters);
    if (type !== 'prevote') return;
    let value = this.prevotes.find((one) => equalBytes(one.hash, hash));
    if (value === undefined) {
      value = { hash, ballot: new Ballot(voters) };
      this.prevotes.push(value);
    }
    value.ballot.add(validatorIndex, voters);
  }
}

/** What a node has told of one height that it has begun in this life. */
class Story {
  readonly height: number;
  readonly #voters: readonly Voter[];
  /** Told since the last step. */
  #told: string[] = [];
  #round = 0;
  /** A proposal was whole in this round. */
  #isComplete = false;
  /** What a lock is on, by the block's hash. */
  #locked: Bytes | undefined;
  /** A lock is to be followed by the news that its block is valid. */
  #owesValid = false;
  /** It was told that a block is valid. */
  #hasToldValid = false;
  readonly #votes = new Map<number, Votes>();

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

  onComplete(round: number): void {
    if (round === this.#round) this.#isComplete = true;
  }

  /**
   * @param isWhole whether the parts of its block are all there: of what is no block nobody hears.
   * @param isOther whether it collects another block than the one proposed.
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
    if (this.#owesValid && at.step !== 'RoundStepPrecommit') return 'without ValidBlock after its lock';
    const isOwed = isOther && !this.#hasToldValid && this.#hasSeenVotes(at);
    return isOwed ? 'without ValidBlock of the block that it collects' : undefined;
  }

  /** Those for what it collects, when it told of this step: it may have seen them since. */
  #hasSeenVotes({ round, step }: RoundEvent['at']): boolean {
    if (step === 'RoundStepCommit') return true;
    return step === 'RoundStepPrecommit' && (this.#polka(round)?.length ?? 0) > 0;
  }

  #stepProblem({ round, step }: RoundEvent['at'], told: readonly string[]): string | undefined {
    const count = (name: string): number => told.filter((one) => one === name).length;
    if (step === 'RoundStepNewRound') {
      // In the wait for the first round its proposal may come already.
      if (round > this.#round) this.#isComplete = false;
      if (round === 0 || count('TimeoutWait') === 1 || this.#mayFollow(round)) return undefined;
      return `without TimeoutWait after round ${this.#round}`;
    }
    if (count('TimeoutPropose') > 0 && step !== 'RoundStepPrevote') return 'after TimeoutPropose';
    if (step === 'RoundStepPrevote') {
      const isDone = this.#isComplete || this.#locked !== undefined || count('TimeoutPropose') === 1;
      return isDone ? undefined : 'without a whole proposal, and without TimeoutPropose';
    }
    return step === 'RoundStepPrecommit' ? this.#precommitProblem(round, told) : undefined;
  }

  #precommitProblem(round: number, told: readonly string[]): string | undefined {
    const waited = told.includes('TimeoutWait');
    if (waited === told.includes('Polka')) return waited ? 'with Polka and TimeoutWait' : 'without Polka';
    const locks = told.filter((one) => one === 'Lock' || one === 'Relock');
    if (waited) return locks.length === 0 ? undefined : 'with a lock and TimeoutWait';
    const value = this.#polka(round);
    if (value === undefined) return 'with Polka, of which it has told no votes';
    if (value.length === 0) return locks.length === 0 ? undefined : 'with a lock on nothing';
    const due = this.#locked !== undefined && equalBytes(value, this.#locked) ? 'Relock' : 'Lock';
    this.#locked = value;
    this.#owesValid = true;
    return locks.length === 1 && locks[0] === due ? undefined : `without ${due}`;
  }

  #polka(round: number): Bytes | undefined {
    const total = powerOf(this.#voters);
    return this.#votes.get(round)?.prevotes.find(({ ballot }) => isQuorum(ballot.power, total))?.hash;
  }

  /** Some correct validator is in that round. */
  #mayFollow(round: number): boolean {
    return 3n * (this.#votes.get(round)?.all.power ?? 0n) > powerOf(this.#voters);
  }
}

/** In the round that is told of it collects what was not proposed there: two thirds are for that. */
function isOther(rs: RoundState | undefined, { height, round }: RoundEvent['at']): boolean {
  if (rs?.height !== height || rs.round !== round || rs.proposalParts === undefined) return false;
  const proposed = rs.proposal?.blockId.parts;
  return proposed === undefined || !equalPartSetHeader(proposed, rs.proposalParts.header);
}

/**
 * What a node tells of its rounds makes a story: it prevotes after a whole proposal or the time-out for it, precommits after a
 * polka, and with a lock if that is of a block, or after a time-out, says that it collects a block that was not proposed, and goes to
 * the next round after a time-out or after others. Judged by its own news and what it collects, at heights that it has begun in this life.
 */
export function roundNews(context: CheckerContext): Checker {
  const name = 'conduct';
  const stories = new Map<Process, Story>();
  return {
    name,
    ...hearing(['started', 'round', 'vote', 'completeProposal'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      if (fact.kind === 'started') {
        stories.delete(node);
        return;
      }
      const { event } = fact;
      if (event.kind === 'round' && event.at.step === 'RoundStepNewHeight' && event.name === 'NewRoundStep') {
        const { height } = event.at;
        stories.set(node, new Story(height, context.cluster.schedule.voters(height)));
        return;
      }
      const story = stories.get(node);
      if (story === undefined) return;
      if (event.kind === 'vote') story.onVote(event.vote);
      else if (event.kind === 'completeProposal' && event.at.height === story.height)
        story.onComplete(event.at.round);
      else if (event.kind === 'round' && event.at.height === story.height) {
        const rs = node.node?.rs();
        const isWhole = rs?.proposalParts?.isComplete() === true;
        const problem = story.onRound(event, isWhole, isOther(rs, event.at));
        if (problem !== undefined)
          context.fail(
            name,
            `${node.name} tells that it is at ${event.at.height}/${event.at.round}, ${event.at.step}, ${problem}`,
          );
      }
    }),
  };
}
