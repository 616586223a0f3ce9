/** What peers may and may not do to a node: each message is stale, taken, or held against its sender. */
import { describe, expect, test } from 'vitest';
import type { ConsensusInput } from '../../../core/consensus/contract.ts';
import { CATCHUP_ROUNDS_MAX } from '../../../core/consensus/heightVotes.ts';
import { ok } from '../../../core/lib/result.ts';
import { ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { Vote } from '../../../core/types/vote.ts';
import { makeTestBlock, signedProposal, signedVote, testNet } from './harness/net.ts';
import { Solo, type SoloOptions } from './harness/solo.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const node = (options: Partial<SoloOptions> = {}): Solo => new Solo({ net, self: 3, ...options }).start();
const made = makeTestBlock(net, net.state, 0, []);
const other = makeTestBlock(net, net.state, 0, [Uint8Array.of(1)]);
const from = (peer: string, vote: Vote): ConsensusInput => ({ kind: 'vote', peer, vote });
const vote = (index: number, blockId = made.blockId, round = 0): Vote =>
  signedVote(net, index, 'prevote', 1, round, blockId);
const conflicts = (solo: Solo) => solo.notices.filter(({ kind }) => kind === 'conflict');

describe('votes', () => {
  test('a vote is taken once, logged once and announced once', () => {
    const solo = node();
    const logged = solo.log.length;
    solo.feed(from('a', vote(0)), from('b', vote(0)));
    expect(solo.log.length - logged).toBe(1);
    expect(solo.notices.filter(({ kind }) => kind === 'voteAdded')).toHaveLength(1);
  });

  test.each([
    ['bad signature', { signature: new Uint8Array(64) }],
    ['validator address does not match its index', { validatorIndex: 1 }],
    ['validator index out of range', { validatorIndex: 9 }],
    ['extensions are not enabled', { extension: Uint8Array.of(1), extensionSignature: new Uint8Array(64) }],
  ])('B18: %s: the sender is punished, nothing is counted', (reason, change) => {
    const solo = node().feed(from('sender', { ...vote(0), ...change }));
    expect(solo.punished).toEqual([`vote: ${reason}`]);
    expect(solo.rs.votes(0, 'prevote')?.bits.isEmpty() ?? true).toBe(true);
  });

  test('B18: a vote signed for another chain is a bad signature', () => {
    const solo = node();
    const foreign = { ...vote(0), height: 1, round: 0, timestamp: { seconds: 1, nanos: 0 } };
    expect(solo.feed(from('sender', foreign)).punished).toEqual(['vote: bad signature']);
  });

  test('B21: votes of other heights are ignored', () => {
    const solo = node();
    const before = solo.log.length;
    solo.feed(from('a', { ...vote(0), height: 7 }), from('a', { ...vote(0), height: 0 }));
    expect([solo.log.length, solo.punished]).toEqual([before, []]);
  });

  test('B19: a peer opens a few far rounds and no more; an open one takes votes of all', () => {
    const solo = node();
    for (let round = 10; round < 20; round++) solo.feed(from('flood', vote(0, made.blockId, round)));
    const open = Array.from({ length: 30 }, (_, round) => solo.rs.votes(round, 'prevote')).filter(
      (set) => set !== undefined,
    );
    expect(open.map(({ round }) => round).filter((round) => round >= 10)).toEqual([10, 11]);
    expect(CATCHUP_ROUNDS_MAX).toBe(2);
    solo.feed(from('other', vote(1, made.blockId, 10)));
    expect(solo.rs.round).toBe(10);
    // What it opened and we have come to is no longer ahead of us: it may tell of a decision in a later round.
    for (let round = 15; round < 20; round++) solo.feed(from('flood', vote(0, made.blockId, round)));
    const later = [11, 15, 16, 17, 18, 19].filter((round) => solo.rs.votes(round, 'prevote') !== undefined);
    expect(later).toEqual([11, 15]);
  });

  test('a peer that has spent its rounds may still tell of the one that decided', () => {
    const solo = node();
    const precommit = (index: number, round: number): Vote =>
      signedVote(net, index, 'precommit', 1, round, made.blockId);
    const claim = (peer: string, round: number, blockId = made.blockId): ConsensusInput => ({
      kind: 'maj23',
      peer,
      height: 1,
      round,
      type: 'precommit',
      blockId,
    });
    for (const round of [10, 11, 12]) solo.feed(from('late', vote(0, made.blockId, round)));
    solo.feed(claim('late', 13), from('late', precommit(0, 12)), claim('other', 12));
    expect(solo.rs.votes(12, 'precommit')).toBeUndefined();
    // Nothing has come of the claim yet: the last one counts.
    solo.feed(claim('late', 12), ...[0, 1, 2].map((index) => from('late', precommit(index, 12))));
    expect(solo.rs.step).toBe(STEP.commit);
    expect(solo.rs.commitRound).toBe(12);
    // Claims are not in the log, the votes that they let in are.
    const restarted = new Solo({ net, self: 3 });
    expect(restarted.consensus.replay(solo.log)).toEqual(ok(solo.log.length));
    expect(restarted.rs.commitRound).toBe(12);
    expect(restarted.rs.held.rounds).toBe(solo.rs.held.rounds);
    // It has come to round 12, so that the peer may open two more; what it claims is spent.
    const later = [20, 21, 22];
    for (const round of later) restarted.feed(claim('late', round), from('late', precommit(0, round)));
    expect(later.filter((round) => restarted.rs.votes(round, 'precommit') !== undefined)).toEqual([20, 21]);
  });

  test.each([
    ['of two rounds opens one', 'precommit', made.blockId, [20, 21], [20]],
    ['of prevotes opens none', 'prevote', made.blockId, [20], []],
    ['of nothing opens none', 'precommit', ZERO_BLOCK_ID, [20], []],
  ] as const)('a claim %s', (_, type, blockId, rounds, opened) => {
    const solo = node();
    for (const round of [10, 11]) solo.feed(from('flood', vote(0, made.blockId, round)));
    for (const round of rounds)
      solo.feed(
        { kind: 'maj23', peer: 'flood', height: 1, round, type, blockId },
        from('flood', signedVote(net, 0, 'precommit', 1, round, made.blockId)),
      );
    expect(rounds.filter((round) => solo.rs.votes(round, 'precommit') !== undefined)).toEqual(opened);
  });

  test('B19: only our round and the next are open to all', () => {
    const solo = node();
    for (const round of [8, 9]) solo.feed(from('flood', vote(0, made.blockId, round)));
    for (const round of [1, 2]) solo.feed(from('flood', vote(1, made.blockId, round)));
    expect([1, 2].map((round) => solo.rs.votes(round, 'prevote') !== undefined)).toEqual([true, false]);
  });
});

describe('equivocation', () => {
  test('B02: the first vote stands, both go to evidence, once', () => {
    const solo = node().feed(
      from('a', vote(0)),
      from('b', vote(0, other.blockId)),
      from('c', signedVote(net, 0, 'prevote', 1, 0)),
    );
    expect(conflicts(solo)).toEqual([
      { kind: 'conflict', conflict: { voteA: vote(0), voteB: vote(0, other.blockId) } },
    ]);
    expect(solo.rs.votes(0, 'prevote')?.vote(0)).toEqual(vote(0));
    expect(solo.punished).toEqual([]);
  });

  test('B02: a proven two thirds for the other value is still accepted, and shown', () => {
    const solo = node().feed(from('a', vote(0)), from('b', vote(0, other.blockId)));
    solo.feed({ kind: 'maj23', peer: 'b', height: 1, round: 0, type: 'prevote', blockId: other.blockId });
    solo.feed(
      from('b', vote(0, other.blockId)),
      from('b', vote(1, other.blockId)),
      from('b', vote(2, other.blockId)),
    );
    const set = solo.rs.votes(0, 'prevote');
    expect(set?.majority()).toEqual(other.blockId);
    expect(set?.vote(0)?.blockId).toEqual(other.blockId);
    expect(conflicts(solo)).toHaveLength(1);
  });

  test('without a claim the conflicting vote does not count', () => {
    const solo = node().feed(from('a', vote(0)), from('b', vote(0, other.blockId)));
    solo.feed(from('b', vote(1, other.blockId)), from('b', vote(2, other.blockId)));
    expect(solo.rs.votes(0, 'prevote')?.majority()).toBeUndefined();
  });

  test('a second claim of one peer that contradicts the first is punished', () => {
    const solo = node().feed(from('a', vote(0)));
    const claim = (blockId: typeof made.blockId): ConsensusInput => ({
      kind: 'maj23',
      peer: 'p',
      height: 1,
      round: 0,
      type: 'prevote',
      blockId,
    });
    solo.feed(claim(made.blockId), claim(made.blockId));
    expect(solo.punished).toEqual([]);
    expect(solo.feed(claim(other.blockId)).punished).toHaveLength(1);
  });

  test('our own key in a conflict is no evidence', () => {
    const solo = node();
    solo.feed(...solo.proposal(made, 0));
    expect(solo.own('prevote', 0)).toBeDefined();
    solo.feed(from('twin', signedVote(net, 3, 'prevote', 1, 0)));
    expect(conflicts(solo)).toEqual([]);
  });
});

describe('proposals and parts', () => {
  const proposal = (blockId = made.blockId, polRound = -1): ConsensusInput => ({
    kind: 'proposal',
    peer: 'sender',
    proposal: signedProposal(net, 0, 1, 0, blockId, polRound),
  });

  test('only the proposer of the round may propose', () => {
    const solo = node();
    solo.feed({ kind: 'proposal', peer: 'sender', proposal: signedProposal(net, 1, 1, 0, made.blockId) });
    expect(solo.punished).toEqual(['proposal: not signed by the proposer of the round']);
    expect(solo.rs.proposal).toBeUndefined();
  });

  const parts = { ...made.blockId.parts, total: 100_000 };
  test.each([
    ['B09: POL round out of range', made.blockId, 0],
    ['B09: POL round out of range', made.blockId, -2],
    ['B14: too many parts', { ...made.blockId, parts }, -1],
    ['incomplete block id', { ...made.blockId, hash: new Uint8Array(0) }, -1],
  ])('%s, though the proposer has signed it', (name, blockId, polRound) => {
    const solo = node().feed(proposal(blockId, polRound));
    expect(solo.punished).toEqual([name.replace(/^(B\d+: )?/, 'proposal: ')]);
    expect(solo.rs.proposal).toBeUndefined();
  });

  test('B01: the first proposal of a round stands, a second one is ignored', () => {
    const solo = node().feed(proposal());
    solo.feed({ kind: 'proposal', peer: 'b', proposal: signedProposal(net, 0, 1, 0, other.blockId) });
    expect(solo.rs.proposal?.blockId).toEqual(made.blockId);
    expect(solo.punished).toEqual([]);
  });

  test('B13: corrupt and mis-indexed parts are held against the sender and the slot stays free', () => {
    const solo = node().feed(proposal());
    const [part] = made.parts.parts();
    if (part === undefined) throw new Error('one part');
    const send = (change: object): ConsensusInput => ({
      kind: 'part',
      peer: 'sender',
      height: 1,
      round: 0,
      part: { ...part, ...change },
    });
    solo.feed(send({ bytes: part.bytes.map((byte) => byte ^ 1) }));
    solo.feed(send({ proof: { ...part.proof, index: 1 } }));
    expect(solo.punished).toHaveLength(2);
    solo.feed(send({}));
    expect(solo.own('prevote', 0)).toBeDefined();
  });

  test('NOFRAME: a part of the other of two proposals is an honest leftover', () => {
    const solo = node().feed(proposal());
    const [part] = other.parts.parts();
    if (part !== undefined) solo.feed({ kind: 'part', peer: 'honest', height: 1, round: 0, part });
    expect(solo.punished).toEqual([]);
  });

  test('a block that is not the one its id names gets a nil prevote', () => {
    const solo = node();
    const lie = { ...made.blockId, hash: other.blockId.hash };
    solo.feed({ kind: 'proposal', peer: 'p', proposal: signedProposal(net, 0, 1, 0, lie) });
    solo.feed(...solo.parts(made, 0));
    expect(solo.own('prevote', 0)).toBe('nil');
  });
});
