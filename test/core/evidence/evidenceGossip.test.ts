import { describe, expect, test } from 'vitest';
import { decodeEvidenceMessage } from '../../../core/codec/messages.ts';
import { nextState } from '../../../core/consensus/chainState.ts';
import { EvidenceGossip } from '../../../core/evidence/evidenceGossip.ts';
import { duplicateVoteEvidence, EvidencePool } from '../../../core/evidence/pool.ts';
import { type Sizes, USUAL_SIZES } from '../../../core/lib/sizes.ts';
import { commitRules } from '../../../core/node/commitRules.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import { smallSizes } from '../../../sim/machine/smallSizes.ts';
import { keyedSuite, makeTestBlock, NOW, signedVote, testNet } from '../consensus/harness/net.ts';

const net = testNet([10n, 20n, 30n, 40n]);
const a = makeTestBlock(net, net.state, 0, []);
const b = makeTestBlock(net, net.state, 0, [Uint8Array.of(1)]);
const after = nextState(net.state, a.blockId, a.block, {
  txResults: [],
  events: [],
  validatorUpdates: [],
  paramUpdates: undefined,
  appHash: new Uint8Array(32),
});
if (!after.ok) throw new Error(after.error.code);
const state = after.value;

function setUp(sizes: Sizes = USUAL_SIZES) {
  const pool = new EvidencePool({
    suite: keyedSuite,
    state,
    validatorsAt: () => net.state.validators,
    blockTimeAt: (height) => (height === 1 ? a.block.header.time : undefined),
    headerAt: () => undefined,
    commitAt: () => undefined,
    has: () => false,
    commits: commitRules(keyedSuite),
  });
  const heights = new Map<string, number>();
  const gossip = new EvidenceGossip({ pool, peerHeight: (peer) => heights.get(peer) ?? 0, sizes });
  const sent: { readonly to: readonly string[]; readonly list: readonly Evidence[] }[] = [];
  const timers: number[] = [];
  const out = {
    send: (to: readonly string[], _evidence: Evidence, bytes: Uint8Array) => {
      const decoded = decodeEvidenceMessage(bytes);
      if (!decoded.ok) throw new Error(decoded.error.message);
      sent.push({ to, list: decoded.value });
    },
    tickAfter: (ms: number) => timers.push(ms),
  };
  return { pool, gossip, heights, sent, timers, out };
}

const evidenceOf = (index: number, round = 0): Evidence => {
  const vote = (made: typeof a) => signedVote(net, index, 'prevote', 1, round, made.blockId);
  const conflict = { voteA: vote(a), voteB: vote(b) };
  return duplicateVoteEvidence(conflict, net.state.validators, a.block.header.time);
};
const SECOND = 1_000_000;

describe('gossip of evidence', () => {
  test('new evidence is sent at once, one piece a message, to peers that have its block', () => {
    const { pool, gossip, heights, sent, timers, out } = setUp();
    for (const peer of ['near', 'behind', 'unknown']) gossip.onPeerUp(peer);
    heights.set('near', 2).set('behind', 1);
    gossip.flush(NOW, out);
    expect(timers).toEqual([]);
    for (const index of [0, 1]) expect(pool.add(evidenceOf(index))).toEqual({ ok: true, value: 'added' });
    gossip.flush(NOW, out);
    expect(sent.map(({ to, list }) => [to, list.length])).toEqual([
      [['near'], 1],
      [['near'], 1],
    ]);
    expect(timers).toEqual([1000]);
  });

  test('a peer that has caught up gets it at the next tick, and every peer again after 10 s', () => {
    const { pool, gossip, heights, sent, out } = setUp();
    for (const peer of ['a', 'b']) gossip.onPeerUp(peer);
    heights.set('a', 2).set('b', 1);
    pool.add(evidenceOf(2));
    gossip.flush(NOW, out);
    heights.set('b', 2);
    gossip.onTick(NOW + SECOND, out);
    gossip.onTick(NOW + 2 * SECOND, out);
    expect(sent.map(({ to }) => to)).toEqual([['a'], ['b']]);
    gossip.onTick(NOW + 10 * SECOND, out);
    expect(sent.map(({ to }) => to)).toEqual([['a'], ['b'], ['a']]);
  });

  test('a peer at the last height that may include it gets it, and no peer beyond', () => {
    const { pool, gossip, heights, sent, out } = setUp();
    for (const peer of ['in time', 'too late']) gossip.onPeerUp(peer);
    const last = 1 + state.params.evidence.maxAgeNumBlocks + 1;
    heights.set('in time', last).set('too late', last + 1);
    pool.add(evidenceOf(2));
    gossip.flush(NOW, out);
    expect(sent.map(({ to }) => to)).toEqual([['in time']]);
  });

  test('committed evidence is no longer sent, and the ticks end', () => {
    const { pool, gossip, heights, sent, timers, out } = setUp();
    gossip.onPeerUp('a');
    heights.set('a', 2);
    const evidence = evidenceOf(3);
    pool.add(evidence);
    gossip.flush(NOW, out);
    const block = { ...a.block, evidence: [evidence] };
    pool.commitOps(block);
    pool.onCommitted(block, state);
    gossip.onTick(NOW + 20 * SECOND, out);
    expect(sent).toHaveLength(1);
    expect(timers).toHaveLength(1);
  });

  test('a peer that connects later gets it too', () => {
    const { pool, gossip, heights, sent, out } = setUp();
    pool.add(evidenceOf(0));
    gossip.flush(NOW, out);
    heights.set('late', 5);
    gossip.onPeerUp('late');
    gossip.flush(NOW, out);
    expect(sent.map(({ to }) => to)).toEqual([['late']]);
  });

  test('pending evidence is not sent to a peer that sent it', () => {
    const { pool, gossip, heights, sent, out } = setUp();
    for (const peer of ['a', 'b']) gossip.onPeerUp(peer);
    heights.set('a', 1).set('b', 1);
    pool.add(evidenceOf(2));
    gossip.flush(NOW, out);
    heights.set('a', 2).set('b', 2);
    const again = evidenceOf(2);
    expect(pool.add(again)).toEqual({ ok: true, value: 'known' });
    gossip.noteFrom('a', again, NOW);
    gossip.onTick(NOW + SECOND, out);
    expect(sent.map(({ to }) => to)).toEqual([['b']]);
  });

  test('all pieces are sent, even if earlier ones are repeated meanwhile', () => {
    const { pool, gossip, heights, sent, out } = setUp(smallSizes(1));
    gossip.onPeerUp('a');
    heights.set('a', 2);
    for (const index of [0, 1, 2, 3]) for (const round of [0, 1, 2, 3]) pool.add(evidenceOf(index, round));
    gossip.flush(NOW, out);
    for (let second = 1; second < 16; second++) gossip.onTick(NOW + second * SECOND, out);
    const told = sent.map(({ list }) =>
      JSON.stringify(list, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    );
    expect(new Set(told).size).toBe(16);
  });
});
