import { expect, test } from 'vitest';
import { precommitTimeoutMs, prevoteTimeoutMs, proposeTimeoutMs } from '../../../core/consensus/timeouts.ts';
import { DEFAULT_NODE_CONFIG } from '../../../core/node/nodeConfig.ts';

test('each round waits longer than the one before, however many there were', () => {
  const { consensus } = DEFAULT_NODE_CONFIG;
  const kinds = [
    [proposeTimeoutMs, consensus.timeoutProposeMs, consensus.timeoutProposeDeltaMs],
    [prevoteTimeoutMs, consensus.timeoutPrevoteMs, consensus.timeoutPrevoteDeltaMs],
    [precommitTimeoutMs, consensus.timeoutPrecommitMs, consensus.timeoutPrecommitDeltaMs],
  ] as const;
  for (const [of, first, delta] of kinds)
    for (const round of [0, 1, 9, 100]) expect(of(consensus, round)).toBe(first + round * delta);
});
