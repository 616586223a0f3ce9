import type { Height, Micros, Round } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';

/** Where we stand, as told to a peer. */
export function roundStepOf(
  now: Micros,
  rs: RoundState,
  initialHeight: Height,
): Extract<ConsensusMessage, { kind: 'newRoundStep' }> {
  const { height, round, step } = rs;
  const lastCommitRound: Round =
    height === initialHeight ? -1 : (rs.lastPrecommits?.round ?? rs.lastCommit?.round ?? 0);
  const secondsSinceStart = Math.max(0, Math.floor((now - rs.startTime) / 1_000_000));
  return { kind: 'newRoundStep', height, round, step, secondsSinceStart, lastCommitRound };
}
