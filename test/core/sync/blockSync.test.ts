import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commitHash, dataHash } from '../../../core/codec/hashes.ts';
import { present } from '../../../core/lib/assert.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import type { SyncOut } from '../../../core/sync/contract.ts';
import { BlockServer } from '../../../core/sync/server.ts';
import type { Block } from '../../../core/types/block.ts';
import type { BlocksyncMessage } from '../../../core/types/messages.ts';
import { testNet } from '../consensus/harness/net.ts';
import { blockAt, honest, makeChain, net, type Peer, SyncNet, status } from './syncNet.ts';

const CHAIN = makeChain(40);
const hashes = (made: readonly { readonly blockId: { readonly hash: Uint8Array } }[]): string[] =>
  made.map(({ blockId }) => toHex(blockId.hash));
const EXPECTED = hashes(CHAIN.map(({ made }) => made));

/** Another block of the same height, whole in itself: nobody has signed it. */
function forged({ header, ...rest }: Block): Block {
  const txs = [Uint8Array.of(1, 2, 3)];
  return { ...rest, txs, header: { ...header, dataHash: dataHash(txs) } };
}

/** The right block with one signature of its last commit altered; whole in itself. */
function badCommit(block: Block): Block {
  const { lastCommit, header } = block;
  const signatures = lastCommit.signatures.map((one, i) =>
    i === 3 && one.flag === 'commit' ? { ...one, signature: new Uint8Array(64).fill(7) } : one,
  );
  const commit = { ...lastCommit, signatures };
  return { ...block, lastCommit: commit, header: { ...header, lastCommitHash: commitHash(commit) } };
}

const tampering =
  (change: (block: Block) => Block, heights: (height: number) => boolean = () => true): Peer =>
  (message) => {
    const answers = honest(CHAIN, CHAIN.length, 5)(message);
    return answers.map(([ms, answer]) =>
      answer.kind === 'blockResponse' && heights(answer.block.header.height)
        ? [ms, { kind: 'blockResponse', block: change(answer.block) }]
        : [ms, answer],
    );
  };

function synced(peers: Readonly<Record<string, Peer>>, seconds = 120): SyncNet {
  const world = new SyncNet();
  for (const [name, peer] of Object.entries(peers)) world.connect(name, peer);
  world.start();
  world.run(seconds);
  return world;
}

describe('catching up', () => {
  test('stores every block but the newest, which consensus fetches, and hands over the state after them', () => {
    const world = synced({ a: honest(CHAIN, 40) });
    expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, 39));
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
    expect(world.handedOver?.lastCommit?.height).toBe(39);
    expect(world.dropped).toEqual([]);
  });

  test('asks several peers at once, at most 20 blocks of each at a time', () => {
    const world = new SyncNet();
    for (const name of ['a', 'b']) world.connect(name, honest(CHAIN, 40, 1000));
    world.start();
    world.run(1.5);
    for (const name of ['a', 'b']) {
      expect(world.asked.filter(({ peer }) => peer === name)).toHaveLength(20);
    }
    world.run(20);
    expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, 39));
  });

  test('never requests more from a peer than its allowance, however fast blocks arrive', () => {
    const chain = makeChain(600);
    const world = new SyncNet({ appMs: 0 });
    const started = world.now;
    const server = new BlockServer({
      head: () => chain.length,
      base: () => 1,
      block: (height) => chain[height - 1]?.made.block,
    });
    const answers: BlocksyncMessage[] = [];
    const out = {
      send: (_to: unknown, message: BlocksyncMessage) => answers.push(message),
      drop: (_peer: string, reason: string) => world.dropped.push(reason),
    } as unknown as SyncOut;
    server.onPeerUp('us', started, out);
    world.connect('a', (message) => {
      if (message.kind !== 'blockRequest' && message.kind !== 'statusRequest') return [];
      server.onRequest('us', world.now, message, out);
      return answers.splice(0).map((answer) => [0, answer]);
    });
    world.start();
    world.run(1);
    expect(world.dropped).toEqual([]);
    expect(world.stored).toHaveLength(599);
  });

  test('goes straight to consensus when its peers are no further', () => {
    const world = synced({ a: honest(CHAIN, 0), b: honest(CHAIN, 1) });
    expect(world.handedOver?.state.lastBlockHeight).toBe(0);
    expect(world.stored).toEqual([]);
  });

  test('catches up with a chain that grows while answers travel', () => {
    const chain = makeChain(120);
    const world = new SyncNet();
    const start = world.now;
    const height = (): number => 20 + Math.floor((world.now - start) / 100_000);
    world.connect('a', (message) => honest(chain, height(), 700)(message));
    world.start();
    world.run(9);
    expect(world.handedOver?.state.lastBlockHeight).toBeGreaterThan(10);
    expect(world.dropped).toEqual([]);
  });

  test('waits without limit for its first peer', () => {
    const world = new SyncNet();
    world.start();
    world.run(3600);
    expect(world.handedOver).toBeUndefined();
    world.connect('a', honest(CHAIN, 10));
    world.run(10);
    expect(world.handedOver?.state.lastBlockHeight).toBe(9);
  });

  test('does not wait when it is the only validator, or switched off', () => {
    const off = new SyncNet({ enabled: false });
    off.start();
    expect(off.sync.active).toBe(false);
    const alone = testNet([10n]);
    const lone = new SyncNet({ net: alone, self: present(alone.keys[0], 'a key').address });
    lone.start();
    expect(lone.handedOver?.state.lastBlockHeight).toBe(0);
  });

  test('a validator with more than a third of the power does not wait for absent peers', () => {
    const three = testNet([10n, 10n, 10n]);
    const world = new SyncNet({ net: three, self: present(three.keys[0], 'a key').address });
    world.start();
    world.run(60);
    expect(world.handedOver?.state.lastBlockHeight).toBe(0);
    // A quarter of the power is not enough to stop the others.
    const quarter = new SyncNet({ self: present(net.keys[0], 'a key').address });
    quarter.start();
    quarter.run(60);
    expect(quarter.handedOver).toBeUndefined();
  });

  test('starts consensus when connected peers never say how high they are', () => {
    const world = synced({ mute: () => [] });
    expect(world.handedOver?.state.lastBlockHeight).toBe(0);
  });

  test('does not hand over to consensus while the application executes a block, even if peers disconnect', () => {
    const world = new SyncNet({ appMs: 20_000 });
    world.connect('a', honest(CHAIN, 40));
    world.connect('b', () => []);
    world.start();
    world.run(5);
    world.disconnect('a');
    world.run(30);
    expect(world.handedOver).toBeUndefined();
    world.run(30);
    expect(world.stored).toHaveLength(1);
    expect(world.handedOver?.state.lastBlockHeight).toBe(1);
  });

  test('continues with the other peers when one disconnects', () => {
    const world = new SyncNet();
    world.connect('a', honest(CHAIN, 40, 100));
    world.connect('b', honest(CHAIN, 40, 100));
    world.start();
    world.run(0.15);
    world.disconnect('a');
    world.run(30);
    expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, 39));
  });
});

describe('peers that lie', () => {
  test('a block nobody signed is never stored, and only its sender is dropped', () => {
    const world = synced({ good: honest(CHAIN, 40), evil: tampering(forged) });
    expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, 39));
    expect(world.dropped.map((line) => line.split(':')[0])).toEqual(['evil']);
  });

  test('a correct block with a wrong commit inside gets only its sender dropped', () => {
    const world = synced({ evil: tampering(badCommit), good: honest(CHAIN, 40) });
    expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, 39));
    expect(world.dropped.map((line) => line.split(':')[0])).toEqual(['evil']);
  });

  test('one bad block among many good ones still names the liar', () => {
    const world = synced({
      a: honest(CHAIN, 40),
      b: tampering(forged, (height) => height === 22),
      c: honest(CHAIN, 40),
    });
    expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, 39));
    expect(world.dropped.filter((line) => !line.startsWith('b:'))).toEqual([]);
  });

  test('a peer that lowers its height is dropped (ASA-2025-001)', () => {
    const world = new SyncNet();
    world.connect('a', honest(CHAIN, 40, 5000));
    world.start();
    world.receive('a', status(40));
    world.receive('a', status(39));
    expect(world.dropped).toEqual(['a: blocksync: height lowered from 40 to 39']);
  });

  test('a peer that denies blocks within its claim is dropped, and the sync ends at the height of the others', () => {
    const boaster: Peer = (message) =>
      message.kind === 'statusRequest' ? [[5, status(1_000_000)]] : honest(CHAIN, 0)(message);
    const world = synced({ boaster, good: honest(CHAIN, 40) });
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
    expect(world.dropped.map((line) => line.split(':')[0])).toEqual(['boaster']);
  });

  test('a peer that takes requests and never answers is dropped after 15 s', () => {
    const silent: Peer = (message) => (message.kind === 'statusRequest' ? [[5, status(1_000_000)]] : []);
    const world = synced({ good: honest(CHAIN, 40), silent });
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
    expect(world.dropped).toEqual(['silent: blocksync: no block for 15 s']);
  });

  test('the only peer, silent for a while, is asked again when it comes back', () => {
    let isSilent = true;
    const only: Peer = (message) =>
      isSilent && message.kind === 'blockRequest' ? [] : honest(CHAIN, 40)(message);
    const world = new SyncNet();
    world.connect('only', only);
    world.start();
    world.run(16);
    expect(world.dropped).toEqual(['only: blocksync: no block for 15 s']);
    isSilent = false;
    world.connect('only', only);
    world.run(10);
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
  });

  test('the only peer, whose drive was damaged for a while, is asked again a minute later', () => {
    let isDamaged = true;
    const only: Peer = (message) => (isDamaged ? tampering(forged) : honest(CHAIN, 40))(message);
    const world = new SyncNet();
    world.connect('only', only);
    world.start();
    world.run(1);
    expect(world.dropped).toHaveLength(1);
    isDamaged = false;
    world.connect('only', only);
    world.run(58);
    expect(world.stored).toEqual([]);
    world.run(5);
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
  });

  test('the claim of a peer that was given up does not delay consensus', () => {
    const silent: Peer = (message) => (message.kind === 'statusRequest' ? [[5, status(1_000_000)]] : []);
    const world = new SyncNet();
    world.connect('silent', silent);
    world.start();
    world.run(16);
    expect(world.dropped).toEqual(['silent: blocksync: no block for 15 s']);
    world.connect('silent', silent);
    world.connect('good', honest(CHAIN, 40));
    world.run(8);
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
  });

  test('a peer that delays every block does not slow down the sync', () => {
    const world = synced({ drip: honest(CHAIN, 40, 9000), good: honest(CHAIN, 40) }, 12);
    expect(world.handedOver?.state.lastBlockHeight).toBe(39);
  });

  test('the sender of a block that was not requested is dropped', () => {
    const world = new SyncNet();
    world.connect('a', honest(CHAIN, 3));
    world.start();
    world.receive('a', { kind: 'blockResponse', block: blockAt(CHAIN, 30).block });
    expect(world.dropped).toEqual(['a: blocksync: block 30 was not asked for']);
  });

  test('a peer that has pruned what we need is not waited for, and the operator is told', () => {
    const pruned: Peer = (message) =>
      message.kind === 'statusRequest' ? [[5, status(1000, 900)]] : honest(CHAIN, 0)(message);
    const world = synced({ pruned });
    expect(world.handedOver?.state.lastBlockHeight).toBe(0);
    expect(world.notes.join()).toMatch('no longer has block 1');
  });

  test('a peer that has pruned meanwhile is not asked for pruned blocks', () => {
    const world = new SyncNet();
    world.connect('a', () => []);
    world.start();
    world.receive('a', status(5));
    expect(world.asked.map(({ height }) => height)).toEqual([1, 2, 3, 4, 5]);
    world.receive('a', status(60, 30));
    world.connect('b', () => []);
    world.receive('b', status(60));
    const later = world.asked.slice(5).filter(({ peer }) => peer === 'a');
    expect(later.map(({ height }) => height).filter((height) => height < 30)).toEqual([]);
    expect(world.dropped).toEqual([]);
  });
});

test('an honest chain that is invalid here halts the node instead of blaming its peers', () => {
  const world = new SyncNet({ salt: 'another application' });
  world.connect('a', honest(CHAIN, 40));
  world.start();
  world.run(10);
  expect(world.halted).toMatch(/^height 2: .*invalid here: app_hash/);
  expect(world.dropped).toEqual([]);
});

/** Bad peers of every kind, that come back whenever they are dropped. */
const KINDS: readonly ((seed: number) => Peer)[] = [
  () => tampering(forged),
  () => tampering(badCommit),
  (seed) => tampering(forged, (height) => (height * 7 + seed) % 5 === 0),
  (seed) => tampering(badCommit, (height) => (height * 3 + seed) % 7 === 0),
  () => (message) => (message.kind === 'statusRequest' ? [[5, status(500)]] : []),
  () => (message) => (message.kind === 'statusRequest' ? [[5, status(500)]] : honest(CHAIN, 0)(message)),
  () => honest(CHAIN, 40, 4000),
  (seed) => {
    let height = 60 + seed;
    return (message) =>
      message.kind === 'statusRequest' ? [[5, status(height--)]] : honest(CHAIN, 40)(message);
  },
  () => () => [],
  (seed) => honest(CHAIN, seed % 40),
];

test('with any bad peers, only blocks of the chain are stored, and one honest peer suffices to finish', () => {
  const peers = fc.array(fc.record({ kind: fc.nat(KINDS.length - 1), seed: fc.nat(9) }), { maxLength: 6 });
  fc.assert(
    fc.property(peers, fc.nat(6), (bad, place) => {
      const world = new SyncNet();
      const all: (readonly [string, Peer])[] = bad.map(({ kind, seed }, i) => [
        `bad${i}`,
        present(KINDS[kind], 'a kind')(seed),
      ]);
      all.splice(Math.min(place, all.length), 0, [`${place}good`, honest(CHAIN, 40, 30)]);
      for (const [name, peer] of all) world.connect(name, peer);
      world.start();
      for (let i = 0; i < 60 && world.handedOver === undefined; i++) {
        world.run(5);
        for (const [name, peer] of all) if (!world.isConnected(name)) world.connect(name, peer);
      }
      expect(hashes(world.stored)).toEqual(EXPECTED.slice(0, world.stored.length));
      expect(world.halted).toBeUndefined();
      expect(world.dropped.filter((line) => line.includes('good'))).toEqual([]);
      expect(world.handedOver?.state.lastBlockHeight).toBe(39);
    }),
    { numRuns: 60 },
  );
});
