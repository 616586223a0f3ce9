/**
 * How fast the simulator is, on one core: virtual seconds per wall second of clusters with a block a second, and cases of
 * a twins search. Four validators run once with real ed25519 (each signature verified once for the whole cluster), else
 * with keyed hashes instead of signatures. `npm run bench -- sim NAME` measures one of them.
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { acceleratedSuite } from '../adapters/crypto/accelerated.ts';
import { type RunOptions, runScenario } from '../sim/run.ts';
import { parseScenario } from '../sim/scenario/parse.ts';
import { docText, readDoc } from '../sim/shrink/document.ts';
import { TwinsSpace, twinsDocument } from '../sim/twins/space.ts';
import type { Print } from './figure.ts';

interface Measured {
  readonly name: string;
  readonly crypto: 'ed25519' | 'keyed-hash';
  /** Virtual seconds: of a run that is not counted, and of the one that is. */
  readonly warmup: number;
  readonly seconds: number;
  readonly goal: number;
  /** Of the scenario, without its name and its end. */
  readonly lines: string;
}

/** A hundred payments and twenty calls of a token a second. */
const BUSY = `
validators: {count: 4}
clients:
  - {name: alice, kind: evm, at: v0, rate: 50/s, script: transfers, args: {accounts: 40, count: 100000}}
  - {name: bank, kind: bank, at: v1, rate: 50/s, args: {accounts: 40, count: 100000}}
  - {name: carol, kind: evm, at: v2, rate: 20/s, script: erc20-churn, args: {accounts: 20}}
`;

const CLUSTERS: readonly Measured[] = [
  {
    name: 'ed25519',
    crypto: 'ed25519',
    warmup: 600,
    seconds: 600,
    goal: 600,
    lines: 'validators: {count: 4}',
  },
  {
    name: 'keyed-hash',
    crypto: 'keyed-hash',
    warmup: 600,
    seconds: 600,
    goal: 2000,
    lines: 'validators: {count: 4}',
  },
  { name: 'busy', crypto: 'keyed-hash', warmup: 10, seconds: 40, goal: 20, lines: BUSY },
  {
    name: 'hundred',
    crypto: 'keyed-hash',
    warmup: 4,
    seconds: 20,
    goal: 5,
    lines: 'validators: {count: 100}',
  },
];

const TWINS = {
  name: 'twins',
  file: 'scenarios/twins-4-1.yaml',
  warmup: 100,
  cases: 100,
  goal: 300,
} as const;

export async function run(print: Print, [only]: readonly string[]): Promise<void> {
  const suite = await acceleratedSuite();
  print({ bench: 'sim', metric: 'cores', value: cpus().length, unit: '' });
  for (const cluster of CLUSTERS) {
    if (only !== undefined && only !== cluster.name) continue;
    const options: RunOptions = { crypto: cluster.crypto, suite };
    await virtualSeconds(cluster, cluster.warmup, options);
    const [seconds, events] = await virtualSeconds(cluster, cluster.seconds, options);
    const { name, goal } = cluster;
    print({
      bench: 'sim',
      metric: `virtual-seconds-${name}`,
      value: seconds,
      unit: 'virtual s/s',
      vs: `goal ${goal}`,
      ratio: seconds / goal,
    });
    print({ bench: 'sim', metric: `events-${name}`, value: events, unit: 'events/s' });
  }
  if (only === undefined || only === TWINS.name) await twins(print, { crypto: 'keyed-hash', suite });
}

/** Virtual seconds and events a second of the cluster. */
async function virtualSeconds(
  { name, lines }: Measured,
  seconds: number,
  options: RunOptions,
): Promise<readonly [number, number]> {
  const start = performance.now();
  const result = await runScenario(`name: ${name}\nuntil: {time: ${seconds}s}\n${lines}\n`, options);
  const wall = (performance.now() - start) / 1000;
  if (!result.ok || !result.value.passed)
    throw new Error(`the bench scenario failed: ${JSON.stringify(result)}`);
  const { virtualMicros, events } = result.value.stats;
  return [virtualMicros / 1_000_000 / wall, events / wall];
}

async function twins(print: Print, options: RunOptions): Promise<void> {
  const text = readFileSync(TWINS.file, 'utf8');
  const parsed = parseScenario(text);
  if (!parsed.ok) throw new Error(`${TWINS.file}: ${parsed.error.message}`);
  const space = new TwinsSpace(parsed.value);
  const doc = readDoc(text);
  const texts = [...space.order(TWINS.warmup + TWINS.cases, '1')].map((index) =>
    docText(twinsDocument(doc, space.at(index))),
  );
  for (const one of texts.slice(0, TWINS.warmup)) await runScenario(one, options);
  const start = performance.now();
  for (const one of texts.slice(TWINS.warmup)) {
    const result = await runScenario(one, options);
    if (!result.ok || !result.value.passed) throw new Error(`a case failed: ${JSON.stringify(result)}`);
  }
  const rate = TWINS.cases / ((performance.now() - start) / 1000);
  const { goal } = TWINS;
  print({
    bench: 'sim',
    metric: 'twins',
    value: rate,
    unit: 'cases/s',
    vs: `goal ${goal}`,
    ratio: rate / goal,
  });
}
