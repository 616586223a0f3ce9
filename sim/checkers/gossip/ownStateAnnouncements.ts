import type { BitSet } from '../../../core/lib/bitset.ts';
import { equalBlockId, equalPartSetHeader } from '../../../core/types/block.ts';
import type { ConsensusMessage } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { readMessage } from '../../network/readMessage.ts';
import { stepName, timeText } from '../../words.ts';
import { hearing, type Position } from '../../world/facts.ts';
import { type Checker, type CheckerContext, mayForget } from '../checker.ts';
import { isPrompt } from '../progressCore.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';

/** By then a message that a node has decided to send has left it. */
const LEAVE_MICROS = 500_000;

/**
 * What a correct node says of itself is true, or was when it decided to say it: where it is and since when, in which
 * round the last height ended, which votes and parts it has, of which two thirds it knows, and whether it is catching
 * up. Not judged with pauses or disk faults.
 */
export function ownStateAnnouncements(context: CheckerContext): Checker {
  const name = 'conduct';
  const { world, scenario } = context;
  if (mayForget(context) || scenario.timeline.some(({ action }) => action.kind === 'pause')) return { name };
  const { initialHeight } = context.cluster.genesis;
  const areClocksSound = !hasOddClocks(scenario);
  /** When each node came to its present place. */
  const movedAt = new Map<Process, number>();
  const said = (node: Process, message: ConsensusMessage): string | undefined => {
    const rs = node.node?.rs();
    if (rs === undefined || !isPrompt(node)) return undefined;
    if (message.kind !== 'newRoundStep') return valueProblem(node, rs, message);
    const { height, round, step, lastCommitRound } = message;
    const last = height === initialHeight ? -1 : (rs.lastPrecommits?.round ?? rs.lastCommit?.round);
    if (height === rs.height && last !== undefined && lastCommitRound !== last)
      return `that height ${height - 1} was decided in round ${lastCommitRound}, which was round ${last}`;
    if (
      height === rs.height &&
      areClocksSound &&
      !isSince(message.secondsSinceStart, node.clock.now(world.now), rs)
    )
      return `that height ${height} began ${message.secondsSinceStart} s ago, which began at ${timeText(rs.startTime)}, and its clock says ${timeText(node.clock.now(world.now))}`;
    const order = compare(message, rs);
    const mayBeBehind = world.now - (movedAt.get(node) ?? 0) <= LEAVE_MICROS;
    if (order === 0 || (order < 0 && mayBeBehind)) return undefined;
    return `that it is at ${height}/${round}, step ${stepName(step)}, being at ${rs.height}/${rs.round}, step ${stepName(rs.step)}`;
  };
  return {
    name,
    ...hearing(['started', 'moved', 'committed', 'claimSaid', 'roundStateSaid'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      if (fact.kind === 'started' || fact.kind === 'moved') movedAt.set(node, world.now);
      else if (fact.kind === 'event') {
        const problem = behindProblem(node);
        if (problem !== undefined) context.fail(name, `${node.name} ${problem}`);
      } else {
        const decoded = readMessage(fact.bytes);
        const problem = decoded.ok ? said(node, decoded.value) : undefined;
        if (problem !== undefined) context.fail(name, `${node.name} says ${problem}`);
      }
    }),
  };
}

/** The node is catching up in block sync, or with a head two or more below the best peer's. One below is normal. */
function behindProblem({ node }: Process): string | undefined {
  const rpc = node?.rpc;
  if (rpc === undefined || node === undefined) return undefined;
  const heights = (rpc.consensus?.peers() ?? []).map(({ round }) => round.height);
  const [highest, head] = [Math.max(0, ...heights) - 1, rpc.chain.head()];
  const isBehind = node.isSyncing() || highest - head >= 2;
  return rpc.catchingUp() === isBehind
    ? undefined
    : `says to clients that it is ${isBehind ? 'not ' : ''}catching up, at height ${head}, where its best peer is at ${highest}`;
}

/** As many whole seconds have passed since the height began, or had when the node decided to say so. */
function isSince(seconds: number, now: number, { startTime }: RoundState): boolean {
  const wholeSeconds = (micros: number): number => Math.max(0, Math.floor(micros / 1_000_000));
  const past = now - startTime;
  return wholeSeconds(past - LEAVE_MICROS) <= seconds && seconds <= wholeSeconds(past);
}

const compare = (a: Position, b: Position): number =>
  a.height - b.height || a.round - b.round || a.step - b.step;

/** Problems of a message about the node's height or a stored one. */
function valueProblem(node: Process, rs: RoundState, message: ConsensusMessage): string | undefined {
  switch (message.kind) {
    case 'hasVote': {
      const { height, round, type, index } = message;
      const isHad = height !== rs.height || rs.votes(round, type)?.bits.has(index) === true;
      return isHad
        ? undefined
        : `that it has the ${type} of validator ${index} at ${height}/${round}, which it has not`;
    }
    case 'voteSetMaj23': {
      const { height, round, type, blockId } = message;
      const commit = height < rs.height ? node.node?.rpc?.chain.commit(height) : undefined;
      const isStored = commit !== undefined && type === 'precommit' && commit.round === round;
      const known = isStored
        ? commit.blockId
        : height === rs.height
          ? rs.votes(round, type)?.majority()
          : blockId;
      return known !== undefined && equalBlockId(known, blockId)
        ? undefined
        : `that it has two thirds of the ${type}s of ${height}/${round} for a value that has not`;
    }
    case 'newValidBlock': {
      const { height, round, parts, bits } = message;
      const ours = rs.proposalParts;
      if (height !== rs.height || round !== rs.round || ours === undefined) return undefined;
      return equalPartSetHeader(ours.header, parts) && !isWithin(bits, ours.bits)
        ? `that it has parts of the block of ${height}/${round} which it has not`
        : undefined;
    }
    case 'proposalPol': {
      const { height, polRound, bits } = message;
      const ours = height === rs.height ? rs.votes(polRound, 'prevote')?.bits : bits;
      return ours !== undefined && isWithin(bits, ours)
        ? undefined
        : `that it has prevotes of ${height}/${polRound} which it has not`;
    }
    default:
      return undefined;
  }
}

function isWithin(some: BitSet, all: BitSet): boolean {
  for (let i = 0; i < some.size; i++) if (some.has(i) && !all.has(i)) return false;
  return true;
}
