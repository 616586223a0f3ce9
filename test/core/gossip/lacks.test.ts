/** What one peer is told at a time: so much, and the rest with the next look. */
import { expect, test } from 'vitest';
import { PartSet } from '../../../core/codec/partSet.ts';
import { missingAt } from '../../../core/gossip/lacks.ts';
import { PeerRound } from '../../../core/gossip/peerRound.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import type { BlockId, BlockMeta, Commit } from '../../../core/types/block.ts';
import type { BlockReader } from '../../../core/types/blockReader.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import type { Vote } from '../../../core/types/vote.ts';

const VALIDATORS = 10;
const batch = { partsMax: 3, votesMax: 4, author: undefined };
const parts = PartSet.of(new Uint8Array(10 * 65_536));
const blockId: BlockId = { hash: new Uint8Array(32).fill(1), parts: parts.header };

const everyVote = (type: Vote['type']): VoteSetReader =>
  ({
    height: 5,
    round: 0,
    type,
    bits: BitSet.fromWords(VALIDATORS, [-1]),
    vote: (validatorIndex: number) => ({ type, validatorIndex }) as Vote,
  }) as VoteSetReader;

const rs = {
  height: 5,
  round: 0,
  commitRound: -1,
  proposal: undefined,
  proposalParts: parts,
  votes: (_, type) => everyVote(type),
} as Partial<RoundState> as RoundState;

const signature = {
  flag: 'commit',
  validatorAddress: new Uint8Array(20),
  timestamp: { seconds: 1, nanos: 0 },
  signature: new Uint8Array(64),
} as const;
const commit: Commit = {
  height: 3,
  round: 0,
  blockId,
  signatures: Array.from({ length: VALIDATORS }, () => signature),
};
const blocks: BlockReader = {
  head: () => 4,
  base: () => 1,
  loadMeta: () => ({ blockId }) as BlockMeta,
  loadPart: (_, index) => parts.part(index),
  loadCommit: () => commit,
  loadSeenCommit: () => undefined,
};

function peerAt(height: number): PeerRound {
  const peer = new PeerRound();
  peer.onNewRoundStep({
    kind: 'newRoundStep',
    height,
    round: 0,
    step: 4,
    secondsSinceStart: 0,
    lastCommitRound: 0,
  });
  const bits = new BitSet(parts.header.total);
  peer.onNewValidBlock({
    kind: 'newValidBlock',
    height,
    round: 0,
    parts: parts.header,
    bits,
    isCommit: false,
  });
  return peer;
}

test.each([
  ['our height', 5],
  ['a height that is decided', 3],
])('of %s a peer is told so many parts and votes at a time, until it lacks nothing', (_, height) => {
  const peer = peerAt(height);
  const told: number[][] = [];
  const votes = new Set<string>();
  for (;;) {
    const missing = missingAt(peer, rs, blocks, batch);
    if (missing.parts.length + missing.votes.length === 0) break;
    told.push([missing.parts.length, missing.votes.length]);
    for (const { index } of missing.parts) peer.setPart(height, index);
    for (const { type, validatorIndex } of missing.votes) {
      votes.add(`${type}/${validatorIndex}`);
      peer.setVote(height, 0, type, validatorIndex, VALIDATORS);
    }
  }
  const [partsTold, votesTold] = [told.map(([count]) => count), told.map(([, count]) => count)];
  expect(partsTold.slice(0, 4)).toEqual([3, 3, 3, 1]);
  expect(Math.max(...votesTold.map(Number))).toBe(batch.votesMax);
  expect(votes.size).toBe(height === 5 ? 2 * VALIDATORS : VALIDATORS);
});

test('at most 32 vote sets are remembered for a peer, and known ones are kept', () => {
  const peer = peerAt(5);
  for (let round = 0; round < 100; round++) peer.setVote(5, round, 'prevote', 0, VALIDATORS);
  const known = Array.from({ length: 100 }, (_, round) => peer.votes(round, 'prevote'));
  expect(known.indexOf(undefined)).toBe(32);
  expect(known.filter((votes) => votes !== undefined)).toHaveLength(32);
  peer.setVote(5, 31, 'prevote', 1, VALIDATORS);
  expect(peer.votes(31, 'prevote')?.count()).toBe(2);
});
