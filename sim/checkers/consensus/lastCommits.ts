import { type Bytes, equalBytes } from '../../../core/lib/bytes.ts';
import {
  type Block,
  type Commit,
  type CommitSig,
  equalBlockId,
  isZeroBlockId,
} from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import type { Cluster } from '../../cluster.ts';
import type { Process } from '../../machine/process.ts';
import { totalOf } from '../../schedule.ts';
import { timeText } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext, mayForget } from '../checker.ts';

/** Time between a node's decision and the look at which it is seen. */
const SLACK_MICROS = 500_000;

interface Deciding {
  readonly height: number;
  /** The precommits that decide the block. Further ones may be added. */
  readonly precommits: VoteSetReader;
  /** The time of the decision on the node's clock. */
  readonly at: number;
}

/** The node's own block, and the precommits that it was compared with. */
interface Own {
  readonly block: Block;
  readonly votes: VoteSetReader;
  readonly count: number;
}

/** What was seen of a node in this life. */
interface Watched {
  /** The height at the last look. */
  height: number;
  step: number;
  decision: Deciding | undefined;
  /** The number of precommits of the last height when round 0 of this one began. */
  fixed: { readonly height: number; readonly count: number } | undefined;
  sound: Own | undefined;
}

/**
 * A node collects precommits of the previous height until round 0 begins, and takes none after that. It loses no
 * precommit that it had, and its own new blocks carry all of them, including those for nil.
 */
export function lastCommits(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  const addresses = addressesOf(context);
  const all = new Map<Process, Watched>();
  const proofs = new WeakSet<Commit>();
  // If a drive lost part of the WAL, peers may know better which precommits the node had.
  const isLogWhole = !mayForget(context);
  return {
    name,
    ...hearing(['started'], (fact) => {
      all.delete(fact.node);
    }),
    follow(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const { height, step } = rs;
      let seen = all.get(node);
      if (seen === undefined) {
        seen = { height, step, decision: undefined, fixed: undefined, sound: undefined };
        all.set(node, seen);
      }
      const isDeciding = step === STEP.commit && seen.height === height && seen.step < STEP.commit;
      seen.height = height;
      seen.step = step;
      if (step === STEP.commit) {
        // A life that begins with a decision in its WAL has it from the life before.
        const precommits = isDeciding ? rs.votes(rs.commitRound, 'precommit') : undefined;
        if (precommits !== undefined) seen.decision = { height, precommits, at: node.clock.now(world.now) };
        return;
      }
      const problem =
        carriedProblem(rs, seen.decision, 1000 * scenario.engine.consensus.timeoutCommitMs) ??
        fixedProblem(rs, seen) ??
        storedProblem(rs, proofs) ??
        seenProblem(rs, context.cluster, proofs) ??
        (isLogWhole ? ownBlockProblem(rs, seen, addresses.get(node)) : undefined);
      if (problem !== undefined) context.fail(name, `${node.name} at ${rs.height}/${rs.round}: ${problem}`);
    },
  };
}

/** What the new height must keep of the old one. */
function carriedProblem(rs: RoundState, before: Deciding | undefined, blockTime: number): string | undefined {
  if (before === undefined || before.height !== rs.height - 1 || rs.step !== STEP.newHeight) return undefined;
  const { precommits, at } = before;
  const isSame = precommits === rs.lastPrecommits;
  for (const i of isSame ? [] : precommits.bits.minus(rs.lastPrecommits?.bits))
    return `has lost the precommit of validator ${i} for the last height, which it had counted`;
  if (rs.startTime !== rs.commitTime + blockTime)
    return `begins at ${timeText(rs.startTime)}, expected at ${timeText(rs.commitTime + blockTime)}: it decided at ${timeText(rs.commitTime)}`;
  return Math.abs(rs.commitTime - at) > SLACK_MICROS
    ? `says that it decided at ${timeText(rs.commitTime)}, it was at ${timeText(at)}`
    : undefined;
}

function fixedProblem(rs: RoundState, seen: Watched): string | undefined {
  const { height, step, lastPrecommits } = rs;
  if (lastPrecommits === undefined || step <= STEP.newHeight) return undefined;
  const count = lastPrecommits.bits.count();
  if (seen.fixed?.height !== height) seen.fixed = { height, count };
  return seen.fixed.count === count
    ? undefined
    : 'takes a late precommit of the last height, should only before the new height begins';
}

/** The precommits that the node stored for the last height are in its vote set, in a later life, too. */
function storedProblem(
  { lastCommit, lastPrecommits: votes }: RoundState,
  proofs: WeakSet<Commit>,
): string | undefined {
  if (lastCommit === undefined || votes === undefined || proofs.has(lastCommit)) return undefined;
  const lost = lastCommit.signatures.findIndex(
    ({ flag }, i) => flag !== 'absent' && votes.vote(i) === undefined,
  );
  return lost < 0 ? undefined : `has lost the precommit of validator ${lost}, which it stored`;
}

/** The commit that the node stored for its last decision has two thirds of the power. */
function seenProblem(
  { step, lastCommit }: RoundState,
  { schedule }: Cluster,
  proofs: WeakSet<Commit>,
): string | undefined {
  if (step !== STEP.newHeight || lastCommit === undefined || proofs.has(lastCommit)) return undefined;
  const voters = schedule.voters(lastCommit.height);
  const signed = voters.filter(({ address }, i) => {
    const slot = lastCommit.signatures[i];
    return slot?.flag === 'commit' && equalBytes(slot.validatorAddress, address);
  });
  if (3n * totalOf(signed) <= 2n * totalOf(voters))
    return 'has stored a commit for the last height without two thirds of the power';
  proofs.add(lastCommit);
  return undefined;
}

/** The node's own new block carries the precommits that the node holds. */
function ownBlockProblem(rs: RoundState, seen: Watched, own: Bytes | undefined): string | undefined {
  const { proposal, proposalBlock: block, lastPrecommits: votes } = rs;
  if (own === undefined || proposal === undefined || block === undefined || votes === undefined)
    return undefined;
  if (proposal.polRound >= 0 || !equalBytes(rs.proposer.address, own)) return undefined;
  if (!equalBytes(block.header.proposerAddress, own)) return undefined;
  const [before, count] = [seen.sound, votes.bits.count()];
  if (before?.block === block && before.votes === votes && before.count === count) return undefined;
  const { signatures, round } = block.lastCommit;
  if (round !== votes.round)
    return `proposes a last commit of round ${round}, should be of round ${votes.round}`;
  const wrong = signatures.findIndex((signature, i) => !isOf(signature, votes, i));
  if (wrong >= 0) return `proposes a last commit without the precommit of validator ${wrong} that it holds`;
  seen.sound = { block, votes, count };
  return undefined;
}

function isOf(signature: CommitSig, votes: VoteSetReader, index: number): boolean {
  const vote = votes.vote(index);
  const decided = votes.majority();
  const isNil = vote !== undefined && isZeroBlockId(vote.blockId);
  const isFor = vote !== undefined && decided !== undefined && equalBlockId(vote.blockId, decided);
  if (vote === undefined || !(isNil || isFor)) return signature.flag === 'absent';
  return signature.flag === (isNil ? 'nil' : 'commit') && equalBytes(signature.signature, vote.signature);
}
