import { expect, test } from 'vitest';
import { decodeConsensusMessage } from '../../../core/codec/messages.ts';
import { PartSet } from '../../../core/codec/partSet.ts';
import type { GossipOut } from '../../../core/gossip/contract.ts';
import { Gossip } from '../../../core/gossip/gossip.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import type { BlockId, BlockMeta, Commit, PartSetHeader } from '../../../core/types/block.ts';
import type { BlockReader } from '../../../core/types/blockReader.ts';
import type { ConsensusMessage } from '../../../core/types/messages.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import type { Proposal, Vote } from '../../../core/types/vote.ts';

const address = (n: number): Uint8Array => new Uint8Array(20).fill(n);
const hash = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const blockId: BlockId = { hash: hash(1), parts: { total: 1, hash: hash(2) } };

const vote = (index: number, round = 0, height = 5): Vote => ({
  type: 'prevote',
  height,
  round,
  blockId,
  timestamp: { seconds: 1, nanos: 0 },
  validatorAddress: address(index),
  validatorIndex: index,
  signature: new Uint8Array(64).fill(1),
  extension: new Uint8Array(),
  extensionSignature: new Uint8Array(),
});

const validator = (n: number) => ({
  address: address(n),
  pubKey: { type: 'ed25519' as const, bytes: hash(n) },
  power: 10n,
  priority: 0n,
});
const validators: ValidatorSet = {
  validators: [0, 1, 2, 3].map(validator),
  totalPower: 40n,
  proposer: validator(1),
};

const commit: Commit = {
  height: 4,
  round: 0,
  blockId,
  signatures: [0, 1, 2, 3].map((n) => ({
    flag: n === 3 ? ('absent' as const) : ('commit' as const),
    validatorAddress: n === 3 ? new Uint8Array() : address(n),
    timestamp: { seconds: n === 3 ? -62135596800 : 1, nanos: 0 },
    signature: n === 3 ? new Uint8Array() : new Uint8Array(64).fill(n + 1),
  })),
};

function prevotes(votes: readonly Vote[], of = validators): VoteSetReader {
  const bits = new BitSet(of.validators.length);
  for (const one of votes) bits.add(one.validatorIndex);
  return {
    height: 5,
    round: 0,
    type: 'prevote',
    bits,
    validators: of,
    vote: (index) => votes.find((one) => one.validatorIndex === index),
    majority: () => (votes.length >= 3 ? blockId : undefined),
    hasTwoThirdsAny: () => votes.length >= 3,
    bitsFor: () => bits,
  };
}

/** Validator 0 at height 5, round 0, holding these prevotes. */
class World implements GossipOut {
  readonly sent: { to: readonly string[]; message: ConsensusMessage }[] = [];
  readonly gossip: Gossip;
  readonly rs: { -readonly [K in keyof RoundState]?: RoundState[K] };

  constructor(held: readonly Vote[], stored: Partial<BlockReader> = {}) {
    const set = prevotes(held);
    this.rs = {
      height: 5,
      round: 0,
      step: 4,
      startTime: 0,
      validators,
      proposal: undefined,
      proposalParts: undefined,
      commitRound: -1,
      lastPrecommits: undefined,
      lastCommit: commit,
      proposer: { address: address(1), index: 1 },
      votes: (round, type) => (round === 0 && type === 'prevote' ? set : undefined),
    };
    const blocks: BlockReader = {
      head: () => 4,
      base: () => 1,
      loadMeta: () => undefined,
      loadPart: () => undefined,
      loadCommit: () => undefined,
      loadSeenCommit: () => commit,
      ...stored,
    };
    this.gossip = new Gossip({ blocks, rs: this.rs as RoundState, initialHeight: 1, self: address(0) });
  }

  send(to: readonly string[], message: ConsensusMessage, bytes: Uint8Array): void {
    expect(decodeConsensusMessage(bytes)).toMatchObject({ ok: true, value: { kind: message.kind } });
    this.sent.push({ to, message });
  }
  ticks = 0;
  tickAfter(): void {
    this.ticks++;
  }

  /** A peer that says where it stands. */
  peer(id: string, height: number, round = 0): void {
    this.gossip.onPeerUp(0, id, this);
    this.at(id, height, round);
  }

  at(id: string, height: number, round: number, step = 4): void {
    const at = { height, round, step, secondsSinceStart: 0, lastCommitRound: 0 };
    this.gossip.onNewRoundStep(0, id, { kind: 'newRoundStep', ...at }, this);
  }

  take(): string[] {
    const texts = this.sent.map(({ to, message }) => `${message.kind}>${to.join(',')}`);
    this.sent.length = 0;
    return texts;
  }
}

test('our own vote is sent at once to every peer at its height', () => {
  const world = new World([vote(0), vote(2)]);
  for (const id of ['b', 'a']) world.gossip.onPeerUp(0, id, world);
  for (const id of ['b', 'a']) world.at(id, 5, 0);
  expect(world.take().filter((text) => text.startsWith('vote'))).toEqual(['vote>b', 'vote>a']);
});

test("in a full mesh, another validator's vote is announced after two ticks of a round and forwarded after three", () => {
  const world = new World([vote(0), vote(2)]);
  for (const id of ['a', 'b', 'c']) world.peer(id, 5);
  world.gossip.onVoteAdded(vote(2), world);
  world.gossip.onTick(1, world);
  world.take();
  const ticks = [2, 3, 4, 5].map((now) => {
    world.gossip.onTick(now, world);
    return world.take();
  });
  expect(ticks).toEqual([['newRoundStep>a,b,c'], ['hasVote>a,b,c'], ['vote>a', 'vote>b', 'vote>c'], []]);
});

test('with fewer peers than validators, votes of others are announced and forwarded at the first tick', () => {
  const world = new World([vote(0), vote(2)]);
  world.peer('a', 5);
  world.gossip.onVoteAdded(vote(2), world);
  world.take();
  world.gossip.onTick(1, world);
  expect(world.take()).toEqual(['newRoundStep>a', 'hasVote>a', 'vote>a']);
});

test('a new step is announced with the tick, a new round at once', () => {
  const world = new World([]);
  world.peer('a', 5);
  world.gossip.flush(0, world);
  world.take();
  world.rs.step = 6;
  world.gossip.flush(0, world);
  expect(world.take()).toEqual([]);
  world.gossip.onTick(1, world);
  expect(world.take()).toEqual(['newRoundStep>a']);
  world.rs.round = 1;
  world.gossip.flush(0, world);
  expect(world.take()).toEqual(['newRoundStep>a']);
});

test('NewValidBlock is sent once, after the NewRoundStep of its round', () => {
  const world = new World([]);
  for (const id of ['b', 'a']) world.peer(id, 5);
  world.gossip.flush(0, world);
  world.take();
  world.rs.round = 1;
  world.rs.proposalParts = PartSet.empty(blockId.parts);
  world.gossip.onValidBlock(0, world);
  world.gossip.flush(0, world);
  expect(world.take()).toEqual(['newRoundStep>a,b', 'newValidBlock>a,b']);
});

test('a block that no proposal named is announced to a new peer at once, and repeated after two seconds', () => {
  const proposal = { height: 5, round: 0, polRound: -1, blockId } as Proposal;
  const another = PartSet.empty({ ...blockId.parts, hash: hash(3) });
  const cases = [
    { step: 8, proposalParts: PartSet.empty(blockId.parts), proposal, isTold: true },
    { step: 4, proposalParts: PartSet.empty(blockId.parts), proposal: undefined, isTold: true },
    { step: 4, proposalParts: another, proposal, isTold: true },
    { step: 4, proposalParts: PartSet.empty(blockId.parts), proposal, isTold: false },
    { step: 8, proposalParts: undefined, proposal: undefined, isTold: false },
  ];
  for (const { isTold, ...state } of cases) {
    const world = new World([]);
    Object.assign(world.rs, state);
    world.gossip.onPeerUp(0, 'a', world);
    const wanted = isTold ? ['newValidBlock>a'] : [];
    expect(world.take()).toEqual(['newRoundStep>a', ...wanted]);
    world.gossip.flush(0, world);
    world.take();
    world.gossip.onTick(2_000_000, world);
    expect(world.take().filter((text) => text.startsWith('newValidBlock'))).toEqual(wanted);
  }
});

test('between heights the tick stops while all peers wait for the same height', () => {
  const world = new World([]);
  for (const id of ['a', 'b', 'c']) world.gossip.onPeerUp(0, id, world);
  for (const id of ['a', 'b']) world.at(id, 5, 0, 1);
  world.at('c', 4, 0);
  world.rs.step = 1;
  world.gossip.flush(0, world);
  expect(world.ticks).toBe(1);
  world.at('c', 5, 0, 1);
  world.gossip.onTick(1, world);
  world.gossip.flush(2, world);
  expect(world.ticks).toBe(1);
  world.at('c', 5, 0, 3);
  world.gossip.flush(3, world);
  expect(world.ticks).toBe(2);
  world.at('c', 5, 1, 1);
  world.gossip.onTick(4, world);
  expect(world.ticks).toBe(2);
  world.rs.step = 3;
  world.gossip.flush(5, world);
  world.gossip.onTick(6, world);
  expect(world.ticks).toBe(4);
});

test('between heights a late precommit is forwarded once, unless all validators are our peers', () => {
  const passedOn = (peers: readonly string[]): readonly string[] => {
    const world = new World([]);
    world.rs.step = 1;
    for (const id of peers) world.gossip.onPeerUp(0, id, world);
    for (const id of peers) world.at(id, 5, 0, 1);
    world.gossip.flush(0, world);
    expect(world.ticks).toBe(0);
    world.take();
    const late = { ...vote(2, 0, 4), type: 'precommit' } as const;
    world.rs.lastPrecommits = { ...prevotes([late]), height: 4, type: 'precommit' };
    world.gossip.tracker.onVote('a', late);
    const told: string[] = [];
    let ticks = world.ticks;
    world.gossip.flush(1, world);
    for (let now = 2; world.ticks > ticks; now++) {
      ticks = world.ticks;
      world.gossip.onTick(now * 100_000, world);
      told.push(...world.take());
    }
    return told;
  };
  expect(passedOn(['a', 'b'])).toEqual(['vote>b']);
  expect(passedOn(['a', 'b', 'c'])).toEqual([]);
});

test('a peer that has begun the height gets our votes of it while we still wait for the height to begin', () => {
  const world = new World([vote(0), vote(2)]);
  world.rs.step = 1;
  world.peer('a', 5);
  world.gossip.flush(0, world);
  world.take();
  for (let now = 1; now <= 5; now++) world.gossip.onTick(now * 100_000, world);
  expect(world.take().filter((text) => text.startsWith('vote'))).toEqual(['vote>a']);
});

test('after a rest between heights, peers are not treated as stale', () => {
  const world = new World([vote(0)]);
  world.rs.step = 1;
  world.peer('a', 5);
  world.rs.step = 4;
  world.gossip.flush(60_000_000, world);
  world.take();
  world.gossip.onTick(60_100_000, world);
  expect(world.take().filter((text) => text !== 'newRoundStep>a')).toEqual([]);
});

test('a vote is not sent to a peer that announced it', () => {
  const world = new World([vote(2)]);
  world.peer('a', 5);
  world.gossip.tracker.onHasVote('a', { kind: 'hasVote', height: 5, round: 0, type: 'prevote', index: 2 });
  world.take();
  world.gossip.onTick(1, world);
  expect(world.take()).toEqual(['newRoundStep>a']);
});

test('a vote is not sent back to its sender', () => {
  const world = new World([vote(0), vote(2)]);
  for (const id of ['a', 'b']) world.peer(id, 5);
  world.gossip.tracker.onVote('a', vote(2));
  world.take();
  world.gossip.onTick(1, world);
  expect(world.take().filter((text) => text.startsWith('vote'))).toEqual(['vote>b']);
});

test('a peer one height behind gets the precommits of the last commit, once', () => {
  const world = new World([]);
  world.peer('a', 4);
  expect(world.take()).toEqual(['newRoundStep>a', 'vote>a', 'vote>a', 'vote>a']);
  world.gossip.onTick(1, world);
  expect(world.take()).toEqual(['newRoundStep>a']);
});

test('in a large mesh, a peer one height behind first gets our own precommit and later the others; a peer further behind gets all at once', () => {
  const world = new World([vote(0)], { loadCommit: (height) => ({ ...commit, height }) });
  const validators = Array.from({ length: 64 }, (_, n) => validator(n));
  world.rs.validators = { validators, totalPower: 640n, proposer: validator(1) };
  for (let n = 63; n > 0; n--) world.peer(`peer${n}`, n === 2 ? 3 : n === 1 ? 4 : 5);
  const supplied = (): string =>
    world
      .take()
      .filter((text) => /^vote>peer[12]$/.test(text))
      .join(' ');
  expect(supplied()).toBe('vote>peer2 vote>peer2 vote>peer2 vote>peer1');
  const ticks = [1, 2, 3, 4].map((now) => {
    world.gossip.onTick(now, world);
    return supplied();
  });
  expect(ticks).toEqual(['', '', 'vote>peer1 vote>peer1', '']);
});

test('between heights, precommits of the last height are forwarded in a small mesh and not in a large one', () => {
  const sentAmong = (count: number): number => {
    const world = new World([]);
    const validators = Array.from({ length: count }, (_, n) => validator(n));
    world.rs.validators = { validators, totalPower: BigInt(10 * count), proposer: validator(1) };
    const last = prevotes([vote(1, 0, 4), vote(2, 0, 4)].map((one) => ({ ...one, type: 'precommit' })));
    world.rs.lastPrecommits = { ...last, height: 4, type: 'precommit' };
    world.rs.step = 1;
    for (let n = 1; n < count; n++) {
      world.gossip.onPeerUp(0, `peer${n}`, world);
      world.at(`peer${n}`, n === 1 ? 4 : 5, 0, 1);
    }
    world.take();
    for (let now = 1; now < 10; now++) world.gossip.onTick(now, world);
    return world.take().filter((text) => text.startsWith('vote>') && text !== 'vote>peer1').length;
  };
  expect(sentAmong(4)).toBeGreaterThan(0);
  expect(sentAmong(64)).toBe(0);
});

test("a peer that stays one height behind gets the maj23 claim of the commit, then the commit's votes again", () => {
  const world = new World([]);
  world.peer('a', 4);
  world.take();
  world.gossip.onTick(2_000_000, world);
  const texts = world.take();
  expect(texts.indexOf('voteSetMaj23>a')).toBeGreaterThanOrEqual(0);
  expect(texts.indexOf('voteSetMaj23>a')).toBeLessThan(texts.indexOf('vote>a'));
  expect(texts.filter((text) => text === 'vote>a')).toHaveLength(3);
});

test('a peer behind us gets parts of the decided block, unless it collects another block', () => {
  const whole = PartSet.of(new Uint8Array(9).fill(7));
  const id: BlockId = { hash: hash(1), parts: whole.header };
  const meta = { blockId: id } as BlockMeta;
  const wants = (parts: PartSetHeader): readonly string[] => {
    const world = new World([], { loadMeta: () => meta, loadPart: (_, index) => whole.part(index) });
    world.peer('a', 4);
    world.take();
    const word = { kind: 'newValidBlock', height: 4, round: 0, isCommit: true } as const;
    world.gossip.onNewValidBlock('a', { ...word, parts, bits: new BitSet(1) }, world);
    return world.take().filter((text) => text.startsWith('blockPart'));
  };
  expect(wants(whole.header)).toEqual(['blockPart>a']);
  expect(wants({ ...whole.header, hash: hash(9) })).toEqual([]);
});

test('a peer behind us gets a large block in several batches, in the order of its parts', () => {
  const whole = PartSet.of(new Uint8Array(20 * 65_536).fill(7));
  const meta = { blockId: { hash: hash(1), parts: whole.header } } as BlockMeta;
  const world = new World([], { loadMeta: () => meta, loadPart: (_, index) => whole.part(index) });
  world.peer('a', 4);
  world.take();
  const word = { kind: 'newValidBlock', height: 4, round: 0, isCommit: true } as const;
  world.gossip.onNewValidBlock('a', { ...word, parts: whole.header, bits: new BitSet(20) }, world);
  world.gossip.onTick(100_000, world);
  const parts = world.sent.flatMap(({ message }) =>
    message.kind === 'blockPart' ? [message.part.index] : [],
  );
  expect(parts).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test('a peer that repeats that it lacks all parts gets 1 MiB at once, and the rest with the ticks', () => {
  const whole = PartSet.of(new Uint8Array(40 * 65_536).fill(7));
  const meta = { blockId: { hash: hash(1), parts: whole.header } } as BlockMeta;
  let reads = 0;
  const loadPart = (_: number, index: number) => {
    reads++;
    return whole.part(index);
  };
  const world = new World([], { loadMeta: () => meta, loadPart });
  world.peer('a', 4);
  const word = { kind: 'newValidBlock', height: 4, round: 0, isCommit: true } as const;
  const ask = (): void => {
    for (let i = 0; i < 100; i++) {
      const bits = new BitSet(40);
      world.gossip.onNewValidBlock('a', { ...word, parts: whole.header, bits }, world);
    }
  };
  ask();
  expect(reads).toBe(16);
  world.gossip.onTick(100_000, world);
  expect(reads).toBe(32);
  ask();
  expect(reads).toBe(48);
});

test('repeated NewRoundSteps of one peer cause a bounded number of reads', () => {
  let reads = 0;
  const loadCommit = () => {
    reads++;
    return { ...commit, height: 2 };
  };
  const world = new World([], { loadCommit });
  world.peer('a', 2);
  for (let i = 0; i < 1000; i++) world.at('a', 2, 0);
  expect(reads).toBeLessThanOrEqual(2 * 64);
});

test('votes of heights at which the peer is not cause no read of the store', () => {
  let reads = 0;
  const world = new World([], { loadCommit: () => void reads++ });
  world.peer('a', 5);
  reads = 0;
  const has = { kind: 'hasVote', round: 0, type: 'precommit', index: 1 } as const;
  for (const height of [1, 2, 3]) world.gossip.tracker.onHasVote('a', { ...has, height });
  for (const height of [1, 2, 3]) world.gossip.tracker.onVote('a', vote(1, 0, height));
  expect(reads).toBe(0);
});

test('a peer in an earlier round gets the prevotes and precommits of our round', () => {
  const world = new World([]);
  world.rs.round = 1;
  const of = (type: Vote['type']) => {
    const votes = [1, 2].map((index) => ({ ...vote(index, 1), type }));
    return { ...prevotes(votes), round: 1, type };
  };
  world.rs.votes = (round, type) => (round === 1 ? of(type) : undefined);
  world.peer('a', 5);
  for (const now of [2_000_000, 2_100_000]) world.gossip.onTick(now, world);
  const told = world.sent.flatMap(({ message }) =>
    message.kind === 'vote' ? [`${message.vote.type} ${message.vote.validatorIndex}`] : [],
  );
  expect([...new Set(told)].sort()).toEqual(['precommit 1', 'precommit 2', 'prevote 1', 'prevote 2']);
});

test('a peer gets each part of the block that it collects once, and no part of another block', () => {
  const whole = PartSet.of(new Uint8Array(9).fill(7));
  const wants = (parts: PartSetHeader): readonly string[] => {
    const world = new World([]);
    world.rs.proposalParts = whole;
    world.peer('a', 5);
    const word = { kind: 'newValidBlock', height: 5, round: 0, isCommit: false } as const;
    world.gossip.onNewValidBlock('a', { ...word, parts, bits: new BitSet(parts.total) }, world);
    for (const now of [4_000_000, 4_100_000, 4_200_000]) world.gossip.onTick(now, world);
    return world.take().filter((text) => text.startsWith('blockPart'));
  };
  expect(wants(whole.header)).toEqual(['blockPart>a']);
  expect(wants({ ...whole.header, hash: hash(9) })).toEqual([]);
});

test('a peer that only repeats its position is stale after two seconds and gets its votes again', () => {
  const world = new World([vote(2)]);
  world.peer('a', 5);
  world.gossip.onTick(1, world);
  for (const now of [600_000, 1_200_000, 1_800_000]) {
    const word = { kind: 'newRoundStep', height: 5, round: 0, step: 4 } as const;
    world.gossip.onNewRoundStep(now, 'a', { ...word, secondsSinceStart: 0, lastCommitRound: 0 }, world);
  }
  world.take();
  world.gossip.onTick(2_000_000, world);
  expect(world.take()).toContain('vote>a');
});

test('a peer in a later round gets the precommits of the commit round', () => {
  const decided: VoteSetReader = { ...prevotes([vote(1), vote(2), vote(3)]), type: 'precommit' };
  const world = new World([]);
  world.peer('a', 5, 2);
  world.rs.commitRound = 0;
  world.rs.votes = (round, type) => (round === 0 && type === 'precommit' ? decided : undefined);
  world.take();
  world.gossip.onTick(2_000_000, world);
  expect(world.take().filter((text) => text === 'vote>a')).toHaveLength(3);
});

test('a proposal with more parts than a block may have allocates no memory', () => {
  const world = new World([]);
  world.peer('a', 5);
  const partsOf = (total: number): number | undefined => {
    const parts = { total, hash: hash(7) };
    const proposal = { height: 5, round: 0, polRound: -1, blockId: { hash: hash(3), parts } };
    world.gossip.tracker.onProposal('a', proposal as Proposal);
    return world.gossip.peerRound('a')?.parts?.size;
  };
  expect([4_000_000_000, 1602].map(partsOf)).toEqual([undefined, undefined]);
  expect(partsOf(1601)).toBe(1601);
});

test('a peer that stays in round 0 gets maj23 claims after two seconds', () => {
  const world = new World([vote(0), vote(1), vote(2)]);
  world.peer('a', 5);
  world.take();
  world.gossip.onTick(2_000_000, world);
  expect(world.take()).toContain('voteSetMaj23>a');
});

test('a maj23 claim is answered with the bits of our votes for that value', () => {
  const world = new World([vote(0), vote(1), vote(2)]);
  world.peer('a', 5);
  world.take();
  const claim = { kind: 'voteSetMaj23', height: 5, round: 0, type: 'prevote', blockId } as const;
  world.gossip.onVoteSetMaj23('a', claim, world);
  expect(world.sent.at(-1)?.message).toMatchObject({ kind: 'voteSetBits', round: 0, blockId });
});

test('our own vote is sent again if VoteSetBits show that the peer lacks it', () => {
  const world = new World([vote(0), vote(1), vote(2)]);
  for (const id of ['a', 'b', 'c']) world.peer(id, 5);
  const votesOfTick = (now: number): readonly string[] => {
    world.take();
    world.gossip.onTick(now, world);
    return world.take().filter((text) => text.startsWith('vote'));
  };
  for (const now of [1, 2, 3, 4, 5, 6]) votesOfTick(now);
  expect(votesOfTick(7)).toEqual([]);
  const bits = new BitSet(4);
  for (const i of [1, 2]) bits.add(i);
  const message = { kind: 'voteSetBits', height: 5, round: 0, type: 'prevote', blockId, bits } as const;
  world.gossip.tracker.onVoteSetBits('b', message);
  expect(votesOfTick(8)).toEqual(['vote>b']);
  expect(votesOfTick(9)).toEqual([]);
});

test("VoteSetBits of an earlier height do not change what is believed of the peer's new height", () => {
  const world = new World([vote(0), vote(1), vote(2)]);
  world.peer('p', 6);
  const bits = new BitSet(4);
  for (const i of [0, 1, 2]) bits.add(i);
  world.gossip.tracker.onVoteSetBits('p', {
    kind: 'voteSetBits',
    height: 5,
    round: 0,
    type: 'prevote',
    blockId,
    bits,
  });
  world.rs.height = 6;
  world.take();
  world.gossip.onVoteAdded({ ...vote(0), height: 6 }, world);
  expect(world.take()).toEqual(['vote>p']);
});

test('the 1001st vote for a height far ahead counts as a flood', () => {
  const world = new World([]);
  world.peer('a', 5);
  const borne = Array.from({ length: 1001 }, () => world.gossip.tracker.onVote('a', vote(1, 0, 900)));
  expect(borne.indexOf(false)).toBe(1000);
  expect(world.gossip.tracker.onVote('b', vote(1, 0, 900))).toBe(true);
});

test('votes for the next height never count as a flood', () => {
  const world = new World([]);
  world.peer('a', 6);
  for (let i = 0; i < 1001; i++) expect(world.gossip.tracker.onVote('a', vote(1, 0, 6))).toBe(true);
});

test('our own vote is sent first even if the peer lacks more votes than one batch holds', () => {
  const count = 200;
  const many = Array.from({ length: count }, (_, index) => validator(count - 1 - index));
  const of: ValidatorSet = { validators: many, totalPower: BigInt(10 * count), proposer: validator(1) };
  const world = new World([]);
  const votes = many.map(({ address: author }, index) => ({ ...vote(index), validatorAddress: author }));
  world.rs.validators = of;
  world.rs.votes = (round, type) => (round === 0 && type === 'prevote' ? prevotes(votes, of) : undefined);
  for (let n = 1; n < count; n++) world.gossip.onPeerUp(0, `peer${n}`, world);
  world.take();
  world.at('peer1', 5, 0);
  expect(world.sent.map(({ message }) => message)).toEqual([{ kind: 'vote', vote: votes[count - 1] }]);
});
