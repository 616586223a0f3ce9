import { toHex } from '../../../core/lib/bytes.ts';
import { type Block, equalPartSetHeader } from '../../../core/types/block.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { timeText } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { signedTime, signedValue } from '../safety/signedValue.ts';
import { isSluggish } from './waitingTime.ts';

/** Time a vote may take from the node's decision to its signature, since the WAL has to be durable first. */
const SLACK_MICROS = 300_000;
/** With these actions, the observer cannot tell what a node's clock showed a moment ago. */
const TIME_BENDERS: readonly string[] = ['skew', 'jump', 'drift', 'disk', 'pause'];

/**
 * A correct vote carries the time of the validator's clock. It is also at least a millisecond later than the block that
 * the validator is locked on or, without a lock, the block it votes for (CometBFT, BFT time). So block time advances,
 * and stays among the clocks of correct validators.
 */
export function voteTimes({ scenario, world, fail }: CheckerContext): Checker {
  const name = 'conduct';
  const isClockKnown = !scenario.timeline.some(({ action }) => TIME_BENDERS.includes(action.kind));
  /** The height at which each node started. Its votes there may be from an earlier life. */
  const begun = new Map<Process, number>();
  return {
    name,
    ...hearing(['started', 'signed'], (fact) => {
      if (fact.kind === 'started') {
        begun.set(fact.node, fact.node.node?.rs()?.height ?? 0);
        return;
      }
      if (!fact.node.isCorrect || fact.ask.kind === 'proposal') return;
      const { node, ask } = fact;
      const rs = node.node?.rs();
      if (rs === undefined || rs.height !== ask.height || rs.round !== ask.round) return;
      const time = signedTime(ask.bytes);
      if (time === undefined) return;
      const locked = rs.held.locked?.block;
      const least = Math.max(leastTime(locked), leastTime(rs.proposalBlock));
      const value = signedValue(ask.bytes);
      const hasOldLock = rs.lockedRound >= 0 && rs.lockedRound < ask.round;
      const isLockOld = hasOldLock && begun.get(node) !== ask.height;
      // Several inputs may be taken between a vote and its signature.
      const isKnown = holdsProposed(rs) && !(ask.kind === 'prevote' && rs.lockedRound === ask.round);
      const isSpokenFor =
        isKnown &&
        !hasOldLock &&
        value !== undefined &&
        rs.proposal !== undefined &&
        toHex(rs.proposal.blockId.hash) === value;
      const about = isLockOld ? locked : isSpokenFor ? rs.proposalBlock : undefined;
      if (about !== undefined && time < leastTime(about)) {
        const what = isLockOld ? 'votes, locked on a block,' : 'votes for a block';
        fail(
          name,
          `${node.name} at ${ask.height}/${ask.round}: ${what} at ${timeText(time)}, expected at ${timeText(leastTime(about))} or later`,
        );
      }
      if (!isClockKnown || isSluggish(node, scenario) || begun.get(node) === ask.height) return;
      const now = node.clock.now(world.now);
      if (time < now - SLACK_MICROS || (isKnown && time > Math.max(now, least)))
        fail(
          name,
          `${node.name} at ${ask.height}/${ask.round}: votes at ${timeText(time)}, its clock says ${timeText(now)}`,
        );
    }),
  };
}

/** The node has not put the proposed block away for another that has a polka or is decided. */
const holdsProposed = ({ proposal, proposalParts }: RoundState): boolean =>
  proposal === undefined ||
  (proposalParts !== undefined && equalPartSetHeader(proposalParts.header, proposal.blockId.parts));

/** The least time of a vote for the block, in µs since the Unix epoch: a millisecond after the block. */
const leastTime = (block: Block | undefined): number =>
  block === undefined
    ? Number.NEGATIVE_INFINITY
    : block.header.time.seconds * 1_000_000 + block.header.time.nanos / 1000 + 1000;
