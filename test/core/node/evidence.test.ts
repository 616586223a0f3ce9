import { expect, test } from 'vitest';
import { runSyncing } from './syncingNodes.ts';

const FOUR = [10, 10, 10, 10];

const TOLD = `
# v3 shows its two prevotes to v0 alone. A correct node tells the others of the evidence.
name: told
validators: {count: 4}
byzantine:
  - {who: v3, behaviour: double-prevote, when: {height: 3}, to: [v0]}
expect:
  - {evidence: {against: [v3], within_heights: 4, exactly: 1}}
until: {height: 10}
`;

const RESTART = `
# The only witness loses power right after it has seen the offence. A correct node finds the pair in its log again.
name: restart
validators: {count: 4}
byzantine:
  - {who: v3, behaviour: double-prevote, when: {height: 3}, to: [v0]}
timeline:
  - {when: {height: 3, round: 0, step: commit}, on: v0, do: {crash: v0, power_loss: hostile}}
  - {after: {event: crashed(v0)}, at: 6s, do: {restart: v0}}
expect:
  - {evidence: {against: [v3], within_heights: 16, exactly: 1}}
until: {height: 20}
`;

test('evidence that one node found reaches the pools of the others', async () => {
  const { report, lives } = await runSyncing(TOLD, FOUR);
  expect(report.failures).toEqual([]);
  for (const name of ['v0', 'v1', 'v2']) {
    expect(lives.find((life) => life.name === name)?.accused).toEqual([3]);
  }
});

test('a witness that restarts behind the others still accuses, although it syncs past the height', async () => {
  for (const seed of ['1', '2', '3']) {
    const { report, lives } = await runSyncing(RESTART, FOUR, { seed });
    expect(report.failures).toEqual([]);
    expect(lives.filter(({ name }) => name === 'v0')).toHaveLength(2);
  }
});
