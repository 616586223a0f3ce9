import { equalBytes } from '../../../core/lib/bytes.ts';
import type { Block, Header } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { NodeEvent } from '../../../core/types/nodeEvent.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, isAccountable, isTolerable, mayLose } from '../checker.ts';
import { CommittedEvidence, duplicateVoteProblem, isTooOld, type PastHeight } from './duplicateVotes.ts';
import { attackProblem, type DecidedChain } from './lightClientAttacks.ts';

type CommittedEvent = Extract<NodeEvent, { kind: 'committed' }>;
type Seen = ReadonlyMap<number, CommittedEvent>;

/** Heights remembered behind the newest. */
const KEPT_MAX = 64;

/**
 * VAL: evidence in the chain proves what it says, is not too old, and is there once. Proof of an attack takes a third of
 * the power, so this also judges chains with more faulty power, as long as they do not fork: up to two thirds, some correct
 * node has judged each decided block.
 */
export function evidenceValidity(context: CheckerContext): Checker {
  const name = 'validity';
  const seen = new Map<number, CommittedEvent>();
  const accusations = new CommittedEvidence();
  // A correct node must know all evidence in the chain, or it may accept the same again.
  const isJudged = (): boolean => isTolerable(context) || (isAccountable(context) && !mayLose(context));
  let newest = 0;
  let hasForked = false;
  return {
    name,
    ...hearing(['committed'], ({ node, event }) => {
      if (!node.isCorrect || hasForked || !isJudged()) return;
      const { height } = event.block.header;
      const known = seen.get(height);
      hasForked = known !== undefined && !equalBytes(known.blockId.hash, event.blockId.hash);
      // A node that comes late decides heights that were judged long ago.
      if (height <= newest) return;
      newest = height;
      const problem = proofProblem(context, event.block, seen, accusations);
      if (problem !== undefined) context.fail(name, `height ${height} decided by ${node.name}: ${problem}`);
      seen.set(height, event);
      seen.delete(height - KEPT_MAX);
    }),
  };
}

/** Evidence in a block is valid, not too old and in the chain only once. A correct proposer puts the oldest first. */
function proofProblem(
  context: CheckerContext,
  block: Block,
  seen: Seen,
  accusations: CommittedEvidence,
): string | undefined {
  if (block.evidence.length === 0) return undefined;
  const isHonest = context.correct.some(({ name }) => {
    const member = context.cluster.members.find((one) => one.name === name);
    return member !== undefined && equalBytes(member.address, block.header.proposerAddress);
  });
  const heights = block.evidence.map(offenceHeight);
  if (isHonest && heights.some((height, i) => height < (heights[i - 1] ?? 0)))
    return 'evidence that is about to expire stands behind evidence that is not';
  for (const evidence of block.evidence) {
    const height = offenceHeight(evidence);
    const [past, last] = [seen.get(height), seen.get(block.header.height - 1)];
    if (
      past !== undefined &&
      last !== undefined &&
      isTooOld(context.cluster.schedule.params(block.header.height), headOf(past), headOf(last))
    )
      return `evidence of height ${height} is too old`;
    const problem =
      evidence.kind === 'duplicate-vote'
        ? duplicateVoteProblem(context, evidence, past && pastOf(past))
        : attackProblem(context, evidence, decidedChain(seen), block.header.height - 1);
    if (problem !== undefined) return `evidence of height ${height} is wrong: ${problem}`;
  }
  return accusations.add(block) === undefined ? undefined : 'it has evidence that was in the chain before';
}

const offenceHeight = (evidence: Evidence): number =>
  evidence.kind === 'duplicate-vote' ? evidence.voteA.height : evidence.commonHeight;

const headOf = ({ block }: CommittedEvent): Header => block.header;

function pastOf({ block, state }: CommittedEvent): PastHeight | undefined {
  const validators = state.lastValidators;
  return validators && { time: block.header.time, validators };
}

const decidedChain = (seen: Seen): DecidedChain => ({
  header: (height) => seen.get(height)?.block.header,
  commit: (height) => seen.get(height + 1)?.block.lastCommit,
  validators: (height) => seen.get(height)?.state.lastValidators,
});
