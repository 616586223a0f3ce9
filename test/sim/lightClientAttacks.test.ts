import { describe, expect, test } from 'vitest';
import type { Header } from '../../core/types/block.ts';
import type { Evidence, LightClientAttackEvidence } from '../../core/types/evidence.ts';
import { addMillis } from '../../core/types/ids.ts';
import type { CheckerContext } from '../../sim/checkers/checker.ts';
import { CommittedEvidence } from '../../sim/checkers/evidence/duplicateVotes.ts';
import { attackProblem, type DecidedChain } from '../../sim/checkers/evidence/lightClientAttacks.ts';
import { keyedSuite } from '../core/consensus/harness/net.ts';
import {
  blocks,
  equivocation,
  evidenceOf,
  header,
  headerAt,
  lunatic,
  otherState,
  otherTxs,
  set,
} from '../core/evidence/attacks.ts';

const HEAD = 4;
const chain: DecidedChain = {
  header: headerAt,
  commit: (height) => blocks[height]?.block.lastCommit,
  validators: (height) => (height <= HEAD ? set : undefined),
};
const context = {
  suite: keyedSuite,
  cluster: { genesis: { chainId: header(1).chainId } },
} as unknown as CheckerContext;
const judged = (evidence: LightClientAttackEvidence, known = chain): string | undefined =>
  attackProblem(context, evidence, known, HEAD);

const ahead = { ...otherState, height: 40 };
const amnesia = { header: otherTxs, commonHeight: 2, round: 1 };

describe('the judge of light client attacks', () => {
  test.each<[string, LightClientAttackEvidence]>([
    ['a state that never was', lunatic],
    ['another block of the same round', equivocation],
    [
      'one that more have signed',
      evidenceOf({ header: otherTxs, commonHeight: 2, signers: [0, 1, 2], accused: [0, 1, 2] }),
    ],
    ['another block of a later round, which accuses nobody', evidenceOf({ ...amnesia, accused: [] })],
    [
      'one ahead of the chain, dated as what is there',
      evidenceOf({ header: { ...ahead, time: header(HEAD).time }, commonHeight: 1 }),
    ],
  ])('takes %s', (_, evidence) => {
    expect(judged(evidence)).toBeUndefined();
  });

  const accusing = (...accused: readonly number[]): LightClientAttackEvidence =>
    evidenceOf({ header: otherState, commonHeight: 1, accused });
  const signed = (...signers: readonly number[]): LightClientAttackEvidence =>
    evidenceOf({ header: otherState, commonHeight: 1, signers, accused: signers });
  const { conflictingBlock } = lunatic;
  const { commit } = conflictingBlock;
  const spoiled = commit.signatures.map((one, i) =>
    i === 1 ? { ...one, signature: new Uint8Array(64) } : one,
  );
  const shows = (part: Partial<typeof conflictingBlock>): LightClientAttackEvidence => ({
    ...lunatic,
    conflictingBlock: { ...conflictingBlock, ...part },
  });
  const dated = (time: Header['time']): LightClientAttackEvidence =>
    evidenceOf({ header: { ...ahead, time }, commonHeight: 1 });

  test.each<[string, LightClientAttackEvidence]>([
    ['a bad signature', shows({ commit: { ...commit, signatures: spoiled } })],
    ['a place too many', shows({ commit: { ...commit, signatures: [...commit.signatures, ...spoiled] } })],
    ['a commit for another block', shows({ header: otherTxs })],
    [
      'a set that the header does not name',
      shows({ validators: { ...set, validators: set.validators.slice(1) } }),
    ],
    ['too few signatures', signed(0)],
    ['less than a third of those trusted', signed(3)],
    ['the block of the chain', evidenceOf({ header: header(3), commonHeight: 1 })],
    ['another state at the trusted height', evidenceOf({ header: otherState, commonHeight: 3 })],
    ['a trusted height above the block', { ...lunatic, commonHeight: 4 }],
    ['another accused who signed nothing', accusing(0, 1, 3)],
    ['one in place of another', accusing(0, 2)],
    ['one too few', accusing(0)],
    ['none who lied', accusing()],
    ['the weaker one first', accusing(1, 0)],
    ['those who may have changed their minds', evidenceOf(amnesia)],
    ['a wrong total power', { ...lunatic, totalVotingPower: 99n }],
    ['a wrong time', { ...lunatic, timestamp: addMillis(lunatic.timestamp, 1) }],
    ['a block that may yet come about', dated(addMillis(header(HEAD).time, 1))],
    [
      'a wrong power',
      {
        ...lunatic,
        byzantineValidators: lunatic.byzantineValidators.map((one) => ({ ...one, power: 1n })),
      },
    ],
  ])('refuses %s', (_, evidence) => {
    expect(judged(evidence)).toEqual(expect.any(String));
  });

  test('takes what a shorter chain has proven', () => {
    // Held against block 2 nobody can be told to have lied; against block 4 its state is an invention.
    const early = { ...header(2), height: 40, dataHash: new Uint8Array(32).fill(7) };
    const grown = { ...header(3), appHash: new Uint8Array(32).fill(9) };
    const known: DecidedChain = {
      ...chain,
      header: (height) => (height < 3 ? headerAt(height) : { ...grown, height }),
    };
    expect(
      judged(evidenceOf({ header: early, commonHeight: 1, round: 1, accused: [] }), known),
    ).toBeUndefined();
  });

  test('says nothing of what it has forgotten', () => {
    const none: DecidedChain = {
      header: () => undefined,
      commit: () => undefined,
      validators: () => undefined,
    };
    expect(judged({ ...lunatic, totalVotingPower: 99n }, none)).toBeUndefined();
  });
});

test('evidence that is in the chain twice is noticed, whoever it accuses', () => {
  const { block } = blocks[0] as (typeof blocks)[number];
  const inBlock = (...evidence: readonly Evidence[]) => ({ ...block, evidence });
  const committed = new CommittedEvidence();
  expect(committed.add(inBlock(lunatic, equivocation))).toBeUndefined();
  const again = { ...lunatic, byzantineValidators: [] };
  expect(committed.add(inBlock(again))).toBe(again);
});
