import { describe, expect, test } from 'vitest';
import { deriveSecret, ethHdPath, mnemonicToSeed } from '../../core/crypto/hd.ts';
import { DEV_SECRETS } from '../../sim/cluster.ts';
import type { ScenarioReport } from '../../sim/report.ts';
import { type RunOptions, runScenario } from '../../sim/run.ts';
import { parseScenario } from '../../sim/scenario/parse.ts';
import { varied } from '../../sim/search/vary.ts';
import { scenarioText } from '../support/scenarios.ts';

async function run(text: string, options: RunOptions = {}): Promise<ScenarioReport> {
  const result = await runScenario(text, { crypto: 'keyed-hash', ...options });
  if (!result.ok) throw new Error(`${result.error.line}:${result.error.column} ${result.error.message}`);
  return result.value;
}

/** Nodes that have other headers for their readers than they have decided. */
const forgetful: RunOptions['nodes'] = (real) => async (env) => {
  const node = await real(env);
  const chain = node.rpc?.chain;
  if (chain === undefined) return node;
  const blockMeta: typeof chain.blockMeta = (height) => {
    const meta = chain.blockMeta(height);
    return meta === undefined
      ? undefined
      : { ...meta, header: { ...meta.header, appHash: new Uint8Array(32) } };
  };
  const other = new Proxy(chain, {
    get: (target, key) => {
      if (key === 'blockMeta') return blockMeta;
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...node, rpc: Object.create(node.rpc ?? null, { chain: { value: other, enumerable: true } }) };
};

describe('a wallet', () => {
  test('counts heights from what the chain has, also where its node is behind', async () => {
    const text = `name: x
nodes: {full0: {}}
network: {rate: 15kB/s}
clients: [{name: alice, kind: evm, at: full0, rate: 8/s}]
timeline: [{at: 3s, do: {crash: full0}, for: 7s}]
expect: [{receipt: {for: alice, at_least: 20, included_within: 5 heights}}]
until: {time: 16s}
`;
    expect((await run(text)).failures).toEqual([]);
  });
});

describe('a light client', () => {
  test('that is shown a wrong header by a correct node says so', async () => {
    const text = 'name: x\nclients: [{name: p, kind: light, at: v0}]\nuntil: {height: 4}\n';
    expect((await run(text)).failures).toEqual([]);
    const checkers = (await run(text, { nodes: forgetful })).failures.map(({ checker }) => checker);
    expect(checkers).toContain('light');
  });

  test('accepts a forged block when its only witness is Byzantine', async () => {
    const alone = scenarioText('light-attack-shown').replace('witnesses: [v0, v1]', 'witnesses: [v3]');
    const { failures, stats } = await run(alone.replace(/expect:[\s\S]*?(?=until)/, ''));
    expect([failures, stats.evidence]).toEqual([[], 0]);
  });
});

describe('keys that a seed varies', () => {
  const text = scenarioText('torn-wal');

  test('are the same for the same seed, and give a scenario without a search', () => {
    const texts = Array.from({ length: 20 }, (_, seed) => varied(text, String(seed)));
    expect(new Set(texts).size).toBeGreaterThan(10);
    expect(varied(text, '7')).toBe(texts[7]);
    for (const one of texts) {
      const parsed = parseScenario(one);
      expect(parsed.ok && parsed.value.swarm).toBeUndefined();
    }
  });

  test('keep repetitions of an entry apart', () => {
    const often = `name: x
timeline: [{every: 1ms, times: 3, do: heal}]
search: {swarm: {runs: 9, vary: [every]}}
until: {height: 2}
`;
    for (let seed = 0; seed < 20; seed++) expect(parseScenario(varied(often, String(seed))).ok).toBe(true);
    const once = `name: x
timeline: [{height: 3, times: 1, do: {pause: v0}, for: 1s}]
search: {swarm: {runs: 9, vary: [times, for]}}
until: {height: 5}
`;
    for (let seed = 0; seed < 20; seed++) expect(parseScenario(varied(once, String(seed))).ok).toBe(true);
  });

  test('are unchanged in a scenario without a search', () => {
    const plain = scenarioText('four-honest');
    expect(varied(plain, '3')).toBe(plain);
  });
});

test('the accounts are those that every development chain has', () => {
  const words = `${'test '.repeat(11)}junk`;
  const derived = DEV_SECRETS.map((_, i) => deriveSecret(mnemonicToSeed(words), ethHdPath(0, i)));
  expect(derived.map((one) => one.ok && one.value)).toEqual(DEV_SECRETS);
});
