import { isQuorum } from '../../core/consensus/quorum.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { isZeroBlockId } from '../../core/types/block.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import type { Vote } from '../../core/types/vote.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

type RoundEvent = Extract<NodeEvent, { kind: 'round' }>;

/** What a node has told of one height that it has begun in this life. */
class Story {
  readonly height: number;
  readonly #set: ValidatorSet;
  /** Told since the last step. */
  #told: string[] = [];
  #round = 0;
  /** A proposal was whole in this round. */
  #isComplete = false;
  /** What a lock is on, by the block's hash. */
  #locked: string | undefined;
  /** A lock is to be followed by the news that its block is valid. */
  #owesValid = false;
  /** Who has prevoted what, by round and value; who has voted at all, by round. */
  readonly #prevotes = new Map<string, Set<number>>();
  readonly #voters = new Map<number, Set<number>>();

  constructor(height: number, set: ValidatorSet) {
    this.height = height;
    this.#set = set;
  }

  onVote({ height, round, type, validatorIndex, blockId }: Vote): void {
    if (height !== this.height) return;
    note(this.#voters, round, validatorIndex);
    if (type === 'prevote')
      note(
        this.#prevotes,
        `${round}/${isZeroBlockId(blockId) ? 'nil' : toHex(blockId.hash)}`,
        validatorIndex,
      );
  }

  onComplete(round: number): void {
    if (round === this.#round) this.#isComplete = true;
  }

  /** @param isWhole whether the parts of its block are all there: of what is no block nobody hears. */
  onRound({ name, at }: RoundEvent, isWhole: boolean): string | undefined {
    if (name !== 'NewRoundStep') {
      this.#told.push(name);
      if (name === 'ValidBlock') this.#owesValid = false;
      return undefined;
    }
    this.#isComplete ||= isWhole;
    const problem =
      this.#owesValid && at.step !== 'RoundStepPrecommit' ? 'without ValidBlock after its lock' : undefined;
    const told = this.#told;
    this.#told = [];
    const came = problem ?? this.#stepProblem(at, told);
    this.#round = at.round;
    return came;
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
    if (value === 'nil') return locks.length === 0 ? undefined : 'with a lock on nothing';
    const due = value === this.#locked ? 'Relock' : 'Lock';
    this.#locked = value;
    this.#owesValid = true;
    return locks.length === 1 && locks[0] === due ? undefined : `without ${due}`;
  }

  #polka(round: number): string | undefined {
    for (const [name, voters] of this.#prevotes) {
      const [of, value] = name.split('/');
      if (Number(of) === round && isQuorum(this.#power(voters), this.#set.totalPower)) return value;
    }
    return undefined;
  }

  /** Some correct validator is in that round. */
  #mayFollow(round: number): boolean {
    const voters = this.#voters.get(round) ?? new Set();
    return 3n * this.#power(voters) > this.#set.totalPower;
  }

  #power(voters: ReadonlySet<number>): bigint {
    let power = 0n;
    for (const index of voters) power += this.#set.validators[index]?.power ?? 0n;
    return power;
  }
}

function note<K>(all: Map<K, Set<number>>, key: K, index: number): void {
  const known = all.get(key);
  if (known === undefined) all.set(key, new Set([index]));
  else known.add(index);
}

/**
 * What a node tells of its rounds makes a story: it prevotes after a whole proposal or the time-out for it, precommits after a
 * polka, and with a lock if that is of a block, or after a time-out, and goes to the next round after a time-out or after
 * others. Judged by its own news alone, at heights that it has begun in this life.
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
        const set = node.node?.rpc?.chain.validators(event.at.height);
        if (set === undefined) stories.delete(node);
        else stories.set(node, new Story(event.at.height, set));
        return;
      }
      const story = stories.get(node);
      if (story === undefined) return;
      if (event.kind === 'vote') story.onVote(event.vote);
      else if (event.kind === 'completeProposal' && event.at.height === story.height)
        story.onComplete(event.at.round);
      else if (event.kind === 'round' && event.at.height === story.height) {
        const problem = story.onRound(event, node.node?.rs()?.proposalParts?.isComplete() === true);
        if (problem !== undefined)
          context.fail(
            name,
            `${node.name} tells that it is at ${event.at.height}/${event.at.round}, ${event.at.step}, ${problem}`,
          );
      }
    }),
  };
}
