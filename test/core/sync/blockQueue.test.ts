import { expect, test } from 'vitest';
import { BlockQueue } from '../../../core/sync/blockQueue.ts';
import { SyncPeers } from '../../../core/sync/syncPeers.ts';
import type { Block } from '../../../core/types/block.ts';
import { makeTestBlock, testNet } from '../consensus/harness/net.ts';

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

test('a dispute is settled by a third, whom nobody suspects', () => {
  expect(disputed(['a', 'b', 'c']).wanted(0, 1)).toEqual([
    { peer: 'c', height: 1 },
    { peer: 'c', height: 2 },
  ]);
});

test('where there is no third one of the two has to give both blocks', () => {
  expect(disputed(['a', 'b']).wanted(0, 1)).toEqual([
    { peer: 'a', height: 1 },
    { peer: 'a', height: 2 },
  ]);
});
