import type { Evidence, Misbehavior } from './evidence.ts';

/** What the application is told of one piece of evidence: a light client attack names several validators. */
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
