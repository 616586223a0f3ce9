import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PeerRound } from '../../../core/gossip/peerRound.ts';
import { BitSet } from '../../../core/lib/bitset.ts';

const step = (height: number, round: number, number: number, lastCommitRound = 0) =>
  ({
    kind: 'newRoundStep',
    height,
    round,
    step: number,
    secondsSinceStart: 0,
    lastCommitRound,
  }) as const;
const parts = { total: 3, hash: new Uint8Array(32).fill(1) };
const other = { total: 2, hash: new Uint8Array(32).fill(2) };
/** Of height 5. */
const wants = (round: number, isCommit: boolean) =>
  ({ kind: 'newValidBlock', height: 5, round, parts, bits: new BitSet(3), isCommit }) as const;

test('a NewRoundStep behind the known position is ignored', () => {
  const peer = new PeerRound();
  expect(peer.onNewRoundStep(step(5, 1, 4))).toBe(true);
  for (const old of [step(4, 9, 8), step(5, 0, 8), step(5, 1, 3)])
    expect(peer.onNewRoundStep(old)).toBe(false);
  expect(peer).toMatchObject({ height: 5, round: 1, step: 4 });
});

test('forget adopts a position behind ours that the peer has sent three times in a row', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(13, 0, 1));
  for (const word of [step(5, 0, 3, 2), step(5, 0, 3, 2)]) peer.onNewRoundStep(word);
  peer.forget();
  expect(peer.height).toBe(13);
  peer.onNewRoundStep(step(5, 0, 3, 2));
  expect(peer.height).toBe(13);
  peer.forget();
  expect(peer).toMatchObject({ height: 5, round: 0, step: 3, lastCommitRound: 2 });
});

test('older positions that came late are dropped at the next current one', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 1, 4));
  for (const late of [4, 6, 8]) peer.onNewRoundStep(step(5, 0, late));
  peer.onNewRoundStep(step(5, 1, 4));
  peer.forget();
  expect(peer).toMatchObject({ height: 5, round: 1, step: 4 });
});

test('a new round forgets the proposal, a new height forgets the votes', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 0, 3));
  peer.setProposal(5, 0, parts, -1);
  peer.setPart(5, 2);
  peer.setVote(5, 0, 'prevote', 1, 4);
  peer.onNewRoundStep(step(5, 1, 3));
  expect(peer.hasProposal).toBe(false);
  expect(peer.parts).toBeUndefined();
  expect(peer.votes(0, 'prevote')?.toString()).toBe('_x__');
  peer.onNewRoundStep(step(6, 0, 1));
  expect(peer.votes(0, 'prevote')).toBeUndefined();
});

test('precommits of the round that decided become the last commit of the next height', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 2, 6));
  peer.setVote(5, 2, 'precommit', 3, 4);
  peer.onNewRoundStep(step(6, 0, 1, 2));
  expect(peer.lastCommit?.toString()).toBe('___x');
  peer.setVote(5, 2, 'precommit', 0, 4);
  expect(peer.lastCommit?.toString()).toBe('x__x');
});

test('a proposal from the peer replaces the block that we believe it collects; a proposal to it does not', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 0, 3));
  peer.setProposal(5, 0, parts, -1);
  peer.setPart(5, 2);
  peer.setProposal(5, 0, other, -1);
  peer.onProposal(5, 0, parts, -1);
  expect(peer.parts?.toString()).toBe('__x');
  peer.onProposal(5, 0, other, -1);
  expect([peer.partsHeader, peer.parts?.toString()]).toEqual([other, '__']);
  peer.onProposal(5, 1, parts, -1);
  expect(peer.partsHeader).toEqual(other);
});

test('after its NewValidBlock, a proposal does not change the block that the peer collects', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 0, 3));
  peer.onNewValidBlock(wants(0, false));
  peer.setPart(5, 2);
  peer.onProposal(5, 0, other, -1);
  peer.setProposal(5, 0, other, -1);
  expect([peer.hasProposal, peer.partsHeader, peer.parts?.toString()]).toEqual([true, parts, '__x']);
  peer.onNewRoundStep(step(5, 1, 3));
  peer.onProposal(5, 1, other, -1);
  expect(peer.partsHeader).toEqual(other);
});

test('setting a peer back within its round keeps its NewValidBlock; setting it back by a round drops it', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 2, 8));
  peer.onNewValidBlock(wants(2, true));
  const back = (round: number): void => {
    for (let times = 0; times < 3; times++) peer.onNewRoundStep(step(5, round, 3));
    peer.forget();
  };
  back(2);
  expect([peer.step, peer.partsHeader]).toEqual([3, parts]);
  back(1);
  expect([peer.round, peer.partsHeader]).toEqual([1, undefined]);
});

test('the last commit is taken from the commit round, even if the peer was in a later round', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 2, 6));
  peer.setVote(5, 1, 'precommit', 3, 4);
  peer.setVote(5, 2, 'precommit', 0, 4);
  peer.onNewRoundStep(step(6, 0, 1, 1));
  expect(peer.lastCommit?.toString()).toBe('___x');
});

test('VoteSetBits correct the belief about votes that we have, and leave the rest', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 0, 4));
  for (const index of [0, 1, 3]) peer.setVote(5, 0, 'prevote', index, 4);
  const bits = BitSet.fromWords(4, [0b0100]);
  const ours = BitSet.fromWords(4, [0b0011]);
  peer.onVoteSetBits(0, 'prevote', bits, ours);
  expect(peer.votes(0, 'prevote')?.toString()).toBe('__xx');
});

test('VoteSetBits of another size are ignored', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 0, 4));
  peer.setVote(5, 0, 'prevote', 1, 4);
  for (const size of [3, 5])
    peer.onVoteSetBits(0, 'prevote', new BitSet(size), BitSet.fromWords(4, [0b1111]));
  expect(peer.votes(0, 'prevote')?.toString()).toBe('_x__');
});

test('no message makes memory grow without bound or sets a bit outside its set', () => {
  const message = fc.oneof(
    fc.record({ kind: fc.constant('step'), height: fc.nat(9), round: fc.nat(2 ** 31 - 1), at: fc.nat(99) }),
    fc.record({ kind: fc.constant('vote'), height: fc.nat(9), round: fc.nat(2 ** 31 - 1), at: fc.integer() }),
    fc.record({ kind: fc.constant('part'), height: fc.nat(9), round: fc.nat(3), at: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 200 }), (messages) => {
      const peer = new PeerRound();
      const rounds = new Set<number>();
      for (const { kind, height, round, at } of messages) {
        if (kind === 'step') peer.onNewRoundStep(step(height, round, 1 + (at % 8)));
        if (kind === 'part') peer.setPart(height, at);
        if (kind !== 'vote') continue;
        peer.setVote(height, round, 'precommit', at, 4);
        rounds.add(round);
      }
      const known = [...rounds].filter((round) => peer.votes(round, 'precommit') !== undefined);
      expect(known.length).toBeLessThanOrEqual(32);
    }),
  );
});

test('in a height of many rounds, the votes of the latest rounds are remembered', () => {
  const peer = new PeerRound();
  for (let round = 0; round < 100; round++) {
    peer.onNewRoundStep(step(5, round, 4));
    for (const type of ['prevote', 'precommit'] as const) {
      peer.setVote(5, round, type, 1, 4);
      peer.setVote(5, round, type, 2, 4);
      expect(peer.votes(round, type)?.toString()).toBe('_xx_');
    }
  }
});

test('in a height of many rounds, the prevotes that a proposal needs are remembered', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 99, 3));
  peer.setProposal(5, 99, parts, 0);
  peer.setVote(5, 0, 'prevote', 1, 4);
  for (let round = 1; round < 99; round++) peer.setVote(5, round, 'precommit', 2, 4);
  expect(peer.votes(0, 'prevote')?.toString()).toBe('_x__');
  expect(peer.votes(98, 'precommit')?.toString()).toBe('__x_');
});

test('the POL round of a proposal is kept only for the round of the proposal', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 3, 3));
  expect(peer.polRound).toBe(-1);
  peer.setProposal(5, 2, parts, 0);
  expect(peer.polRound).toBe(-1);
  peer.setProposal(5, 3, parts, 1);
  expect(peer.polRound).toBe(1);
  peer.onNewRoundStep(step(5, 4, 1));
  expect(peer.polRound).toBe(-1);
});

test('a NewValidBlock of an earlier round is ignored unless it is a commit', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 1, 4));
  peer.onNewValidBlock(wants(0, false));
  expect(peer.partsHeader).toBeUndefined();
  peer.onNewValidBlock(wants(0, true));
  expect(peer.partsHeader).toBe(parts);
});

test('nothing is believed of the last commit of a peer that skipped a height', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 2, 6));
  peer.setVote(5, 2, 'precommit', 3, 4);
  peer.onNewRoundStep(step(7, 0, 1, 2));
  expect(peer.lastCommit).toBeUndefined();
});

test('forget clears the parts of a peer, except in the commit step', () => {
  const known = [4, 8].map((number) => {
    const peer = new PeerRound();
    peer.onNewRoundStep(step(5, 0, number));
    peer.setProposal(5, 0, parts, -1);
    peer.setPart(5, 1);
    peer.forget();
    return peer.parts?.toString();
  });
  expect(known).toEqual(['___', '_x_']);
});

test('forget clears votes and last commit, and keeps the position', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep(step(5, 0, 6));
  peer.setVote(5, 0, 'precommit', 3, 4);
  peer.onNewRoundStep(step(6, 0, 1));
  peer.setVote(6, 0, 'prevote', 1, 4);
  peer.forget();
  expect([peer.lastCommit, peer.votes(0, 'prevote')]).toEqual([undefined, undefined]);
  expect(peer).toMatchObject({ height: 6, round: 0, step: 1 });
});
