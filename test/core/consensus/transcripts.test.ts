import { expect, test } from 'vitest';
import type { ConsensusInput } from '../../../core/consensus/contract.ts';
import { testNet } from './harness/net.ts';
import { Solo } from './harness/solo.ts';
import { transcript } from './harness/transcript.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const begin: readonly ConsensusInput[] = [
  { kind: 'start' },
  { kind: 'timer', key: { machine: 'consensus', kind: 'newHeight', height: 1, round: 0 } },
];
const timer = (kind: 'propose' | 'prevote' | 'precommit', round: number): ConsensusInput => ({
  kind: 'timer',
  key: { machine: 'consensus', kind, height: 1, round },
});

test('a height without trouble, as validator 3 sees it', async () => {
  const v3 = new Solo({ net, self: 3 });
  const made = v3.block(0, 'pay');
  const text = transcript(v3, [
    ...begin,
    ...v3.proposal(made, 0),
    ...v3.vote('prevote', 0, [0, 1], made.blockId),
    ...v3.vote('precommit', 0, [0, 1], made.blockId),
  ]);
  await expect(text).toMatchFileSnapshot('transcripts/quietHeight.txt');
});

test('the height of a proposer, as validator 0 sees it', async () => {
  const v0 = new Solo({ net, self: 0, txs: [Uint8Array.of(1)] });
  const text = transcript(v0, begin);
  await expect(text).toMatchFileSnapshot('transcripts/proposer.txt');
});

test('a lock in round 0, a nil round 1, and the decision in round 2', async () => {
  const v3 = new Solo({ net, self: 3 });
  const made = v3.block(0, 'locked');
  const text = transcript(v3, [
    ...begin,
    ...v3.proposal(made, 0),
    ...v3.vote('prevote', 0, [0, 1], made.blockId),
    ...v3.vote('precommit', 0, [1, 2]),
    timer('precommit', 0),
    ...v3.proposal(v3.block(1, 'other'), 1),
    ...v3.vote('prevote', 1, [1, 2]),
    ...v3.vote('precommit', 1, [1, 2]),
    timer('precommit', 1),
    ...v3.proposal(made, 2, 0),
    ...v3.vote('prevote', 2, [0, 2], made.blockId),
    ...v3.vote('precommit', 2, [0, 2], made.blockId),
  ]);
  await expect(text).toMatchFileSnapshot('transcripts/lockAndRelock.txt');
});
