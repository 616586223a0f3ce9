import { describe, expect, test } from 'vitest';
import { Author } from '../../../core/gossip/author.ts';
import { Pace } from '../../../core/gossip/pace.ts';
import { PeerRound } from '../../../core/gossip/peerRound.ts';
import { Peers } from '../../../core/gossip/peers.ts';
import { supply } from '../../../core/gossip/supply.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import { signedProposal, signedVote, testNet } from '../consensus/harness/net.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const setOf = (count: number): ValidatorSet => {
  const [one] = net.state.validators.validators;
  if (one === undefined) throw new Error('a validator');
  return { validators: new Array(count).fill(one), totalPower: one.power * BigInt(count), proposer: one };
};
const at = (validators: number, step: number = STEP.prevote, height = 5, round = 0): RoundState =>
  ({ height, round, step, validators: setOf(validators) }) as RoundState;

/** Ticks until each is due, of a round that goes on. */
function ticksOf(peers: number, rs: RoundState): Readonly<Record<string, number>> {
  const pace = new Pace();
  const due: Record<string, number> = {};
  for (let tick = 0; tick < 40; tick++) {
    pace.tick(rs);
    pace.note(signedVote(net, 0, 'prevote', rs.height, 0));
    const now = {
      supplies: pace.supplies(peers, rs),
      tells: pace.tellsStep(peers, rs),
      says: pace.say(peers, rs).length > 0,
      forwards: pace.forwards(peers, rs),
    };
    for (const [name, isDue] of Object.entries(now)) if (isDue) due[name] ??= tick;
  }
  return due;
}

describe('the pace of a round', () => {
  test.each<readonly [number, number, number | undefined]>([
    [4, 3, 0],
    [31, 30, 0],
    [32, 31, 1],
    [32, 28, 1],
    [32, 27, undefined],
    [64, 57, 2],
    [64, 56, undefined],
    [4, 2, undefined],
  ])('of %i validators with %i peers', (validators, peers, slower) => {
    const expected =
      slower === undefined
        ? { supplies: 0, tells: 0, says: 0, forwards: 0 }
        : { supplies: slower, tells: 1 + slower, says: 2 + slower, forwards: 3 + slower };
    expect(ticksOf(peers, at(validators))).toEqual(expected);
  });

  test('restarts with each round, and when the round begins after the wait for the height', () => {
    const pace = new Pace();
    const forwards = (rs: RoundState): boolean => {
      pace.tick(rs);
      return pace.forwards(3, rs);
    };
    for (const rs of [at(4, STEP.newHeight), at(4), at(4, STEP.prevote, 5, 1), at(4, STEP.prevote, 6, 1)])
      expect([0, 1, 2, 3].map(() => forwards(rs))).toEqual([false, false, false, true]);
    const old = at(4, STEP.prevote, 7);
    expect(pace.forwards(3, old)).toBe(false);
  });

  test('announces each of the newest 1024 votes of the current height once', () => {
    const [pace, rs] = [new Pace(), at(4)];
    const votes = Array.from({ length: 1030 }, (_, i) => signedVote(net, i % 4, 'prevote', 5, i));
    for (const vote of votes) pace.note(vote);
    pace.tick(rs);
    expect(pace.say(3, rs)).toEqual([]);
    for (let i = 0; i < 2; i++) pace.tick(rs);
    expect(pace.say(3, rs)).toEqual(votes.slice(-1024));
    expect(pace.say(3, rs)).toEqual([]);
    const late = signedVote(net, 1, 'precommit', 5, 0);
    for (const vote of [late, signedVote(net, 1, 'precommit', 6, 0)]) pace.note(vote);
    const next = at(4, STEP.prevote, 6);
    for (let i = 0; i < 3; i++) pace.tick(next);
    expect(pace.say(3, next).map(({ height }) => height)).toEqual([6]);
  });
});

test('peers are kept sorted and unique; a peer that is added again starts from nothing', () => {
  const peers = new Peers();
  for (const id of ['c', 'a', 'b', 'a']) peers.add(id, 1);
  expect([peers.ids, peers.count]).toEqual([['a', 'b', 'c'], 3]);
  const known = peers.find('a');
  if (known !== undefined) known.round.height = 7;
  expect([peers.heightMax, peers.areAllWaitingFor(7)]).toEqual([7, false]);
  peers.add('a', 2);
  expect([peers.find('a')?.round.height, peers.find('a')?.movedAt, peers.heightMax]).toEqual([0, 2, 0]);
  peers.remove('b');
  expect(peers.ids).toEqual(['a', 'c']);
});

test('VoteSetBits for another number of validators are ignored', () => {
  const peer = new PeerRound();
  peer.onNewRoundStep({
    kind: 'newRoundStep',
    height: 5,
    round: 0,
    step: 4,
    secondsSinceStart: 0,
    lastCommitRound: 0,
  });
  peer.setVote(5, 0, 'prevote', 1, 4);
  const ours = BitSet.fromWords(4, [0b1111]);
  for (const size of [3, 5, 100]) peer.onVoteSetBits(0, 'prevote', new BitSet(size), ours);
  expect(String(peer.votes(0, 'prevote'))).toBe('_x__');
  peer.onVoteSetBits(0, 'prevote', BitSet.fromWords(4, [0b1001]), BitSet.fromWords(4, [0b0011]));
  expect(String(peer.votes(0, 'prevote'))).toBe('x__x');
});

test('the index of an author is cached for each validator set separately', () => {
  const [first, second] = net.state.validators.validators;
  if (first === undefined || second === undefined) throw new Error('two validators');
  const author = new Author(second.address);
  const sets = [[first, second], [second], [first]].map((validators) => ({
    validators,
    totalPower: 1n,
    proposer: first,
  }));
  for (let i = 0; i < 2; i++) expect(sets.map((set) => author.placeIn(set))).toEqual([1, 0, -1]);
});

test('a proposal with a POL round is followed by one ProposalPOL message', () => {
  const polka = new BitSet(4);
  for (const index of [0, 1, 2]) polka.add(index);
  const proposal = signedProposal(
    net,
    1,
    5,
    2,
    { hash: new Uint8Array(32), parts: { total: 1, hash: new Uint8Array(32) } },
    1,
  );
  const votes = {
    bits: polka,
    validators: net.state.validators,
    round: 1,
    type: 'prevote',
    vote: () => undefined,
  };
  const rs = {
    ...at(4, STEP.prevote, 5, 2),
    proposal,
    votes: (round: number, type: string) => (round === 1 && type === 'prevote' ? votes : undefined),
    commitRound: -1,
    proposer: { address: new Uint8Array(20), index: 1 },
  } as unknown as RoundState;
  const peer = new PeerRound();
  peer.onNewRoundStep({
    kind: 'newRoundStep',
    height: 5,
    round: 2,
    step: 3,
    secondsSinceStart: 0,
    lastCommitRound: 0,
  });
  const blocks = { base: () => 1 } as never;
  expect(supply(peer, rs, blocks, undefined)).toEqual([
    { kind: 'proposal', proposal },
    { kind: 'proposalPol', height: 5, polRound: 1, bits: polka },
  ]);
  expect(supply(peer, rs, blocks, undefined)).toEqual([]);
});
