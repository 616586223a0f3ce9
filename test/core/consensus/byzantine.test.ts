import { expect, test } from 'vitest';
import { findByAddress } from '../../../core/types/validator.ts';
import { liar } from './harness/byzantine.ts';
import { Cluster, picker } from './harness/cluster.ts';
import { testNet } from './harness/net.ts';

const net = testNet([10n, 10n, 10n, 10n]);

test('one Byzantine validator of four: the others agree, decide, and accuse only it', () => {
  let conflicts = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const pick = picker(seed * 104729);
    const self = seed % 4;
    const honest = [0, 1, 2, 3].filter((index) => index !== self);
    const cluster = new Cluster(net, honest);
    cluster.adversary = liar(cluster, net, self, pick);
    expect(cluster.run(1, pick, 60_000), `seed ${seed}`).toBe(true);
    expect(cluster.fork(), `seed ${seed}`).toBeUndefined();
    for (const node of cluster.nodes) {
      for (const { voteA } of node.conflicts) {
        expect(findByAddress(net.state.validators, voteA.validatorAddress)?.index, `seed ${seed}`).toBe(self);
        conflicts++;
      }
      for (const text of node.punished) expect(text, `seed ${seed}`).toMatch(/^liar/);
    }
  }
  expect(conflicts).toBeGreaterThan(0);
});

test('one liar of four, and honest nodes that crash: still one chain, nothing signed twice', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const pick = picker(seed * 15485863);
    const cluster = new Cluster(net, [0, 1, 2]);
    const lie = liar(cluster, net, 3, pick);
    cluster.adversary = () => {
      for (const node of cluster.nodes) {
        if (node.fuse === undefined && node.lives < 8) node.fuse = node.boundaries + 5 + pick(80);
      }
      return lie();
    };
    expect(cluster.run(1, pick, 80_000), `seed ${seed}`).toBe(true);
    expect(cluster.fork(), `seed ${seed}`).toBeUndefined();
  }
});
