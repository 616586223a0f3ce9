import { describe, expect, test } from 'vitest';
import { Cluster, picker } from './harness/cluster.ts';
import { testNet } from './harness/net.ts';

const net = testNet([10n, 10n, 10n, 10n]);

describe('four honest nodes', () => {
  test('agree on five heights whatever the order of deliveries', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const cluster = new Cluster(net, [0, 1, 2, 3]);
      expect(cluster.run(5, picker(seed), 20_000), `seed ${seed}`).toBe(true);
      expect(cluster.fork(), `seed ${seed}`).toBeUndefined();
      expect(cluster.nodes.flatMap((node) => node.punished)).toEqual([]);
      expect(cluster.nodes.flatMap((node) => node.conflicts)).toEqual([]);
    }
  });

  test('go on when one of them is missing', () => {
    const cluster = new Cluster(net, [0, 1, 3]);
    expect(cluster.run(4, picker(7), 20_000)).toBe(true);
    expect(cluster.fork()).toBeUndefined();
  });
});

describe('crash at every boundary', () => {
  test('a node cut at any point of two heights comes back, signs nothing twice, and the chain goes on', () => {
    const whole = new Cluster(net, [0, 1, 2, 3]);
    const before = whole.nodes[0]?.boundaries ?? 0;
    expect(whole.run(2, picker(3), 20_000)).toBe(true);
    const boundaries = (whole.nodes[0]?.boundaries ?? 0) - before;
    expect(boundaries).toBeGreaterThan(50);
    for (let at = 1; at <= boundaries; at++) {
      const cluster = new Cluster(net, [0, 1, 2, 3]);
      const [victim] = cluster.nodes;
      if (victim !== undefined) victim.fuse = victim.boundaries + at;
      expect(cluster.run(2, picker(3), 20_000), `boundary ${at}`).toBe(true);
      expect(cluster.fork(), `boundary ${at}`).toBeUndefined();
      expect(victim?.lives, `boundary ${at}`).toBe(2);
    }
  });

  test('every node cut again and again, at random points', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const pick = picker(seed * 7919);
      const cluster = new Cluster(net, [0, 1, 2, 3]);
      cluster.adversary = () => {
        for (const node of cluster.nodes)
          if (node.fuse === undefined && node.lives < 12) node.fuse = node.boundaries + 5 + pick(60);
        return [];
      };
      expect(cluster.run(4, pick, 40_000), `seed ${seed}`).toBe(true);
      expect(cluster.fork(), `seed ${seed}`).toBeUndefined();
      expect(
        cluster.nodes.flatMap((node) => node.conflicts),
        `seed ${seed}`,
      ).toEqual([]);
      expect(
        cluster.nodes.reduce((sum, node) => sum + node.lives, 0),
        `seed ${seed}`,
      ).toBeGreaterThan(8);
    }
  });
});
