// npm run test:interop: tests a network of four validators against CometBFT's own code. CometBFT comes from the Go module
// proxy and is built in a cache folder outside the repository. Without Go, the test is skipped with a message.
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { build, install, root } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();

const SECONDS = Number(process.env.ORRERY_INTEROP_SECONDS ?? 150);
/** Headers for the light client: it trusts the first one and verifies the others. */
const SEQUENTIAL = 201;
const SKIPPING = 20;
const CHAIN = 'chain_9000-1';
const START_MS_MAX = 120_000;
const PAUSE_MS = 8_000;
/** Four nodes, ten ports each. */
const PORTS = 40;
/** Below the range that systems use for outgoing connections. */
const PORT_MIN = 20_000;
const PORT_BLOCKS = 250;

const cacheHome = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const cache = process.env.ORRERY_INTEROP_CACHE ?? path.join(cacheHome, 'orrery', 'interop');
const program = process.env.ORRERY_TEST_PROGRAM ?? path.join(root, 'bin', 'orrery.js');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text) => process.stdout.write(`${text}\n`);

const go = spawnSync('go', ['version'], { encoding: 'utf8' });
if (go.status !== 0) {
  say('skipped: the interoperability test needs Go, which is not installed');
  process.exit(0);
}
if (process.env.ORRERY_TEST_PROGRAM === undefined) {
  install();
  build('adapters');
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** The first of PORTS consecutive free ports. */
async function freePorts() {
  for (let i = 0; i < PORT_BLOCKS; i++) {
    const base = PORT_MIN + ((process.pid + i) % PORT_BLOCKS) * PORTS;
    const free = await Promise.all(Array.from({ length: PORTS }, (_, k) => isFree(base + k)));
    if (!free.includes(false)) return base;
  }
  throw new Error('no free ports');
}

/** Builds both Go programs. Skips the test if the module proxy cannot be reached. */
function buildGo() {
  const bin = path.join(cache, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  say(`building CometBFT's side in ${bin} (minutes, the first time)`);
  const result = spawnSync('go', ['build', '-o', bin + path.sep, './...'], {
    cwd: path.join(root, 'test', 'interop'),
    encoding: 'utf8',
  });
  if (result.status === 0) return bin;
  if (/dial tcp|proxyconnect|no such host|i\/o timeout|403|connection refused/.test(result.stderr)) {
    say(`skipped: CometBFT cannot be fetched: ${result.stderr.trim().split('\n').at(-1)}`);
    process.exit(0);
  }
  throw new Error(result.stderr);
}

function orrery(...args) {
  const result = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(result.stderr);
  return result.stdout.trim();
}

async function height() {
  try {
    const answer = await fetch(`http://127.0.0.1:${basePort + 1}/status`);
    return Number((await answer.json()).result.sync_info.latest_block_height);
  } catch {
    return 0;
  }
}

async function waitFor(wanted, msMax) {
  for (const end = Date.now() + msMax; (await height()) < wanted; await sleep(250)) {
    if (Date.now() > end) throw new Error(`the chain has not reached height ${wanted}`);
  }
}

function runGo(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('exit', (code) =>
      code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`${path.basename(file)}: ${err}${out}`)),
    );
  });
}

/** Sends a transfer every half second, so that the mempool channel is used and not all blocks are empty. */
async function transfers(until) {
  const { mnemonicToAccount } = await import('viem/accounts');
  const account = mnemonicToAccount('test test test test test test test test test test test junk');
  for (let nonce = 0; !until.isOver; nonce++) {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 9000,
      nonce,
      to: account.address,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 1n,
    });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] });
    const headers = { 'content-type': 'application/json' };
    await fetch(`http://127.0.0.1:${basePort + 2}`, { method: 'POST', headers, body });
    await sleep(500);
  }
}

/** Stops a validator for some rounds at a time: if all validators are fast, no node sends HasVote. */
async function pauseRepeatedly(node, until) {
  while (!until.isOver) {
    await sleep(PAUSE_MS);
    node.kill('SIGSTOP');
    await sleep(PAUSE_MS);
    node.kill('SIGCONT');
  }
}

function end(node) {
  if (node.exitCode !== null || node.signalCode !== null) return undefined;
  const exited = new Promise((resolve) => node.once('exit', resolve));
  node.kill('SIGCONT');
  node.kill('SIGTERM');
  return exited;
}

const EXPECTED_MESSAGES = [
  '0x00 *p2p.PexAddrs',
  '0x20 *consensus.NewRoundStepMessage',
  '0x20 *consensus.HasVoteMessage',
  '0x21 *consensus.ProposalMessage',
  '0x21 *consensus.BlockPartMessage',
  '0x22 *consensus.VoteMessage',
  '0x23 *consensus.VoteSetBitsMessage',
  '0x30 *mempool.Txs',
  '0x40 *blocksync.StatusResponse',
  '0x40 *blocksync.BlockResponse',
];

const bin = buildGo();
const basePort = await freePorts();
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-interop-'));
const files = ['-o', dir, '--single-host', '--base-port', String(basePort), '--commit-timeout', '100ms'];
orrery('testnet', 'init-files', '--validator-count', '4', ...files);
const nodes = [0, 1, 2, 3].map((i) =>
  spawn(process.execPath, [program, '--home', path.join(dir, `node${i}`), 'start'], { stdio: 'ignore' }),
);
const until = { isOver: false };
try {
  await waitFor(3, START_MS_MAX);
  const load = transfers(until);
  const pauses = pauseRepeatedly(nodes[3], until);
  const id = orrery('--home', path.join(dir, 'node0'), 'comet', 'show-node-id');
  const heard = await runGo(path.join(bin, 'peer'), [
    `${id}@127.0.0.1:${basePort}`,
    CHAIN,
    String(SECONDS),
    'blocksync',
  ]);
  const missing = EXPECTED_MESSAGES.filter((name) => !(heard.messages[name] > 0));
  say(`CometBFT ${heard.cometbft} was a peer for ${SECONDS} s: ${JSON.stringify(heard.messages)}`);
  if (missing.length > 0) throw new Error(`it received no ${missing.join(', ')}`);
  await waitFor(SEQUENTIAL + 1, START_MS_MAX);
  until.isOver = true;
  await Promise.all([load, pauses]);
  const verified = await runGo(path.join(bin, 'verify'), [
    `http://127.0.0.1:${basePort + 1}`,
    CHAIN,
    String(SEQUENTIAL),
    String(SKIPPING),
  ]);
  say(
    `every hash of ${verified.blocks} blocks recomputed; light client verified ${verified.sequential} consecutive and ${verified.skipping} skipping headers`,
  );
  say('interoperability: passed');
} catch (error) {
  say(`interoperability: failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  until.isOver = true;
  await Promise.all(nodes.map(end));
  fs.rmSync(dir, { recursive: true, force: true });
}
