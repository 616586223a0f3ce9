import { equalBytes } from '../../core/lib/bytes.ts';
import { equalBlockId } from '../../core/types/block.ts';
import type { RoundState, VoteSetReader } from '../../core/types/roundState.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import type { Process } from '../process.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** Rounds before and after the present one that are counted again. */
const ROUNDS_ASIDE = 1;

/** What a node says of two thirds is what its votes and their powers say, counted a second time whenever one came. */
export function tallies(context: CheckerContext): Checker {
  const name = 'conduct';
  /** How many votes each set had when it was last counted. */
  const counted = new WeakMap<VoteSetReader, number>();
  const isCounted = (set: VoteSetReader): boolean => {
    const size = set.bits.count();
    if (counted.get(set) === size) return true;
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
      for (const [round, type] of near(rs)) check(node, rs.votes(round, type), rs.validators);
    },
  };
}

const near = ({ round }: RoundState): readonly (readonly [number, 'prevote' | 'precommit'])[] =>
  Array.from({ length: 2 * ROUNDS_ASIDE + 1 }, (_, i) => round - ROUNDS_ASIDE + i).flatMap(
    (one) =>
      [
        [one, 'prevote'],
        [one, 'precommit'],
      ] as const,
  );

function problemOf(set: VoteSetReader, { validators }: ValidatorSet): string | undefined {
  const total = validators.reduce((sum, { power }) => sum + power, 0n);
  const powerOf = (is: (index: number) => boolean): bigint =>
    validators.reduce((sum, { power }, i) => (is(i) ? sum + power : sum), 0n);
  for (const [i, { address }] of validators.entries()) {
    const vote = set.vote(i);
    if (set.bits.has(i) !== (vote !== undefined))
      return `does not know whether it has the vote of validator ${i}`;
    if (vote !== undefined && !equalBytes(vote.validatorAddress, address))
      return `has a vote of another in the place of validator ${i}`;
  }
  const isMost = (power: bigint): boolean => 3n * power > 2n * total;
  const voted = powerOf((i) => set.bits.has(i));
  if (set.hasTwoThirdsAny() !== isMost(voted))
    return `votes of ${voted} of ${total} are ${isMost(voted) ? 'not ' : ''}two thirds to it`;
  const ids = validators.flatMap((_, i) => set.vote(i)?.blockId ?? []);
  const powerFor = (id: (typeof ids)[number]): bigint =>
    powerOf((i) => {
      const vote = set.vote(i);
      return vote !== undefined && equalBlockId(vote.blockId, id);
    });
  const major = ids.find((id) => isMost(powerFor(id)));
  const told = set.majority();
  if (major === undefined)
    return told === undefined ? undefined : 'two thirds for a value that has not as many votes';
  return told !== undefined && equalBlockId(told, major) ? undefined : 'does not see two thirds for a value';
}
