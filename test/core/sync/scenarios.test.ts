import { describe, expect, test } from 'vitest';
import { runUnasked } from '../../support/runUnasked.ts';
import { scenarioText } from '../../support/scenarios.ts';

interface Line {
  readonly t: number;
  readonly kind: string;
  readonly node?: string;
  readonly from?: string;
  readonly msg?: string;
  readonly text?: string;
}

/** A shipped scenario, and what its trace says of block sync. */
async function run(name: string, seed?: string) {
  const text = scenarioText(name);
  const lines: Line[] = [];
  const trace = (line: string): void => void lines.push(JSON.parse(line));
  const ran = await runUnasked(text, { seed, crypto: 'keyed-hash', trace });
  if (!ran.ok) throw new Error(ran.error.message);
  // Status messages and requests are of a few bytes.
  const isBlock = (line: Line): boolean => Number(/^blocksync (\d+)$/.exec(line.msg ?? '')?.[1] ?? 0) > 100;
  return {
    report: ran.value,
    blocks: lines.filter((line) => line.kind === 'frame' && isBlock(line)),
    drops: lines.filter((line) => line.kind === 'drop').map(({ node, text: why }) => `${node} ${why}`),
  };
}

describe('in the simulator, with block sync', () => {
  test('a node that joins late and one with a new disk are served blocks and take part again', async () => {
    for (const [name, node] of [
      ['late-join-syncs', 'v3'],
      ['wiped-node-syncs', 'v2'],
    ] as const) {
      const { report, blocks, drops } = await run(name);
      expect(report.failures).toEqual([]);
      expect(blocks.length).toBeGreaterThan(5);
      expect(new Set(blocks.map((line) => line.node))).toEqual(new Set([node]));
      expect(drops).toEqual([]);
    }
  });
});

describe('a peer that serves', () => {
  test.each([
    ['sync-liar-block', /^v3 v2: blocksync: blocks \d+ and \d+ do not fit/],
    ['sync-liar-commit', /^v3 v2: blocksync: blocks \d+ and \d+ do not fit: commit-block-id/],
    ['sync-liar-none', /^v3 v2: blocksync: has no block \d+, against its own status/],
  ])('lies is found out and dropped, and nobody else is (%s)', async (name, reason) => {
    const { report, blocks, drops } = await run(name);
    expect(report.failures).toEqual([]);
    expect(drops.length).toBeGreaterThan(0);
    for (const drop of drops) expect(drop).toMatch(reason);
    expect(blocks.some(({ from }) => from !== 'v2')).toBe(true);
  });

  test('nothing holds nobody up', async () => {
    const { report, blocks } = await run('sync-liar-silence');
    expect(report.failures).toEqual([]);
    expect(blocks.length).toBeGreaterThan(5);
    expect(blocks.every(({ from }) => from !== 'v2')).toBe(true);
  });
});
