import { equalBytes } from '../../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../../core/types/block.ts';
import type { VoteSetReader } from '../../../core/types/roundState.ts';
import type { Validator } from '../../../core/types/validator.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { remembered } from '../../remembered.ts';
import { totalOf } from '../../schedule.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** Rounds before and after the node's own that are counted again. */
const ROUNDS_ASIDE = 1;
/**
 * A small set is counted at each vote, a larger one every so many votes: counting it each time would cost the square of
 * its size.
 */
const VALIDATORS_A_VOTE = 16;

/** What a node's vote sets say of two thirds agrees with their votes and powers, counted again as votes come. */
export function voteTallies(context: CheckerContext): Checker {
  const name = 'conduct';
  const counted = new Map<Process, Counted>();
  const check = (
    node: Process,
    counts: Map<number, Count>,
    set: VoteSetReader | undefined,
    { validators }: { readonly validators: readonly Validator[] },
  ): void => {
    if (set === undefined) return;
    const { bits } = set;
    const size = bits.count();
    const key = 2 * set.round + (set.type === 'prevote' ? 0 : 1);
    let count = counts.get(key);
    if (count?.set !== set || count.validators !== validators) {
      count = new Count(set, validators);
      counts.set(key, count);
    } else if (Math.abs(size - count.size) <= Math.floor(bits.size / VALIDATORS_A_VOTE)) return;
    count.size = size;
    const problem = count.problem();
    if (problem === undefined) return;
    context.fail(name, `${node.name}: ${problem} (${set.type}s of ${set.height}/${set.round})`);
  };
  return {
    name,
    follow(node) {
      const rs = node.isCorrect ? node.node?.rs() : undefined;
      if (rs === undefined) return;
      const { height, round, validators } = rs;
      let known = counted.get(node);
      if (known?.height !== height) {
        known = { height, counts: new Map() };
        counted.set(node, known);
      }
      for (let at = round - ROUNDS_ASIDE; at <= round + ROUNDS_ASIDE; at++) {
        check(node, known.counts, rs.votes(at, 'prevote'), validators);
        check(node, known.counts, rs.votes(at, 'precommit'), validators);
      }
    },
  };
}

/** The vote sets of one height, by round and type. */
interface Counted {
  readonly height: number;
  readonly counts: Map<number, Count>;
}

/** A value with the power of its votes. */
interface Value {
  readonly id: BlockId;
  power: bigint;
}

const powerOf = remembered(totalOf);

/** The tally of one vote set. Each vote is counted once; when one is exchanged for another, all are counted again. */
class Count {
  /** The number of votes when they were last counted. */
  size = 0;
  readonly set: VoteSetReader;
  readonly validators: readonly Validator[];
  readonly #votes: (Vote | undefined)[];
  readonly #values: Value[] = [];
  #voted = 0n;

  constructor(set: VoteSetReader, validators: readonly Validator[]) {
    this.set = set;
    this.validators = validators;
    this.#votes = new Array<undefined>(validators.length).fill(undefined);
  }

  /** Counts the new votes. */
  problem(): string | undefined {
    const { set, validators } = this;
    for (let i = 0; i < validators.length; i++) {
      const vote = set.vote(i);
      const before = this.#votes[i];
      if (before !== undefined && vote !== before) return this.#again();
      if (set.bits.has(i) !== (vote !== undefined))
        return `tells in its bits otherwise than in its votes whether it has the vote of validator ${i}`;
      if (vote === before || vote === undefined) continue;
      const { address, power } = validators[i] as Validator;
      if (!equalBytes(vote.validatorAddress, address))
        return `counts a vote of another validator for validator ${i}`;
      this.#votes[i] = vote;
      this.#add(vote, power);
    }
    return this.#told();
  }

  #again(): string | undefined {
    this.#votes.fill(undefined);
    this.#values.length = 0;
    this.#voted = 0n;
    return this.problem();
  }

  #add({ blockId }: Vote, power: bigint): void {
    this.#voted += power;
    const value = this.#values.find(({ id }) => equalBlockId(id, blockId));
    if (value === undefined) this.#values.push({ id: blockId, power });
    else value.power += power;
  }

  /** Compares what the set says of two thirds. */
  #told(): string | undefined {
    const { set } = this;
    const total = powerOf(this.validators);
    const isMost = (power: bigint): boolean => 3n * power > 2n * total;
    const voted = this.#voted;
    if (set.hasTwoThirdsAny() !== isMost(voted))
      return `takes votes with power ${voted} of ${total} ${isMost(voted) ? 'not ' : ''}for more than two thirds`;
    const major = this.#values.find(({ power }) => isMost(power));
    const told = set.majority();
    if (major === undefined)
      return told === undefined ? undefined : 'sees two thirds for a value that has fewer votes';
    return told !== undefined && equalBlockId(told, major.id)
      ? undefined
      : 'does not see the two thirds that its votes give a value';
  }
}
