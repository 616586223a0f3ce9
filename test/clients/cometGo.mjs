// A program of `npm run test:clients`: CometBFT's own Go client against the devnet: all methods, subscriptions, and its
// light client over state proofs. Built into the cache folder of `npm run test:interop`; without Go it is skipped.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runConsensusClient, skip } from './consensusClient.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const cacheHome = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const cache = process.env.ORRERY_INTEROP_CACHE ?? path.join(cacheHome, 'orrery', 'interop');
const CHAIN = 'chain_9000-1';
const TRANSACTIONS = 5;

function buildClient() {
  if (spawnSync('go', ['version']).status !== 0) skip("CometBFT's client needs Go, and there is none");
  const file = path.join(cache, 'bin', 'client');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const cwd = path.join(root, 'test', 'interop');
  const built = spawnSync('go', ['build', '-o', file, './client'], { cwd, encoding: 'utf8' });
  if (built.status === 0) return file;
  if (/dial tcp|proxyconnect|no such host|i\/o timeout|403|connection refused/.test(built.stderr))
    skip(`CometBFT cannot be fetched: ${built.stderr.trim().split('\n').at(-1)}`);
  throw new Error(built.stderr);
}

const file = buildClient();
const out = await runConsensusClient(file, ({ comet, from }) => [comet, CHAIN, from, String(TRANSACTIONS)]);
if (out === undefined) process.exit(1);
process.stdout.write(`CometBFT's Go client is content: ${JSON.parse(out).checks} checks\n`);
