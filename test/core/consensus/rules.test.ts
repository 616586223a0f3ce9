/** The paper's clauses, one story each: a node (validator 3 of 4, equal powers; 0, 1 and 2 propose rounds 0, 1, 2). */
import { describe, expect, test } from 'vitest';
import { toHex } from '../../../core/lib/bytes.ts';
import { STEP } from '../../../core/types/messages.ts';
import { at, cut, type Made, proposerIndex, testNet } from './harness/net.ts';
import { Solo, type SoloOptions } from './harness/solo.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const node = (options: Partial<SoloOptions> = {}): Solo => new Solo({ net, self: 3, ...options });
const id = (made: Made): string => toHex(made.blockId.hash);

test('the rotation gives the first rounds to validators 0, 1, 2, 3', () => {
  expect([0, 1, 2, 3].map((round) => proposerIndex(net.state, round))).toEqual([0, 1, 2, 3]);
});

test('the proposer of each round is shown with its place', () => {
  const solo = new Solo({ net, self: undefined }).start();
  for (const round of [0, 1, 2, 3]) {
    const index = proposerIndex(net.state, round);
    expect(solo.rs.proposer).toEqual({ address: net.keys[index]?.address, index });
    solo.feed(...solo.vote('precommit', round, [0, 1, 2])).fire('precommit', round);
  }
});

describe('propose', () => {
  test('L10, L21: the first round begins by waiting for the proposal, no longer than the timeout', () => {
    const v3 = node().start();
    expect([v3.rs.round, v3.rs.step]).toEqual([0, STEP.propose]);
    expect(v3.timers.at(-1)).toEqual({
      key: { machine: 'consensus', kind: 'propose', height: 1, round: 0 },
      afterMs: 3000,
    });
  });

  test('L14, L18, L19: the proposer asks for a value, signs it, and prevotes it like everyone', () => {
    const tx = new TextEncoder().encode('pay');
    const v0 = node({ self: 0, txs: [tx] }).start();
    expect(v0.asks).toEqual(['propose']);
    expect(v0.signed.map(({ kind }) => kind)).toEqual(['proposal', 'prevote']);
    expect(v0.rs.proposal?.polRound).toBe(-1);
    expect(v0.rs.proposalBlock?.txs).toEqual([tx]);
    expect(v0.own('prevote', 0)).toBe(toHex(v0.rs.proposal?.blockId.hash as Uint8Array));
  });

  test('L15, L16, L19: a proposer that saw a polka proposes its value again, with the round of the polka', () => {
    const v3 = node({ self: 1 }).start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0, 2], made.blockId));
    expect(v3.rs.validRound).toBe(0);
    v3.feed(...v3.vote('precommit', 0, [0, 2])).fire('precommit', 0);
    expect(v3.asks).not.toContain('propose');
    expect(v3.rs.proposal).toMatchObject({ round: 1, polRound: 0, blockId: made.blockId });
    expect(v3.own('prevote', 1)).toBe(id(made));
  });
});

describe('prevote', () => {
  test('L22, L26: a block of our own that is no later than the last one is not prevoted either', () => {
    const before = node().start();
    const made = before.block(0);
    before.feed(...before.proposal(made, 0), ...before.vote('precommit', 0, [0, 1, 2], made.blockId));
    const committed = before.effects.find((e) => e.kind === 'app' && e.ask.kind === 'commit');
    if (committed?.kind !== 'app' || committed.ask.kind !== 'commit') throw new Error('commits');
    const { state, seenCommit } = committed.ask;
    const self = proposerIndex(state, 0);
    // The times in the commit are those of liars: their median is before the last block.
    const late = { ...state, lastBlockTime: at(1000) };
    const proposer = new Solo({ net, self, state: late, lastCommit: seenCommit }).start();
    expect(proposer.signed.map(({ kind }) => kind)).toEqual(['proposal', 'prevote']);
    expect(proposer.own('prevote', 0)).toBe('nil');
  });

  test('L22, L24: a valid fresh proposal is prevoted', () => {
    const v3 = node().start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0));
    expect(v3.own('prevote', 0)).toBe(id(made));
    expect(v3.rs.step).toBe(STEP.prevote);
  });

  test('L22: a proposal without its parts is not prevoted', () => {
    const v3 = node().start();
    v3.feed(...v3.proposal(v3.block(0), 0).slice(0, 1));
    expect(v3.own('prevote', 0)).toBeUndefined();
  });

  test('L26: a block that the application refuses gets a nil prevote', () => {
    const v3 = node({ refuse: () => true }).start();
    v3.feed(...v3.proposal(v3.block(0), 0));
    expect(v3.asks).toEqual(['validate']);
    expect(v3.own('prevote', 0)).toBe('nil');
  });

  test('L26: a block that does not follow from the state gets a nil prevote, and the application is not asked', () => {
    const v3 = node().start();
    const foreign = v3.block(0);
    const header = { ...foreign.block.header, appHash: new Uint8Array(32) };
    const bad = cut({ ...foreign.block, header });
    v3.feed(...v3.proposal(bad, 0));
    expect(v3.asks).toEqual([]);
    expect(v3.own('prevote', 0)).toBe('nil');
  });

  test('L23, L26: locked on one value, another fresh one gets a nil prevote', () => {
    const { v3 } = lockedInRound0();
    const other = v3.block(1, 'other');
    v3.feed(...v3.proposal(other, 1));
    expect(v3.own('prevote', 1)).toBe('nil');
  });

  test('L23, L24: locked on a value, the same one proposed afresh is prevoted', () => {
    const { v3, made } = lockedInRound0();
    v3.feed(...v3.proposal(made, 1));
    expect(v3.own('prevote', 1)).toBe(id(made));
  });

  test('L28, L30: a polka as new as the lock releases it for another value', () => {
    const { v3 } = lockedInRound0();
    const other = v3.block(1, 'other');
    // Round 1 has a polka for the other value, which we learn of only in round 2.
    v3.fire('propose', 1).feed(...v3.vote('prevote', 1, [0, 1, 2], other.blockId));
    v3.feed(...v3.vote('precommit', 1, [0, 1, 2])).fire('precommit', 1);
    expect([v3.rs.round, v3.rs.lockedRound]).toEqual([2, 0]);
    v3.feed(...v3.proposal(other, 2, 1));
    expect(v3.own('prevote', 2)).toBe(id(other));
  });

  test('L28: it is the lock that a polka must be as new as, not the valid value', () => {
    const { v3 } = lockedInRound0();
    const other = v3.block(1, 'other');
    v3.fire('propose', 1).feed(...v3.vote('prevote', 1, [0, 1, 2], other.blockId));
    v3.feed(...v3.vote('precommit', 1, [0, 1, 2])).fire('precommit', 1);
    const third = v3.block(2, 'third');
    v3.feed(...v3.proposal(third, 2), ...v3.vote('prevote', 2, [0, 1], third.blockId)).fire('prevote', 2);
    v3.feed(...v3.vote('prevote', 2, [2], third.blockId));
    expect([v3.rs.lockedRound, v3.rs.validRound]).toEqual([0, 2]);
    for (const round of [2, 3]) v3.feed(...v3.vote('precommit', round, [0, 1, 2])).fire('precommit', round);
    v3.feed(...v3.proposal(other, 4, 1));
    expect(v3.own('prevote', 4)).toBe(id(other));
  });

  test('L28: a polka older than the lock does not release it', () => {
    const v3 = node().start();
    const old = v3.block(0, 'old');
    const locked = v3.block(1, 'locked');
    v3.fire('propose', 0).feed(
      ...v3.vote('prevote', 0, [0, 1, 2], old.blockId),
      ...v3.vote('precommit', 0, [0, 1, 2]),
    );
    v3.fire('precommit', 0).feed(...v3.proposal(locked, 1), ...v3.vote('prevote', 1, [0, 1], locked.blockId));
    expect(v3.rs.lockedRound).toBe(1);
    v3.feed(...v3.vote('precommit', 1, [0, 1])).fire('precommit', 1);
    v3.feed(...v3.proposal(old, 2, 0));
    expect(v3.own('prevote', 2)).toBe('nil');
  });

  test('L28: a proposal with a POL round whose polka was not received gets a nil prevote at the timeout', () => {
    const v3 = node().start();
    v3.fire('propose', 0)
      .feed(...v3.vote('precommit', 0, [0, 1, 2]))
      .fire('precommit', 0);
    const made = v3.block(1);
    v3.feed(...v3.proposal(made, 1, 0));
    expect(v3.own('prevote', 1)).toBeUndefined();
    v3.fire('propose', 1);
    expect(v3.own('prevote', 1)).toBe('nil');
  });

  test('L57: without a proposal in time the prevote is nil', () => {
    const v3 = node().start().fire('propose', 0);
    expect(v3.own('prevote', 0)).toBe('nil');
  });

  test('L57: a verdict that comes after the timeout does not change the vote', () => {
    const v3 = node({ hold: ['validate'] }).start();
    v3.feed(...v3.proposal(v3.block(0), 0))
      .fire('propose', 0)
      .answerApp();
    expect(v3.votes.map(({ type }) => type)).toEqual(['prevote']);
    expect(v3.own('prevote', 0)).toBe('nil');
  });
});

describe('precommit', () => {
  test('L34: two thirds of prevotes for whatever start the prevote timeout, once', () => {
    const v3 = node().start();
    v3.feed(...v3.proposal(v3.block(0), 0), ...v3.vote('prevote', 0, [0]));
    expect(v3.rs.step).toBe(STEP.prevote);
    v3.feed(...v3.vote('prevote', 0, [1], v3.block(0, 'x').blockId));
    expect(v3.rs.step).toBe(STEP.prevoteWait);
    v3.feed(...v3.vote('prevote', 0, [2], v3.block(0, 'y').blockId));
    expect(v3.timers.filter(({ key }) => key.kind === 'prevote')).toHaveLength(1);
  });

  test('L36: a polka for the proposal locks it and precommits it', () => {
    const v3 = node().start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0], made.blockId));
    expect(v3.own('precommit', 0)).toBeUndefined();
    v3.feed(...v3.vote('prevote', 0, [1], made.blockId));
    expect(v3.own('precommit', 0)).toBe(id(made));
    expect([v3.rs.lockedRound, v3.rs.validRound]).toEqual([0, 0]);
    expect(v3.rs.lockedBlock).toEqual(made.blockId);
  });

  test('quorum: exactly two thirds of the power is no polka', () => {
    // Powers 20, 20, 10, 10: 40 of 60 is two thirds and not more.
    const weighted = testNet([20n, 20n, 10n, 10n]);
    const self = 3;
    const v = new Solo({ net: weighted, self }).start();
    const made = v.block(0);
    v.feed(...v.proposal(made, 0), ...v.vote('prevote', 0, [0], made.blockId));
    v.feed(...v.vote('prevote', 0, [2], made.blockId));
    expect(v.own('prevote', 0)).toBe(id(made));
    expect(v.own('precommit', 0)).toBeUndefined();
    v.feed(...v.vote('prevote', 0, [1], made.blockId));
    expect(v.own('precommit', 0)).toBe(id(made));
  });

  test('L36: a polka for an invalid block is not locked', () => {
    const v3 = node({ refuse: () => true }).start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0, 1, 2], made.blockId));
    expect(v3.rs.lockedRound).toBe(-1);
    v3.fire('prevote', 0);
    expect(v3.own('precommit', 0)).toBe('nil');
  });

  test('L36, L42: a polka after the precommit makes the value valid without locking it', () => {
    const v3 = node().start();
    const made = v3.block(0);
    v3.feed(
      ...v3.proposal(made, 0),
      ...v3.vote('prevote', 0, [0], made.blockId),
      ...v3.vote('prevote', 0, [1]),
    );
    v3.fire('prevote', 0);
    expect(v3.own('precommit', 0)).toBe('nil');
    v3.feed(...v3.vote('prevote', 0, [2], made.blockId));
    expect([v3.rs.lockedRound, v3.rs.validRound]).toEqual([-1, 0]);
  });

  test('CometBFT: a polka for a block we do not hold makes us collect it, and then lock it', () => {
    const v3 = node().start();
    const made = v3.block(0);
    v3.fire('propose', 0).feed(...v3.vote('prevote', 0, [0, 1, 2], made.blockId));
    expect(v3.rs.proposalParts?.header).toEqual(made.blockId.parts);
    expect(v3.notices.some((n) => n.kind === 'validBlock')).toBe(true);
    v3.feed(...v3.parts(made, 0));
    expect(v3.own('precommit', 0)).toBe(id(made));
  });

  test('L44: a polka for nil precommits nil and keeps the lock', () => {
    const { v3, made } = lockedInRound0();
    v3.fire('propose', 1).feed(...v3.vote('prevote', 1, [0, 1]));
    expect(v3.own('precommit', 1)).toBe('nil');
    expect(v3.rs.lockedBlock).toEqual(made.blockId);
  });

  test('L61: two thirds of prevotes without a polka end in a nil precommit', () => {
    const v3 = node().start();
    v3.feed(...v3.proposal(v3.block(0), 0), ...v3.vote('prevote', 0, [0, 1])).fire('prevote', 0);
    expect(v3.own('precommit', 0)).toBe('nil');
  });

  test('a relock moves the lock to the newer round', () => {
    const { v3, made } = lockedInRound0();
    v3.feed(...v3.proposal(made, 1), ...v3.vote('prevote', 1, [0, 1], made.blockId));
    expect([v3.rs.lockedRound, v3.rs.validRound]).toEqual([1, 1]);
    expect(v3.effects).toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ kind: 'round', name: 'Relock' }) }),
    );
  });
});

describe('rounds and decisions', () => {
  test('L47, L65: two thirds of precommits without a decision lead to the next round after the timeout', () => {
    const v3 = node()
      .start()
      .fire('propose', 0)
      .feed(...vote0('precommit'));
    expect(v3.timers.at(-1)).toEqual({
      key: { machine: 'consensus', kind: 'precommit', height: 1, round: 0 },
      afterMs: 1000,
    });
    v3.fire('precommit', 0);
    expect(v3.rs.round).toBe(1);
    expect(v3.timers.at(-1)?.afterMs).toBe(3500);
  });

  test('L55: more than a third of the power in a later round pulls us there', () => {
    const v3 = node().start();
    v3.feed(...v3.vote('prevote', 1, [0]));
    expect(v3.rs.round).toBe(0);
    v3.feed(...v3.vote('precommit', 1, [0]));
    expect(v3.rs.round).toBe(0);
    v3.feed(...v3.vote('precommit', 1, [1]));
    expect(v3.rs.round).toBe(1);
  });

  test('L49 to L54: two thirds of precommits for a valid block decide it, whatever the round', () => {
    const v3 = node().start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0)).feed(...v3.vote('precommit', 0, [0, 1, 2], made.blockId));
    expect(v3.asks).toEqual(['validate', 'finalize', 'commit']);
    expect(v3.rs.height).toBe(2);
    expect(v3.rs.step).toBe(STEP.newHeight);
    expect(v3.rs.lastCommit?.blockId).toEqual(made.blockId);
    expect(v3.effects.find((effect) => effect.kind === 'turnover')).toEqual({ kind: 'turnover', height: 1 });
    expect(v3.timers.at(-1)).toEqual({
      key: { machine: 'consensus', kind: 'newHeight', height: 2, round: 0 },
      afterMs: 1000,
    });
  });

  test('L49: a validator without the decided block collects it and then decides', () => {
    const v3 = node().start();
    const made = v3.block(0);
    v3.feed(...v3.vote('precommit', 0, [0, 1, 2], made.blockId));
    expect([v3.rs.step, v3.rs.commitRound]).toEqual([STEP.commit, 0]);
    expect(v3.rs.proposalParts?.header).toEqual(made.blockId.parts);
    v3.fire('propose', 0);
    expect(v3.votes).toEqual([]);
    v3.feed(...v3.parts(made, 0));
    expect(v3.rs.height).toBe(2);
  });

  test('L50: a decided block that is invalid here stops the node', () => {
    const v3 = node({ refuse: () => true }).start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('precommit', 0, [0, 1, 2], made.blockId));
    expect(v3.effects.at(-1)).toMatchObject({ kind: 'halt' });
    expect(v3.asks).not.toContain('finalize');
    expect(v3.feed(...v3.vote('prevote', 0, [0])).effects.at(-1)?.kind).toBe('halt');
  });

  test('precommits that come late enter the last commit until round 0 starts', () => {
    const v3 = node().start();
    const made = v3.block(0);
    const late = v3.vote('precommit', 0, [2], made.blockId);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0, 1], made.blockId));
    v3.feed(...v3.vote('precommit', 0, [0, 1], made.blockId));
    expect(v3.rs.lastPrecommits?.bits.toString()).toBe('xx_x');
    v3.feed(...late);
    expect(v3.rs.lastPrecommits?.bits.isFull()).toBe(true);
    expect(v3.rs.step).toBe(STEP.newHeight);
  });

  test('a late precommit that contradicts an earlier one is an offence like any other, once', () => {
    const v3 = node().start();
    const made = v3.block(0);
    const late = v3.vote('precommit', 0, [2], made.blockId);
    const other = v3.vote('precommit', 0, [2]);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0, 1], made.blockId));
    v3.feed(...v3.vote('precommit', 0, [0, 1], made.blockId), ...late, ...other, ...other);
    const offences = v3.notices.flatMap((one) => (one.kind === 'conflict' ? [one.conflict.voteB] : []));
    expect(offences.map((vote) => [vote.height, vote.validatorIndex])).toEqual([[1, 2]]);
    expect(v3.rs.lastPrecommits?.vote(2)?.blockId).toEqual(made.blockId);
  });

  test('skip_timeout_commit: with every precommit in, the next round starts at once', () => {
    const v3 = node({ config: { skipTimeoutCommit: true } }).start();
    const made = v3.block(0);
    const late = v3.vote('precommit', 0, [2], made.blockId);
    v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0, 1], made.blockId));
    v3.feed(...v3.vote('precommit', 0, [0, 1], made.blockId), ...late);
    expect([v3.rs.height, v3.rs.step]).toEqual([2, STEP.propose]);
  });
});

describe('waiting for transactions', () => {
  test('the first block waits for nothing: it proves the genesis state', () => {
    const v0 = node({ self: 0, config: { createEmptyBlocks: false } }).start();
    expect(v0.asks).toEqual(['propose']);
  });

  test('without empty blocks round 0 waits until there is something to propose', () => {
    const v1 = afterTheFirstBlock({ createEmptyBlocks: false });
    expect([v1.rs.step, v1.asks.includes('propose')]).toEqual([STEP.newRound, false]);
    v1.feed({ kind: 'txsAvailable' });
    expect(v1.asks).toContain('propose');
  });

  test('with an interval an empty block is made when it ends', () => {
    const v1 = afterTheFirstBlock({ createEmptyBlocksIntervalMs: 700 });
    expect(v1.timers.at(-1)).toMatchObject({ key: { kind: 'emptyBlock' }, afterMs: 700 });
    v1.fire('emptyBlock', 0);
    expect(v1.asks).toContain('propose');
  });

  test('a validator that waits for transactions prevotes an empty proposal of another', () => {
    const v3 = node({ config: { createEmptyBlocks: false } }).start();
    const made = v3.block(0);
    v3.feed(...v3.proposal(made, 0));
    expect(v3.own('prevote', 0)).toBe(id(made));
  });
});

/** Validator 1, who proposes at height 2, when round 0 of it begins. */
function afterTheFirstBlock(config: NonNullable<SoloOptions['config']>): Solo {
  const v1 = node({ self: 1, config }).start();
  const made = v1.block(0);
  v1.feed(...v1.proposal(made, 0), ...v1.vote('precommit', 0, [0, 2, 3], made.blockId));
  expect(v1.rs.height).toBe(2);
  v1.fire('newHeight', 0);
  return v1;
}

const vote0 = (type: 'prevote' | 'precommit') => node().vote(type, 0, [0, 1, 2]);

/** Validator 3 in round 1, locked in round 0 on `made`. */
function lockedInRound0() {
  const v3 = node().start();
  const made = v3.block(0);
  v3.feed(...v3.proposal(made, 0), ...v3.vote('prevote', 0, [0, 1], made.blockId));
  expect(v3.rs.lockedRound).toBe(0);
  v3.feed(...v3.vote('precommit', 0, [0, 1])).fire('precommit', 0);
  expect(v3.rs.round).toBe(1);
  return { v3, made };
}
