import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import {
  type Block,
  type Commit,
  type CommitSig,
  equalBlockId,
  isZeroBlockId,
} from '../../core/types/block.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState, VoteSetReader } from '../../core/types/roundState.ts';
import type { Cluster } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import { totalOf } from '../schedule.ts';
import { hearing } from '../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext, mayForget } from './checker.ts';

/** Between a node's decision and the moment it is seen in it. */
const SLACK_MICROS = 500_000;

interface Deciding {
  readonly height: number;
  /** The precommits that decide; they go on being collected. */
  readonly precommits: VoteSetReader;
  /** On the node's clock. */
  readonly at: number;
}

/** Where a node was seen last in this life. */
interface Place {
  height: number;
  step: number;
}

/** A block of a node's own, with so many of the precommits that it was found to have. */
interface Own {
  readonly block: Block;
  readonly votes: VoteSetReader;
  readonly count: number;
}

/** The last commit as it stood when round 0 began. */
interface Fixed {
  readonly height: number;
  readonly count: number;
}

/**
 * Precommits of the height before are collected until round 0 begins and then stand still. None that a node had is lost,
 * and its own new blocks carry all of them: also those for nil.
 */
export function lastCommits(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  const addresses = addressesOf(context);
  const decisions = new Map<Process, Deciding>();
  const fixed = new Map<Process, Fixed>();
  const places = new Map<Process, Place>();
  const sound = new Map<Process, Own>();
  const proofs = new WeakSet<Commit>();
  // What a drive has lost of the log, peers know better.
  const isLogWhole = !mayForget(context);
  return {
    name,
    ...hearing(['started'], (fact) => {
      decisions.delete(fact.node);
      fixed.delete(fact.node);
      places.delete(fact.node);
    }),
    look(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const { height, step } = rs;
      const place = places.get(node);
      const isDeciding = step === STEP.commit && place?.height === height && place.step < STEP.commit;
      if (place === undefined) places.set(node, { height, step });
      else {
        place.height = height;
        place.step = step;
      }
      if (step === STEP.commit) {
        // A life that began with a decision in its log has that from the one before.
        const precommits = isDeciding ? rs.votes(rs.commitRound, 'precommit') : undefined;
        if (precommits !== undefined)
          decisions.set(node, { height: rs.height, precommits, at: node.clock.now(world.now) });
        return;
      }
      const problem =
        carriedProblem(rs, decisions.get(node), 1000 * scenario.engine.consensus.timeoutCommitMs) ??
        fixedProblem(rs, node, fixed) ??
        seenProblem(rs, context.cluster, proofs) ??
        (isLogWhole ? ownBlockProblem(rs, node, addresses.get(node), sound) : undefined);
      if (problem !== undefined) context.fail(name, `${node.name} at ${rs.height}/${rs.round}: ${problem}`);
    },
  };
}

/** What the new height must have of the old one. */
function carriedProblem(rs: RoundState, before: Deciding | undefined, blockTime: number): string | undefined {
  if (before === undefined || before.height !== rs.height - 1 || rs.step !== STEP.newHeight) return undefined;
  const { precommits, at } = before;
  const isSame = precommits === rs.lastPrecommits;
  for (const i of isSame ? [] : precommits.bits.minus(rs.lastPrecommits?.bits))
    return `has lost the precommit of validator ${i} for the last height`;
  if (rs.startTime !== rs.commitTime + blockTime)
    return `begins at ${rs.startTime}, it decided at ${rs.commitTime}`;
  return Math.abs(rs.commitTime - at) > SLACK_MICROS
    ? `says it decided at ${rs.commitTime}, it was ${at}`
    : undefined;
}

function fixedProblem(rs: RoundState, node: Process, fixed: Map<Process, Fixed>): string | undefined {
  const { height, step, lastPrecommits } = rs;
  if (lastPrecommits === undefined || step <= STEP.newHeight) return undefined;
  const count = lastPrecommits.bits.count();
  const before = fixed.get(node);
  if (before?.height !== height) {
    fixed.set(node, { height, count });
    return undefined;
  }
  return before.count === count ? undefined : 'takes precommits of the last height after its time';
}

/** What the node has stored as the proof of its last decision is one. */
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
  if (3n * totalOf(signed) <= 2n * totalOf(voters)) return 'has stored a commit without two thirds';
  proofs.add(lastCommit);
  return undefined;
}

/** The node's own new block holds the commit that the node holds. */
function ownBlockProblem(
  rs: RoundState,
  node: Process,
  own: Bytes | undefined,
  sound: Map<Process, Own>,
): string | undefined {
  const { proposal, proposalBlock: block, lastPrecommits: votes } = rs;
  if (own === undefined || proposal === undefined || block === undefined || votes === undefined)
    return undefined;
  if (proposal.polRound >= 0 || !equalBytes(rs.proposer.address, own)) return undefined;
  if (!equalBytes(block.header.proposerAddress, own)) return undefined;
  const [before, count] = [sound.get(node), votes.bits.count()];
  if (before?.block === block && before.votes === votes && before.count === count) return undefined;
  const { signatures, round } = block.lastCommit;
  if (round !== votes.round) return `proposes a commit of round ${round}, not ${votes.round}`;
  const wrong = signatures.findIndex((signature, i) => !isOf(signature, votes, i));
  if (wrong >= 0) return `proposes a commit without the precommit of validator ${wrong} that it holds`;
  sound.set(node, { block, votes, count });
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
