import { equalBytes } from '../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../core/types/block.ts';
import type { VoteSetReader } from '../../core/types/roundState.ts';
import type { Validator, ValidatorSet } from '../../core/types/validator.ts';
import type { Process } from '../machine/process.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** Rounds before and after the present one that are counted again. */
const ROUNDS_ASIDE = 1;
/** A set is counted again with each vote, one of many validators with every so many: counting them all is their square. */
const VALIDATORS_A_VOTE = 16;

/** What a node says of two thirds is what its votes and their powers say, counted a second time whenever one came. */
export function tallies(context: CheckerContext): Checker {
  const name = 'conduct';
  /** How many votes each set had when it was last counted. */
  const counted = new WeakMap<VoteSetReader, number>();
  const isCounted = (set: VoteSetReader): boolean => {
    const size = set.bits.count();
    const fresh = Math.abs(size - (counted.get(set) ?? Number.NEGATIVE_INFINITY));
    if (fresh <= Math.floor(set.bits.size / VALIDATORS_A_VOTE)) return true;
    counted.set(set, size);
    return false;
  };
  const check = (node: Process, set: VoteSetReader | undefined, validators: ValidatorSet): void => {
    if (set === undefined || isCounted(set)) return;
    const problem = problemOf(set, validators);
    if (problem === undefined) return;
    context.fail(name, `${node.name}: ${problem} (${set.type}s of ${set.height}/${set.round})`);
  };
  return {
    name,
    look(node) {
      const rs = node.isCorrect ? node.node?.rs() : undefined;
      if (rs === undefined) return;
      for (let round = rs.round - ROUNDS_ASIDE; round <= rs.round + ROUNDS_ASIDE; round++) {
        check(node, rs.votes(round, 'prevote'), rs.validators);
        check(node, rs.votes(round, 'precommit'), rs.validators);
      }
    },
  };
}

/** A value that was voted for, with the power of its votes. */
interface Value {
  readonly id: BlockId;
  power: bigint;
}

function problemOf(set: VoteSetReader, { validators }: ValidatorSet): string | undefined {
  let total = 0n;
  let voted = 0n;
  const values: Value[] = [];
  for (let i = 0; i < validators.length; i++) {
    const { address, power } = validators[i] as Validator;
    const vote = set.vote(i);
    if (set.bits.has(i) !== (vote !== undefined))
      return `does not know whether it has the vote of validator ${i}`;
    total += power;
    if (vote === undefined) continue;
    if (!equalBytes(vote.validatorAddress, address))
      return `has a vote of another in the place of validator ${i}`;
    voted += power;
    const value = values.find(({ id }) => equalBlockId(id, vote.blockId));
    if (value === undefined) values.push({ id: vote.blockId, power });
    else value.power += power;
  }
  const isMost = (power: bigint): boolean => 3n * power > 2n * total;
  if (set.hasTwoThirdsAny() !== isMost(voted))
    return `votes of ${voted} of ${total} are ${isMost(voted) ? 'not ' : ''}two thirds to it`;
  const major = values.find(({ power }) => isMost(power));
  const told = set.majority();
  if (major === undefined)
    return told === undefined ? undefined : 'two thirds for a value that has not as many votes';
  return told !== undefined && equalBlockId(told, major.id)
    ? undefined
    : 'does not see two thirds for a value';
}
