import { equalBytes } from '../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../core/types/block.ts';
import type { VoteSetReader } from '../../core/types/roundState.ts';
import type { Validator } from '../../core/types/validator.ts';
import type { Vote } from '../../core/types/vote.ts';
import type { Process } from '../machine/process.ts';
import { remembered } from '../remembered.ts';
import { totalOf } from '../schedule.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** Rounds before and after the present one that are counted again. */
const ROUNDS_ASIDE = 1;
/** A set is counted again with each vote, one of many validators with every so many: counting them all is their square. */
const VALIDATORS_A_VOTE = 16;

/** What a node says of two thirds is what its votes and their powers say, counted a second time whenever one came. */
export function tallies(context: CheckerContext): Checker {
  const name = 'conduct';
  const counts = new WeakMap<VoteSetReader, Count>();
  const check = (
    node: Process,
    set: VoteSetReader | undefined,
    { validators }: { readonly validators: readonly Validator[] },
  ): void => {
    if (set === undefined) return;
    const { bits } = set;
    const size = bits.count();
    let count = counts.get(set);
    if (count !== undefined && Math.abs(size - count.size) <= Math.floor(bits.size / VALIDATORS_A_VOTE))
      return;
    if (count?.isOf(set, validators) !== true) {
      count = new Count(validators);
      counts.set(set, count);
    }
    count.size = size;
    const problem = count.problem(set);
    if (problem === undefined) return;
    context.fail(name, `${node.name}: ${problem} (${set.type}s of ${set.height}/${set.round})`);
  };
  return {
    name,
    look(node) {
      const rs = node.isCorrect ? node.node?.rs() : undefined;
      if (rs === undefined) return;
      const { round, validators } = rs;
      for (let at = round - ROUNDS_ASIDE; at <= round + ROUNDS_ASIDE; at++) {
        check(node, rs.votes(at, 'prevote'), validators);
        check(node, rs.votes(at, 'precommit'), validators);
      }
    },
  };
}

/** A value that was voted for, with the power of its votes. */
interface Value {
  readonly id: BlockId;
  power: bigint;
}

const powerOf = remembered(totalOf);

/** What was counted of a set: each vote once, as long as none is exchanged for another. */
class Count {
  /** How many votes there were when they were counted last. */
  size = 0;
  readonly #validators: readonly Validator[];
  readonly #votes: (Vote | undefined)[];
  readonly #values: Value[] = [];
  #voted = 0n;

  constructor(validators: readonly Validator[]) {
    this.#validators = validators;
    this.#votes = new Array<undefined>(validators.length).fill(undefined);
  }

  /** Whether all that was counted is still there. */
  isOf(set: VoteSetReader, validators: readonly Validator[]): boolean {
    return (
      this.#validators === validators &&
      this.#votes.every((vote, i) => vote === undefined || vote === set.vote(i))
    );
  }

  /** Counts what is new. */
  problem(set: VoteSetReader): string | undefined {
    for (let i = 0; i < this.#votes.length; i++) {
      const vote = set.vote(i);
      if (set.bits.has(i) !== (vote !== undefined))
        return `does not know whether it has the vote of validator ${i}`;
      if (vote === undefined || vote === this.#votes[i]) continue;
      const { address, power } = this.#validators[i] as Validator;
      if (!equalBytes(vote.validatorAddress, address))
        return `has a vote of another in the place of validator ${i}`;
      this.#votes[i] = vote;
      this.#add(vote, power);
    }
    return this.#told(set);
  }

  #add({ blockId }: Vote, power: bigint): void {
    this.#voted += power;
    const value = this.#values.find(({ id }) => equalBlockId(id, blockId));
    if (value === undefined) this.#values.push({ id: blockId, power });
    else value.power += power;
  }

  /** What the set says of the whole. */
  #told(set: VoteSetReader): string | undefined {
    const total = powerOf(this.#validators);
    const isMost = (power: bigint): boolean => 3n * power > 2n * total;
    const voted = this.#voted;
    if (set.hasTwoThirdsAny() !== isMost(voted))
      return `votes of ${voted} of ${total} are ${isMost(voted) ? 'not ' : ''}two thirds to it`;
    const major = this.#values.find(({ power }) => isMost(power));
    const told = set.majority();
    if (major === undefined)
      return told === undefined ? undefined : 'two thirds for a value that has not as many votes';
    return told !== undefined && equalBlockId(told, major.id)
      ? undefined
      : 'does not see two thirds for a value';
  }
}
