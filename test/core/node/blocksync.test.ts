import { describe, expect, test } from 'vitest';
import { present } from '../../../core/lib/assert.ts';
import { runSyncing } from './syncingNodes.ts';

const FOUR = [10, 10, 10, 10];

const LATE = `
# A validator with an empty disk joins late; a correct node catches up.
name: late-join
validators: {count: 4}
timeline:
  - {at: 1s, do: {crash: v3}}
  - {at: 40s, do: {restart: v3}}
expect:
  - {liveness: {heights: 32, within: 300s}}
until: {height: 32}
`;

const CRASHES = `
# A node that is syncing loses power again and again; a correct node goes on from what it has stored.
name: crash-while-syncing
validators: {count: 4}
timeline:
  - {at: 1s, do: {crash: v3}}
  - {at: 30s, do: {restart: v3}}
  - {at: 30700ms, do: {crash: v3, power_loss: hostile}}
  - {at: 31s, do: {restart: v3}}
  - {at: 31550ms, do: {crash: v3, power_loss: hostile}}
  - {at: 32s, do: {restart: v3}}
  - {at: 32620ms, do: {crash: v3, power_loss: hostile}}
  - {at: 33s, do: {restart: v3}}
expect:
  - no_self_equivocation
  - app_hash
  - {liveness: {heights: 28, within: 300s}}
until: {height: 28}
`;

const ALL = `
# Everyone restarts at once; correct nodes find that nobody is ahead and go on.
name: all-restart
validators: {count: 4}
timeline:
  - {at: 10s, do: {crash: all, power_loss: hostile}}
  - {at: 12s, do: {restart: all}}
expect:
  - no_self_equivocation
  - {liveness: {heights: 20, within: 200s}}
until: {height: 20}
`;

describe('a whole node with block sync', () => {
  test('catches up by block sync when it comes late, then takes part again', async () => {
    const { report, lives } = await runSyncing(LATE, FOUR);
    expect(report.failures).toEqual([]);
    const last = present(lives.at(-1), 'the second life of v3');
    expect(last.name).toBe('v3');
    expect(last.synced.length).toBeGreaterThan(10);
    expect(last.node.rpc.catchingUp()).toBe(false);
    expect(report.nodes.map(({ height }) => height)).toEqual([32, 32, 32, 32]);
  });

  test('continues from the last stored block after a crash while syncing', async () => {
    for (const seed of ['1', '2']) {
      const { report, lives } = await runSyncing(CRASHES, FOUR, { seed });
      expect(report.failures).toEqual([]);
      const synced = lives.filter(({ name }) => name === 'v3').flatMap((life) => life.synced);
      expect(new Set(synced).size).toBe(synced.length);
    }
  });

  test('starts consensus soon when every node restarts at once', async () => {
    const { report } = await runSyncing(ALL, FOUR);
    expect(report.failures).toEqual([]);
  });

  test('the same seed gives the same run', async () => {
    const [a, b] = [await runSyncing(LATE, FOUR), await runSyncing(LATE, FOUR)];
    expect(a.report.digest).toBe(b.report.digest);
  });
});
