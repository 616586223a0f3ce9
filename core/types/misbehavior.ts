import { equalBytes } from '../lib/bytes.ts';
import type { Evidence, Misbehavior } from './evidence.ts';
import { compareTime } from './ids.ts';

/** What the application is told about a piece of evidence. A light client attack can name several validators. */
export function toMisbehavior(evidence: Evidence): readonly Misbehavior[] {
  if (evidence.kind === 'duplicate-vote') {
    return [
      {
        kind: 'duplicate-vote',
        validator: { address: evidence.voteA.validatorAddress, power: evidence.validatorPower },
        height: evidence.voteA.height,
        time: evidence.timestamp,
        totalVotingPower: evidence.totalVotingPower,
      },
    ];
  }
  return evidence.byzantineValidators.map((validator) => ({
    kind: 'light-client-attack',
    validator: { address: validator.address, power: validator.power },
    height: evidence.commonHeight,
    time: evidence.timestamp,
    totalVotingPower: evidence.totalVotingPower,
  }));
}

/** Whether two blocks' evidence gives the application the same misbehavior. */
export const sameMisbehavior = (a: readonly Misbehavior[], b: readonly Misbehavior[]): boolean =>
  a.length === b.length && a.every((one, i) => isSame(one, b[i] as Misbehavior));

const isSame = (a: Misbehavior, b: Misbehavior): boolean =>
  a.kind === b.kind &&
  a.height === b.height &&
  compareTime(a.time, b.time) === 0 &&
  a.totalVotingPower === b.totalVotingPower &&
  a.validator.power === b.validator.power &&
  equalBytes(a.validator.address, b.validator.address);
