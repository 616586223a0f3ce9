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

test('CSA-2026-001: whatever address stands in a slot, its time weighs as much as the validator of the slot', () => {
  const net = testNet([40n, 10n, 10n, 10n]);
  const commit = commitBy(net, net.state, makeTestBlock(net, net.state, 0, []), [0, 1, 2]);
  const told = commit.signatures.map((slot, i) =>
    slot.flag === 'absent' ? slot : { ...slot, timestamp: at(1 + i) },
  );
  const [first, second] = told;
  if (first === undefined || second === undefined) throw new Error('four slots');
  const [own, others, nobodys] = [first.validatorAddress, second.validatorAddress, new Uint8Array(20)];
  for (const [a, b] of [
    [own, others],
    [others, others],
    [nobodys, others],
    [others, own],
  ] as const) {
    const signatures = [
      { ...first, validatorAddress: a },
      { ...second, validatorAddress: b },
      ...told.slice(2),
    ];
    expect(medianTime({ ...commit, signatures }, net.state.validators)).toEqual({ ok: true, value: at(1) });
  }
});

test('a signature in a slot that no validator has is an error', () => {
  const net = testNet([10n, 10n, 10n, 10n]);
  const commit = commitBy(net, net.state, makeTestBlock(net, net.state, 0, []), [0, 1, 2]);
  const [first] = commit.signatures;
  if (first === undefined) throw new Error('four slots');
  const signatures = [...commit.signatures, first];
  expect(medianTime({ ...commit, signatures }, net.state.validators).ok).toBe(false);
});
