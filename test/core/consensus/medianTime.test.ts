import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { medianTime, weightedMedian } from '../../../core/consensus/medianTime.ts';
import { commitBy } from './harness/byzantine.ts';
import { at, makeTestBlock, signedVote, testNet } from './harness/net.ts';

const golden = JSON.parse(
  readFileSync(new URL('../../vectors/cometbft/median-time.json', import.meta.url), 'utf8'),
) as { votes: { t: number; power: number }[]; median: number }[];

test.each(golden)('golden weighted median %#', ({ votes, median }) => {
  const times = votes.map(({ t, power }) => ({ time: { seconds: t, nanos: 0 }, power: BigInt(power) }));
  expect(weightedMedian(times).seconds).toBe(median);
});

test('nil votes count for the time, absent ones do not', () => {
  const net = testNet([10n, 10n, 10n, 10n]);
  const made = makeTestBlock(net, net.state, 0, []);
  const commit = commitBy(net, net.state, made, [0, 1, 2]);
  const nil = { ...signedVote(net, 3, 'precommit', 1, 0, undefined, at(1)), flag: 'nil' } as const;
  const { timestamp, signature, validatorAddress } = nil;
  const signatures = [
    ...commit.signatures.slice(0, 3),
    { flag: 'nil', timestamp, signature, validatorAddress } as const,
  ];
  expect(medianTime({ ...commit, signatures }, net.state.validators)).toEqual({ ok: true, value: at(2) });
  expect(medianTime(commit, net.state.validators)).toEqual({ ok: true, value: at(2) });
});

test('CSA-2026-001: a signer outside the set is an error, not a free vote on time', () => {
  const net = testNet([10n, 10n, 10n, 10n]);
  const commit = commitBy(net, net.state, makeTestBlock(net, net.state, 0, []), [0, 1, 2]);
  const [first, ...rest] = commit.signatures;
  if (first === undefined) throw new Error('four slots');
  const signatures = [{ ...first, validatorAddress: new Uint8Array(20) }, ...rest];
  expect(medianTime({ ...commit, signatures }, net.state.validators).ok).toBe(false);
});
