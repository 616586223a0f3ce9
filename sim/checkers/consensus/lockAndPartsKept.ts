import { equalPartSetHeader, type PartSetHeader } from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, mayForget } from '../checker.ts';
import { signedValue } from '../safety/signedValue.ts';

/** The lock and valid value with which a node was last seen in this life. */
interface Held {
  readonly height: number;
  readonly lockedRound: number;
  readonly validRound: number;
}

/** The number of parts the node had of the block with a polka in its round. */
interface Gathered {
  readonly height: number;
  readonly round: number;
  readonly header: PartSetHeader;
  readonly count: number;
}

/**
 * A correct node keeps what it holds. Within a height, lock and valid value only get newer (L36 to L43 are the only
 * lines that change them). A node that precommits a block is locked on it in that same round (L38 to L40). It also
 * keeps the parts of a block with a polka in its round, because peers do not send them again. The second rule is not
 * judged where a drive may lose part of the WAL.
 */
export function lockAndPartsKept(context: CheckerContext): Checker {
  const name = 'conduct';
  const isLogWhole = !mayForget(context);
  const seen = new Map<Process, Held>();
  const parts = new Map<Process, Gathered | undefined>();
  return {
    name,
    ...hearing(['started', 'signed'], (fact) => {
      if (fact.kind === 'started') {
        seen.delete(fact.node);
        parts.delete(fact.node);
        return;
      }
      if (!fact.node.isCorrect || fact.ask.kind !== 'precommit' || !isLogWhole) return;
      const { height, round, bytes } = fact.ask;
      const rs = fact.node.node?.rs();
      if (rs?.height !== height || signedValue(bytes) === undefined || rs.lockedRound >= round) return;
      context.fail(
        name,
        `${fact.node.name} at ${height}/${round}: precommits a block, should be locked on it in this round: its lock is of round ${rs.lockedRound} (L39)`,
      );
    }),
    follow(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const lost = lostParts(rs, parts.get(node));
      if (lost !== undefined) context.fail(name, `${node.name} at ${rs.height}/${rs.round}: ${lost}`);
      parts.set(node, gathered(rs));
      const before = seen.get(node);
      const { height, lockedRound, validRound } = rs;
      if (before?.height === height && before.lockedRound === lockedRound && before.validRound === validRound)
        return;
      seen.set(node, { height, lockedRound, validRound });
      if (before?.height !== height) return;
      if (lockedRound < before.lockedRound || validRound < before.validRound)
        context.fail(
          name,
          `${node.name} at ${height}/${rs.round}: lock and valid value went from rounds ${before.lockedRound} and ${before.validRound} back to ${lockedRound} and ${validRound}, should only become newer`,
        );
    },
  };
}

function gathered(rs: RoundState): Gathered | undefined {
  const { height, round, proposalParts: held } = rs;
  const polka = rs.votes(round, 'prevote')?.majority();
  if (held === undefined || polka === undefined) return undefined;
  const { header, count } = held;
  return equalPartSetHeader(polka.parts, header) ? { height, round, header, count } : undefined;
}

function lostParts(
  { height, round, step, proposalParts }: RoundState,
  before: Gathered | undefined,
): string | undefined {
  if (before?.height !== height || before.round !== round || step === STEP.commit) return undefined;
  const isSame = proposalParts !== undefined && equalPartSetHeader(proposalParts.header, before.header);
  const count = isSame ? proposalParts.count : 0;
  return count < before.count
    ? `has ${count} parts of the block that has the polka, should keep the ${before.count} that it had`
    : undefined;
}
