import { expect, test } from 'vitest';
import type { Sizes } from '../../../core/lib/sizes.ts';
import { BlockQueue } from '../../../core/sync/blockQueue.ts';
import { SyncPeers } from '../../../core/sync/syncPeers.ts';
import { type Block, ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import { makeTestBlock, signedVote, testNet } from '../consensus/harness/net.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const { block } = makeTestBlock(net, net.state, 0, []);
const at = (height: number): Block => ({ ...block, header: { ...block.header, height } });

/** Peers that all claim the same two blocks. */
function peersOf(ids: readonly string[]): SyncPeers {
  const peers = new SyncPeers();
  for (const id of ids) {
    peers.add(id, 0);
    const peer = peers.find(id);
    if (peer !== undefined) peer.claim = { base: 1, height: 2 };
  }
  return peers;
}

/** Blocks 1 and 2 came from a and b, and contradict each other. */
function disputed(ids: readonly string[]): BlockQueue {
  const queue = new BlockQueue(peersOf(ids));
  expect(
    queue.mismatch(1, { block: at(1), peer: 'a', bytes: 0 }, { block: at(2), peer: 'b', bytes: 0 }),
  ).toBe(undefined);
  return queue;
}

test('disputed blocks are requested from a third peer', () => {
  expect(disputed(['a', 'b', 'c']).wanted(0, 1)).toEqual([
    { peer: 'c', height: 1 },
    { peer: 'c', height: 2 },
  ]);
});

test('without a third peer, both disputed blocks are requested from one of the two senders', () => {
  expect(disputed(['a', 'b']).wanted(0, 1)).toEqual([
    { peer: 'a', height: 1 },
    { peer: 'a', height: 2 },
  ]);
});

test('if the chosen peer lacks a disputed block, another peer is chosen', () => {
  const peers = peersOf(['a', 'b', 'c', 'd']);
  const queue = new BlockQueue(peers);
  queue.mismatch(1, { block: at(1), peer: 'a', bytes: 0 }, { block: at(2), peer: 'b', bytes: 0 });
  expect(queue.wanted(0, 1).map(({ peer }) => peer)).toEqual(['c', 'c']);
  const chosen = peers.find('c');
  expect(chosen !== undefined && queue.denied(chosen, 1)).toBe(true);
  expect(queue.wanted(0, 1)).toEqual([{ peer: 'd', height: 1 }]);
});

test('late answers of other peers for disputed blocks are ignored', () => {
  const peers = peersOf(['a', 'b', 'c']);
  const queue = new BlockQueue(peers);
  queue.mismatch(1, { block: at(1), peer: 'a', bytes: 0 }, { block: at(2), peer: 'b', bytes: 0 });
  expect(queue.wanted(0, 1).map(({ peer }) => peer)).toEqual(['c', 'c']);
  const late = peers.find('b');
  for (const height of [1, 2]) if (late !== undefined) queue.arrived(late, at(height));
  expect([queue.at(1), queue.at(2)]).toEqual([undefined, undefined]);
});

const SECOND = 1_000_000;

/** These peers, which claim a hundred blocks, and what they have been asked for. */
function fetching(ids: readonly string[]) {
  const peers = new SyncPeers();
  const add = (id: string): void => {
    peers.add(id, 0);
    const peer = peers.find(id);
    if (peer !== undefined) peer.claim = { base: 1, height: 100 };
  };
  for (const id of ids) add(id);
  const queue = new BlockQueue(peers);
  const askedOf = (id: string): readonly number[] => [...(peers.find(id)?.asked.keys() ?? [])];
  const answer = (id: string, height: number): void => {
    const peer = peers.find(id);
    if (peer !== undefined) queue.arrived(peer, at(height));
  };
  return { peers, queue, add, askedOf, answer };
}

test('the window of a peer that was given up grows by one with each block that it sends', () => {
  const { peers, queue, add, askedOf, answer } = fetching(['a']);
  peers.giveUp('a');
  add('a');
  queue.wanted(0, 1);
  expect(askedOf('a')).toEqual([1]);
  answer('a', 1);
  queue.wanted(0, 1);
  expect(askedOf('a')).toEqual([2, 3]);
  answer('a', 2);
  answer('a', 3);
  queue.wanted(0, 1);
  expect(askedOf('a')).toEqual([4, 5, 6, 7]);
});

test('the claimed height of a peer that was given up counts again once it has sent a block', () => {
  const { peers, add, queue, answer } = fetching(['a', 'b']);
  const [other] = [peers.find('b')];
  if (other !== undefined) other.claim = { base: 1, height: 50 };
  peers.giveUp('a');
  add('a');
  expect(peers.heightMax(1)).toBe(50);
  queue.wanted(0, 1);
  answer('a', 1);
  expect(peers.heightMax(1)).toBe(100);
});

test('a peer that delays the next block gets a window of one, and is given up the third time', () => {
  const { peers, queue, askedOf, answer } = fetching(['a', 'b']);
  queue.wanted(0, 1);
  expect([askedOf('a').length, askedOf('b').length]).toEqual([20, 20]);
  let [now, next] = [0, 1];
  for (const [lags, useless] of [
    [1, []],
    [2, []],
    [3, [{ peer: 'a', reason: 'blocksync: too slow' }]],
  ] as const) {
    queue.wanted(now, next);
    expect(askedOf('a')[0]).toBe(next);
    for (const height of askedOf('b')) answer('b', height);
    now += 2 * SECOND;
    expect(queue.overdue(now, next)).toEqual(useless);
    expect(peers.find('a')).toMatchObject({ lags, window: 1 });
    for (const height of askedOf('a')) answer('a', height);
    for (const end = next + 40; next < end; next++) queue.settle(next, ZERO_BLOCK_ID);
  }
});

test('a second answer for an arrived block is ignored', () => {
  const { peers, queue, askedOf } = fetching(['a', 'b']);
  queue.wanted(0, 1);
  const [first, second] = [peers.find('a'), peers.find('b')];
  if (first === undefined || second === undefined) throw new Error('two peers');
  const [height = 0] = askedOf('a');
  queue.arrived(first, at(height));
  second.asked.set(height, 0);
  queue.arrived(second, { ...at(height), txs: [new Uint8Array(1)] });
  expect(queue.at(height)).toMatchObject({ peer: 'a', block: { txs: [] } });
});

test('a late answer for a stored block is ignored', () => {
  const { queue, answer } = fetching(['a', 'b']);
  queue.wanted(0, 1);
  queue.settle(1, ZERO_BLOCK_ID);
  answer('a', 1);
  expect(queue.at(1)).toBe(undefined);
});

const NOBODYS = {
  flag: 'absent',
  validatorAddress: new Uint8Array(0),
  timestamp: { seconds: 0, nanos: 0 },
  signature: new Uint8Array(0),
} as const;
const VOTE = signedVote(net, 0, 'prevote', 1, 0, ZERO_BLOCK_ID, block.header.time);
const PROOF = {
  kind: 'duplicate-vote',
  voteA: VOTE,
  voteB: VOTE,
  totalVotingPower: 4n,
  validatorPower: 1n,
  timestamp: block.header.time,
} as const;

test.each([
  ['large transactions', { txs: [new Uint8Array(20_000)] }],
  ['many empty transactions', { txs: new Array<Uint8Array>(200).fill(new Uint8Array(0)) }],
  ['evidence', { evidence: new Array<typeof PROOF>(100).fill(PROOF) }],
  [
    'signatures',
    { lastCommit: { ...block.lastCommit, signatures: new Array<typeof NOBODYS>(200).fill(NOBODYS) } },
  ],
])('blocks of %s that wait are followed by no others', (_, content) => {
  const peers = peersOf(['a']);
  const peer = peers.find('a');
  if (peer === undefined) throw new Error('a peer');
  peer.claim = { base: 1, height: 100 };
  const few: Sizes = { kept: (usual) => usual, atOnce: (usual) => usual, bytesAtOnce: () => 10_000 };
  const queue = new BlockQueue(peers, few);
  queue.wanted(0, 1);
  queue.arrived(peer, at(1));
  expect(queue.wanted(0, 1).length).toBeGreaterThan(0);
  queue.arrived(peer, { ...at(2), ...content });
  expect(queue.wanted(0, 1)).toEqual([]);
});

/** A peer that claims a hundred blocks, and a queue with room for a hundred kilobytes. */
function narrow() {
  const peers = peersOf(['a']);
  const peer = peers.find('a');
  if (peer === undefined) throw new Error('a peer');
  peer.claim = { base: 1, height: 100 };
  const sizes: Sizes = { kept: (usual) => usual, atOnce: (usual) => usual, bytesAtOnce: () => 100_000 };
  const queue = new BlockQueue(peers, sizes);
  const arrive = (height: number, bytes: number): void =>
    queue.arrived(peer, { ...at(height), txs: [new Uint8Array(bytes)] });
  const asked = (next: number): readonly number[] => queue.wanted(0, next).map(({ height }) => height);
  return { queue, arrive, asked };
}

test('stored blocks no longer count against the byte limit', () => {
  const { queue, arrive, asked } = narrow();
  expect(asked(1)).toHaveLength(20);
  for (let height = 1; height <= 9; height++) arrive(height, 5_000);
  expect(asked(1)).toEqual([]);
  for (let height = 1; height <= 9; height++) queue.settle(height, ZERO_BLOCK_ID);
  expect(asked(10).length).toBeGreaterThan(0);
});

test('requested blocks count against the byte limit with the size of recent ones', () => {
  const { queue, arrive, asked } = narrow();
  expect(asked(1)).toHaveLength(20);
  arrive(1, 30_000);
  queue.settle(1, ZERO_BLOCK_ID);
  expect(asked(2)).toEqual([]);
});

test('a block that finds no room is requested again when there is room', () => {
  const { queue, arrive, asked } = narrow();
  asked(1);
  for (const height of [5, 6, 7]) arrive(height, 60_000);
  expect([5, 6, 7].map((height) => queue.at(height) !== undefined)).toEqual([true, false, false]);
  for (const height of [1, 2]) arrive(height, 60_000);
  expect([1, 2].map((height) => queue.at(height) !== undefined)).toEqual([true, true]);
  for (const height of [1, 2, 3, 4, 5]) queue.settle(height, ZERO_BLOCK_ID);
  expect(asked(6)).toContain(6);
});
