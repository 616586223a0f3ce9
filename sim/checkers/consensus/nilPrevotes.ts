import { toHex } from '../../../core/lib/bytes.ts';
import { equalBlockId } from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext } from '../checker.ts';
import { signedValue } from '../safety/signedValue.ts';
import { hasOddClocks, SLACK_MICROS } from '../timing/earlyTimeouts.ts';
import { proposeMicros } from '../timing/roundTimeouts.ts';
import { ProposalJudge } from './proposalJudge.ts';

/** How a node entered a round, and when it stopped waiting for a proposal there. */
interface Entered {
  readonly height: number;
  readonly round: number;
  readonly at: number;
  readonly lockedRound: number;
  readonly lockedBlock: RoundState['lockedBlock'];
  leftAt?: number;
}

/**
 * A node prevotes nil for one of three reasons (L22 to L33, L57): nothing came in time, the block is invalid, or it is
 * locked on another block and the proposal has no polka as new as the lock. The observer takes for valid what a correct
 * node proposes and what the node is locked on. Not judged with faulty clocks or drives.
 */
export function nilPrevotes(context: CheckerContext): Checker {
  const name = 'conduct';
  if (hasOddClocks(context.scenario)) return { name };
  const judge = new ProposalJudge(context);
  const correct = new Set(
    [...addressesOf(context)].filter(([{ isCorrect }]) => isCorrect).map(([, address]) => toHex(address)),
  );
  const entered = new Map<Process, Entered>();
  return {
    name,
    ...hearing(['started', 'signed', ...ProposalJudge.TOPICS], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      judge.see(fact);
      if (fact.kind === 'started') entered.delete(node);
      if (fact.kind !== 'signed' || fact.ask.kind !== 'prevote') return;
      const [rs, before] = [node.node?.rs(), entered.get(node)];
      if (rs === undefined || before === undefined || signedValue(fact.signed.bytes) !== undefined) return;
      const { height, round } = fact.ask;
      if (!isAt(rs, before) || rs.height !== height || rs.round !== round) return;
      const waited = (before.leftAt ?? context.world.now) - before.at;
      if (waited + SLACK_MICROS >= proposeMicros(context.scenario.engine.consensus, round)) return;
      const isValid = correct.has(toHex(rs.proposer.address)) || isOnLock(rs, before);
      if (isValid && judge.isFit(node, rs) && !isLockedOut(rs, before))
        context.fail(
          name,
          `${node.name} at ${height}/${round}: prevotes nil, should prevote the proposed block: it came in time, is valid, and no lock rules it out (L22, L28)`,
        );
    }),
    follow(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const { now } = context.world;
      const before = entered.get(node);
      if (before !== undefined && isAt(rs, before)) {
        if (rs.step >= STEP.prevote) before.leftAt ??= now;
      } else if (rs.step <= STEP.propose) {
        const { height, round, lockedRound, lockedBlock } = rs;
        entered.set(node, { height, round, at: now, lockedRound, lockedBlock });
      } else entered.delete(node);
    },
  };
}

const isAt = (rs: RoundState, { height, round }: Entered): boolean =>
  rs.height === height && rs.round === round;

/** The lock that the node brought into the round rules out the proposed block. */
function isLockedOut({ proposal }: RoundState, { lockedRound, lockedBlock }: Entered): boolean {
  if (proposal === undefined || lockedBlock === undefined) return false;
  return lockedRound > proposal.polRound && !equalBlockId(lockedBlock, proposal.blockId);
}

const isOnLock = ({ proposal }: RoundState, { lockedBlock }: Entered): boolean =>
  proposal !== undefined && lockedBlock !== undefined && equalBlockId(lockedBlock, proposal.blockId);
