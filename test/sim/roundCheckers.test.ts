import { describe, expect, test } from 'vitest';
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import { type BlockId, ZERO_BLOCK_ID } from '../../core/types/block.ts';
import type { CheckerContext } from '../../sim/checkers/checker.ts';
import { roundEvents } from '../../sim/checkers/consensus/roundEvents.ts';
import { voteTimes } from '../../sim/checkers/timing/voteTimes.ts';
import type { Fact } from '../../sim/world/facts.ts';

const block = (byte: number): BlockId => ({
  hash: new Uint8Array(32).fill(byte),
  parts: { total: 1, hash: new Uint8Array(32).fill(byte) },
});

describe('what a node tells of its rounds', () => {
  const VALIDATORS = 7;

  /** What the observer says of a node that tells this after it has begun height 5. */
  function verdicts(told: readonly object[]): readonly string[] {
    const said: string[] = [];
    const voters = Array.from({ length: VALIDATORS }, () => ({ power: 1n }));
    const context = {
      cluster: { schedule: { voters: () => voters } },
      fail: (_: string, message: string) => said.push(message),
    } as unknown as CheckerContext;
    const node = { name: 'v0', isCorrect: true, node: { rs: () => undefined } };
    const checker = roundEvents(context);
    for (const event of [round('NewRoundStep', 'NewHeight'), ...told])
      checker.on?.({ kind: 'event', node, event } as unknown as Fact);
    return said;
  }

  const round = (name: string, step: string) => ({
    kind: 'round',
    name,
    at: { height: 5, round: 0, step: `RoundStep${step}` },
  });
  const prevotes = (blockId: BlockId, ...indices: readonly number[]) =>
    indices.map((validatorIndex) => ({
      kind: 'vote',
      vote: { type: 'prevote', height: 5, round: 0, validatorIndex, blockId },
    }));
  const untilPrevote = [
    round('NewRoundStep', 'NewRound'),
    round('TimeoutPropose', 'Propose'),
    round('NewRoundStep', 'Prevote'),
  ];

  test('is a lock on the block that first had two thirds, though liars gave them to nil as well', () => {
    const votes = [
      ...prevotes(ZERO_BLOCK_ID, 3),
      ...prevotes(block(1), 1, 2, 4, 5, 6),
      ...prevotes(ZERO_BLOCK_ID, 0, 4, 5, 6),
    ];
    const locks = [round('Polka', 'Prevote'), round('Lock', 'Prevote'), round('NewRoundStep', 'Precommit')];
    expect(verdicts([...untilPrevote, ...votes, ...locks])).toEqual([]);
  });

  test('is no lock when two thirds were for nil', () => {
    const votes = prevotes(ZERO_BLOCK_ID, 0, 1, 2, 3, 4);
    const locks = [round('Polka', 'Prevote'), round('Lock', 'Prevote'), round('NewRoundStep', 'Precommit')];
    expect(verdicts([...untilPrevote, ...votes, ...locks])).toEqual([
      'v0 publishes that it is at 5/0, RoundStepPrecommit, after a polka for nil with a lock',
    ]);
  });
});

describe('the time of a vote', () => {
  const SECOND = 1_000_000;

  /** A block of that second. */
  const of = (seconds: number) => ({ block: { header: { time: { seconds, nanos: 0 } } } });

  /** What the observer says of a vote for block 1 in round 1, at that second, of a node whose clock shows second 100. */
  function verdicts(
    { kind = 'prevote', seconds, startedAt = 4 }: { kind?: string; seconds: number; startedAt?: number },
    holds: object,
  ): readonly string[] {
    const said: string[] = [];
    const at = { height: startedAt };
    const node = {
      name: 'v0',
      isCorrect: true,
      clock: { now: () => 100 * SECOND },
      pace: {},
      node: { rs: () => at },
    };
    const context = {
      scenario: { timeline: [], engine: {} },
      world: { now: 0 },
      fail: (_: string, message: string) => said.push(message),
    } as unknown as CheckerContext;
    const checker = voteTimes(context);
    checker.on?.({ kind: 'started', node, tornBytes: 0 } as unknown as Fact);
    Object.assign(
      at,
      { height: 5, round: 1, lockedRound: -1, held: {}, proposal: { blockId: block(1) } },
      holds,
    );
    const timestamp = { seconds, nanos: 1_000_000 };
    const bytes = voteSignBytes('x', {
      type: kind as 'prevote',
      height: 5,
      round: 1,
      blockId: block(1),
      timestamp,
    });
    checker.on?.({ kind: 'signed', node, ask: { kind, height: 5, round: 1, bytes } } as unknown as Fact);
    return said;
  }

  const proposed = (seconds: number) => ({
    proposalBlock: of(seconds).block,
    proposalParts: { header: block(1).parts },
  });

  test('is after the proposed block and not after the clock', () => {
    expect(verdicts({ seconds: 99 }, proposed(98))).toHaveLength(1);
    expect(verdicts({ seconds: 101 }, proposed(101))).toEqual([]);
    expect(verdicts({ seconds: 102 }, proposed(101))).toHaveLength(1);
    expect(verdicts({ seconds: 100 }, proposed(101))).toHaveLength(1);
  });

  test('says nothing about another block that has a polka by the time of the signature', () => {
    const other = { proposalBlock: of(103).block, proposalParts: { header: block(2).parts } };
    expect(verdicts({ seconds: 101 }, other)).toEqual([]);
    const unknown = { proposalBlock: undefined, proposalParts: { header: block(2).parts } };
    expect(verdicts({ seconds: 101 }, unknown)).toEqual([]);
  });

  test('follows from an older lock, in a life that began at this height too, and before a newer lock', () => {
    const locked = { lockedRound: 0, held: { locked: of(101) }, ...proposed(103) };
    expect(verdicts({ seconds: 101, startedAt: 5 }, locked)).toEqual([]);
    expect(verdicts({ seconds: 100 }, locked)).toHaveLength(1);
    const lockedSince = { lockedRound: 1, held: { locked: of(103) }, ...proposed(103) };
    expect(verdicts({ seconds: 101 }, lockedSince)).toEqual([]);
    expect(verdicts({ kind: 'precommit', seconds: 101 }, lockedSince)).toHaveLength(1);
  });
});
