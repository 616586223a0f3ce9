import { equalBytes } from '../../core/lib/bytes.ts';
import type { Block, Header } from '../../core/types/block.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { Seen } from './blockRules.ts';
import type { CheckerContext } from './checker.ts';
import { type Committed, evidenceProblem, isTooOld } from './proven.ts';

/** Evidence in a block is valid, not too old and in the chain only once. A correct proposer puts the oldest first. */
export function proofProblem(
  context: CheckerContext,
  block: Block,
  seen: ReadonlyMap<number, Seen>,
  accusations: Committed,
): string | undefined {
  if (block.evidence.length === 0) return undefined;
  const isHonest = context.correct.some(({ name }) => {
    const member = context.cluster.members.find((one) => one.name === name);
    return member !== undefined && equalBytes(member.address, block.header.proposerAddress);
  });
  const heights = block.evidence.map(offenceHeight);
  if (isHonest && heights.some((height, i) => height < (heights[i - 1] ?? 0)))
    return 'what is about to expire stands behind what is not';
  for (const evidence of block.evidence) {
    const height = offenceHeight(evidence);
    const [past, last] = [seen.get(height), seen.get(block.header.height - 1)];
    if (
      past !== undefined &&
      last !== undefined &&
      isTooOld(context.cluster.schedule.params(block.header.height), headOf(past), headOf(last))
    )
      return `evidence of height ${height} is too old`;
    const validators = past?.event.state.lastValidators;
    const problem = evidenceProblem(
      context,
      evidence,
      past === undefined || validators === undefined
        ? undefined
        : { time: past.event.block.header.time, validators },
    );
    if (problem !== undefined) return `evidence of height ${height} is wrong: ${problem}`;
  }
  return accusations.add(block) === undefined ? undefined : 'it has evidence that was in the chain before';
}

const offenceHeight = (evidence: Evidence): number =>
  evidence.kind === 'duplicate-vote' ? evidence.voteA.height : evidence.commonHeight;

const headOf = ({ event }: Seen): Header => event.block.header;
