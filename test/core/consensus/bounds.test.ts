/** What others can make a node hold or look at is bounded, each bound on its own: another one further on hides it from no test. */
import { describe, expect, test } from 'vitest';
import { TOTAL_POWER_MAX, VALIDATORS_MAX } from '../../../core/codec/limits.ts';
import { CONFLICTS_MAX } from '../../../core/consensus/heightState.ts';
import { CATCHUP_PEERS_MAX, HeightVotes } from '../../../core/consensus/heightVotes.ts';
import { blockPartsMax } from '../../../core/consensus/params.ts';
import { applyUpdates, makeValidatorSet, type ValidatorChange } from '../../../core/consensus/priority.ts';
import { verifyCommitLightTrusting } from '../../../core/consensus/verifyCommit.ts';
import { CLAIMS_MAX, VoteSet } from '../../../core/consensus/voteSet.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { BlockId } from '../../../core/types/block.ts';
import type { ChainState } from '../../../core/types/state.ts';
import { CHAIN_ID, keyedSuite, makeTestBlock, signedProposal, signedVote, testNet } from './harness/net.ts';
import { Solo } from './harness/solo.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const made = makeTestBlock(net, net.state, 0, []);
const other = makeTestBlock(net, net.state, 0, [Uint8Array.of(1)]);

describe('blocks', () => {
  const ofParts = (total: number): BlockId => ({
    ...made.blockId,
    parts: { ...made.blockId.parts, total },
  });
  const max = blockPartsMax(net.state.params);

  test('a proposal with more parts than the params allow is held against its sender, and one with the most allowed is collected', () => {
    const solo = new Solo({ net, self: 3 }).start();
    const proposal = (total: number) => signedProposal(net, 0, 1, 0, ofParts(total));
    solo.feed({ kind: 'proposal', peer: 'sender', proposal: proposal(max + 1) });
    expect(solo.punished).toEqual(['proposal: too many parts']);
    solo.feed({ kind: 'proposal', peer: 'sender', proposal: proposal(max) });
    expect(solo.punished).toHaveLength(1);
    expect(solo.rs.proposalParts?.header.total).toBe(max);
  });

  test('a polka for a block with more parts than the params allow starts no part set', () => {
    const polka = (total: number) =>
      [0, 1, 2].map((index) => ({
        kind: 'vote' as const,
        peer: 'sender',
        vote: signedVote(net, index, 'prevote', 1, 0, ofParts(total)),
      }));
    const collects = (total: number) =>
      new Solo({ net, self: 3 }).start().feed(...polka(total)).rs.proposalParts;
    expect(collects(max + 1)).toBeUndefined();
    expect(collects(max)?.header.total).toBe(max);
  });

  test('a block one byte larger than the params allow gets a nil prevote, though its last part has room for that byte', () => {
    const prevoted = (spare: number): string | undefined => {
      // The params are in the header: the size of the block does not depend on this one of them.
      const size = makeTestBlock(net, net.state, 0, [new Uint8Array(500)]).parts.bytes().length;
      const { params } = net.state;
      const state: ChainState = {
        ...net.state,
        params: { ...params, block: { ...params.block, maxBytes: size + spare } },
      };
      const block = makeTestBlock({ ...net, state }, state, 0, [new Uint8Array(500)]);
      expect(block.parts.bytes()).toHaveLength(size);
      const solo = new Solo({ net, self: 3, state }).start();
      solo.feed({ kind: 'proposal', peer: 'a', proposal: signedProposal(net, 0, 1, 0, block.blockId) });
      solo.feed(...solo.parts(block, 0));
      return solo.own('prevote', 0);
    };
    expect(prevoted(-1)).toBe('nil');
    expect(prevoted(0)).not.toBe('nil');
  });
});

describe('votes', () => {
  test('at most CATCHUP_PEERS_MAX peers may open future rounds, and as many claims of a decision are remembered', () => {
    const votes = new HeightVotes(1, net.state.validators);
    for (let i = 0; i < CATCHUP_PEERS_MAX; i++) {
      expect(votes.mayOpen(`peer ${i}`, 10, 0)).toBe(true);
      votes.openFor(`peer ${i}`, 10, 0);
      votes.claimDecision(`peer ${i}`, 20);
    }
    expect(votes.mayOpen('one more', 10, 0)).toBe(false);
    expect(votes.mayOpen('peer 0', 11, 0)).toBe(true);
    expect(votes.mayOpen('peer 0', 20, 0)).toBe(true);
    expect(votes.mayOpen('peer 1', 20, 0)).toBe(true);
    votes.openFor('peer 0', 20, 0);
    votes.claimDecision('one more', 20);
    // The oldest claim that nothing followed has made room.
    expect(votes.mayOpen('one more', 20, 0)).toBe(true);
    expect(votes.mayOpen('peer 1', 20, 0)).toBe(true);
    expect(votes.mayOpen('peer 2', 20, 0)).toBe(true);
  });

  test('a vote set remembers the maj23 claims of at most CLAIMS_MAX peers', () => {
    const set = new VoteSet(1, 0, 'prevote', net.state.validators);
    for (let i = 0; i < CLAIMS_MAX; i++) expect(set.claim(`peer ${i}`, made.blockId)).toBe('added');
    expect(set.claim('one more', other.blockId)).toBe('full');
    expect(set.claim('one more', made.blockId)).toBe('known');
    expect(set.claim('peer 0', made.blockId)).toBe('known');
  });

  test('invented maj23 claims of CLAIMS_MAX peers do not keep a true claim from counting', () => {
    const set = new VoteSet(1, 0, 'prevote', net.state.validators);
    for (let i = 0; i < CLAIMS_MAX; i++) {
      const parts = { ...made.blockId.parts, hash: new Uint8Array(32).fill(i) };
      expect(set.claim(`peer ${i}`, { ...made.blockId, parts })).toBe('added');
    }
    const vote = (index: number, { blockId }: { readonly blockId: BlockId }) =>
      signedVote(net, index, 'prevote', 1, 0, blockId);
    for (const one of [vote(0, other), vote(1, made), vote(2, made)]) set.add(one);
    expect(set.judge(vote(0, made))).toMatchObject({ kind: 'conflict', counts: false });
    expect(set.claim('one more', made.blockId)).toBe('added');
    expect(set.judge(vote(0, made))).toMatchObject({ kind: 'conflict', counts: true });
  });

  test('every conflict of a height is reported, and the first CONFLICTS_MAX are kept for a restart', () => {
    const solo = new Solo({ net, self: 3 }).start();
    for (let round = 2; round < 2 + CONFLICTS_MAX; round++)
      for (const type of ['prevote', 'precommit'] as const)
        for (const { blockId } of [made, other])
          solo.feed({
            kind: 'vote',
            peer: `peer ${round >>> 1}`,
            vote: signedVote(net, 0, type, 1, round, blockId),
          });
    const told = solo.notices.filter(({ kind }) => kind === 'conflict');
    expect(told).toHaveLength(2 * CONFLICTS_MAX);
    expect(solo.consensus.conflicts).toHaveLength(CONFLICTS_MAX);
  });
});

describe('validator sets', () => {
  const pubKey = { type: 'ed25519', bytes: new Uint8Array(32) } as const;
  const change = (name: string, power: bigint): ValidatorChange => ({
    address: encodeUtf8(name),
    pubKey,
    power,
  });

  test('a power above the total that a set may have is refused as power-too-large', () => {
    const set = applyUpdates(net.state.validators, [change('a', TOTAL_POWER_MAX + 1n)]);
    expect(set).toMatchObject({ ok: false, error: { code: 'power-too-large' } });
  });

  test('a set has at most VALIDATORS_MAX validators', () => {
    const many = Array.from({ length: VALIDATORS_MAX }, (_, i) => change(`${i}`.padStart(20, '0'), 1n));
    const full = makeValidatorSet(many);
    expect(full.ok && full.value.validators.length).toBe(VALIDATORS_MAX);
    const more = makeValidatorSet([...many, change('one more', 1n)]);
    expect(more).toMatchObject({
      ok: false,
      error: { code: 'too-many-validators', count: VALIDATORS_MAX + 1 },
    });
  });

  test('a trust level beyond CometBFT’s int64 range is refused', () => {
    const judged = (numerator: bigint, denominator: bigint) => {
      const commit = { height: 1, round: 0, blockId: made.blockId, signatures: [] };
      const check = { chainId: CHAIN_ID, suite: keyedSuite };
      const result = verifyCommitLightTrusting(check, net.state.validators, commit, {
        numerator,
        denominator,
      });
      return result.ok || result.error.code;
    };
    const max = TOTAL_POWER_MAX;
    expect(judged(max, max)).toBe('commit-power');
    expect(judged(max, max + 1n)).toBe('trust-level');
    expect(judged(max + 1n, max + 1n)).toBe('trust-level');
  });
});
