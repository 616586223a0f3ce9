import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../e2e/devnet.ts';
import { type Difference, REASONS } from './reasons.ts';
import { type Request, requestsOf } from './requests.ts';
import { digestOf } from './shape.ts';
import { ask, type OtherNode, startAnvil, startHardhat, tell } from './world.ts';

let devnet: Devnet;
const others = new Map<'anvil' | 'hardhat', OtherNode>();
const answers = new Map<string, ReadonlyMap<string, string>>();
let requests: readonly Request[] = [];

async function answersOf(url: string): Promise<ReadonlyMap<string, string>> {
  requests = requestsOf(await tell(url));
  const digests = new Map<string, string>();
  for (const { name, method, params } of requests)
    digests.set(name, digestOf(await ask(url, method, params)));
  return digests;
}

beforeAll(async () => {
  devnet = await startDevnet();
  answers.set('orrery', await answersOf(devnet.jsonRpc));
  for (const [name, start] of [
    ['anvil', startAnvil],
    ['hardhat', startHardhat],
  ] as const) {
    const node = await start();
    if (node === undefined) continue;
    others.set(name, node);
    answers.set(name, await answersOf(node.url));
  }
});
afterAll(async () => {
  // The launcher of the npm package passes this on to anvil itself.
  for (const { child } of others.values()) child.kill('SIGTERM');
  await devnet?.stop();
});

const differencesTo = (node: 'anvil' | 'hardhat'): readonly Difference[] =>
  requests.flatMap((request) => {
    const ours = answers.get('orrery')?.get(request.name) as string;
    const theirs = answers.get(node)?.get(request.name) as string;
    return ours === theirs ? [] : [{ request, ours, theirs, node }];
  });

test('there are more than 300 requests, each with a name of its own that every chain shares', () => {
  expect(requests.length).toBeGreaterThan(300);
  expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length);
  for (const digests of answers.values())
    expect([...digests.keys()]).toEqual(requests.map(({ name }) => name));
});

test.each(['anvil', 'hardhat'] as const)(
  'every difference to %s has a reason that is written down',
  (node) => {
    if (!others.has(node)) {
      process.stderr.write(
        `${node} is not installed (npm run test:clients installs hardhat): not compared\n`,
      );
      return;
    }
    const unexplained = differencesTo(node).filter((one) => !REASONS.some(({ applies }) => applies(one)));
    expect(unexplained.map(({ request, ours, theirs }) => ({ name: request.name, ours, theirs }))).toEqual(
      [],
    );
  },
);

test('every reason is used, and explained on the page of differences', () => {
  const page = readFileSync('docs/json-rpc-differences.md', 'utf8');
  for (const { title, applies } of REASONS) {
    expect(page).toContain(`## ${title}\n`);
    if (others.size === 2) {
      const all = [...differencesTo('anvil'), ...differencesTo('hardhat')];
      expect(all.some(applies), title).toBe(true);
    }
  }
});
