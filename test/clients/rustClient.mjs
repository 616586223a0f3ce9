// A program of `npm run test:clients`: the Rust client tendermint-rpc against the devnet, over HTTP and websocket. Built
// into the cache folder of the clients; without Rust it is skipped.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { runConsensusClient, skip } from './consensusClient.mjs';

const project = path.join(import.meta.dirname, 'rust');
const target = path.join(process.cwd(), 'rust-target');
const TRANSACTIONS = 5;

function buildClient() {
  if (spawnSync('cargo', ['--version']).status !== 0) skip('tendermint-rpc needs Rust, and there is none');
  process.stdout.write(`building the Rust client in ${target} (minutes, the first time)\n`);
  const manifest = path.join(project, 'Cargo.toml');
  const args = ['build', '--quiet', '--locked', '--manifest-path', manifest, '--target-dir', target];
  const built = spawnSync('cargo', args, { encoding: 'utf8' });
  if (built.status === 0) return path.join(target, 'debug', 'orrery-rust-client');
  if (/failed to (download|fetch|get)|could not resolve host|network failure|spurious/i.test(built.stderr))
    skip(`tendermint-rpc cannot be fetched: ${built.stderr.trim().split('\n').at(-1)}`);
  throw new Error(built.stderr);
}

const out = await runConsensusClient(buildClient(), ({ comet }) => [comet, String(TRANSACTIONS)]);
if (out === undefined) process.exit(1);
process.stdout.write(`the Rust client passed: ${out.trim()} checks\n`);
