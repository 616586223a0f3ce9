/**
 * Four validators as four processes on this machine: blocks per second and latency without load, finality under 500
 * transfers a second, and what a vote and a connection cost in CPU and bytes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, keccak256 } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { WebSocket } from 'ws';
import { DEV_MNEMONIC, devAccounts } from '../adapters/config/devAccounts.ts';
import { DEVNET_CHAIN_ID } from '../adapters/config/devnetHome.ts';
import { makeTestnet } from '../adapters/config/testnetHomes.ts';
import { acceleratedSuite } from '../adapters/crypto/accelerated.ts';
import { systemNow } from '../adapters/system.ts';
import { nobleSuite } from '../core/crypto/noble.ts';
import type { Print } from './figure.ts';
import { measureConnection } from './networkCost.ts';

const VALIDATORS = 4;
const BASE_PORT = 31_000;
/** A node that has just started runs code that is not compiled yet; neither figure is about that. */
const WARM_UP_MS = 15_000;
const IDLE_MS = 10_000;
const LOAD_WARM_UP_MS = 4_000;
const LOAD_MS = 8_000;
/** Transfers offered a second, unless the command says another rate. */
const RATE = 500;
const SENDERS = 10;
/** A wallet that hears that the pool is full tries again so much later. */
const RETRY_MS = 200;
/** Clock ticks a second in /proc/PID/stat; Linux has no other value. */
const TICKS = 100;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const rpcPort = (node: number): number => BASE_PORT + 10 * node + 1;
const ethPort = (node: number): number => BASE_PORT + 10 * node + 2;
const wsPort = (node: number): number => BASE_PORT + 10 * node + 3;

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

async function height(node: number): Promise<number> {
  try {
    const answer = await fetch(`http://127.0.0.1:${rpcPort(node)}/status`);
    const { result } = (await answer.json()) as { result: { sync_info: { latest_block_height: string } } };
    return Number(result.sync_info.latest_block_height);
  } catch {
    return 0;
  }
}

/** CPU seconds a process has used; NaN where there is no /proc. */
function cpuSeconds({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return Number.NaN;
  }
}

/** Bytes that a node has sent to its peers, all connections together. */
async function bytesSent(node: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${rpcPort(node)}/net_info`);
  const { result } = (await answer.json()) as {
    result: { peers: { connection_status: { SendMonitor: { Bytes: string } } }[] };
  };
  return result.peers.reduce((sum, peer) => sum + Number(peer.connection_status.SendMonitor.Bytes), 0);
}

interface Head {
  readonly hash: Hex;
  /** Seconds. */
  readonly timestamp: Hex;
  readonly atMs: number;
}

/** Calls back on each new block of a node, at the moment its websocket says so. */
async function watchHeads(node: number, onHead: (head: Head) => void): Promise<() => void> {
  const socket = new WebSocket(`ws://127.0.0.1:${wsPort(node)}`);
  await new Promise((resolve) => socket.once('open', resolve));
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: { hash: Hex; timestamp: Hex } } };
    if (params !== undefined) onHead({ ...params.result, atMs: performance.now() });
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  return () => socket.close();
}

async function eth<T>(node: number, method: string, params: readonly unknown[]): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${ethPort(node)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function idle(print: Print, nodes: readonly ChildProcess[]): Promise<void> {
  const arrivals: number[] = [];
  const stop = await watchHeads(0, (head) => arrivals.push(head.atMs));
  const [cpu, sent] = [nodes.map(cpuSeconds), await bytesSent(0)];
  await sleep(IDLE_MS);
  stop();
  const blocks = arrivals.length - 1;
  const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1000;
  const gaps = arrivals.slice(1).map((at, i) => at - (arrivals[i] as number));
  const rate = blocks / seconds;
  const cpuUsed = nodes.reduce((sum, node, i) => sum + cpuSeconds(node) - (cpu[i] as number), 0);
  const bytes = (await bytesSent(0)) - sent;
  const figure = (metric: string, value: number, unit: string): void =>
    print({ bench: 'network', metric, value, unit });
  print({
    bench: 'network',
    metric: 'empty blocks',
    value: rate,
    unit: 'blocks/s',
    vs: 'goal 20',
    ratio: rate / 20,
  });
  figure('empty, commit to commit p50', quantile(gaps, 0.5), 'ms');
  figure('empty, commit to commit p99', quantile(gaps, 0.99), 'ms');
  figure('empty, CPU of a node per block', (cpuUsed * 1000) / VALIDATORS / blocks, 'ms');
  figure('empty, sent per connection and block', bytes / (VALIDATORS - 1) / blocks, 'bytes');
}

interface Signed {
  readonly raw: Hex;
  readonly hash: Hex;
  readonly sender: number;
}

async function signTransfers(offered: number): Promise<readonly Signed[]> {
  const accounts = Array.from({ length: SENDERS }, (_, addressIndex) =>
    mnemonicToAccount(DEV_MNEMONIC, { addressIndex }),
  );
  const signed: Signed[] = [];
  for (let i = 0; i < (offered * (LOAD_WARM_UP_MS + LOAD_MS)) / 1000; i++) {
    const sender = i % SENDERS;
    const raw = await (accounts[sender] as (typeof accounts)[number]).signTransaction({
      type: 'eip1559',
      chainId: 9000,
      nonce: Math.floor(i / SENDERS),
      to: `0x${(0x1000 + (i % 100)).toString(16).padStart(40, '0')}`,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 1n,
    });
    signed.push({ raw, hash: keccak256(raw), sender });
  }
  return signed;
}

/** Offers transfers at a steady rate, each sender at a node of its own, and times each from its call to its block. */
async function load(print: Print, nodes: readonly ChildProcess[], offered: number): Promise<void> {
  const txs = await signTransfers(offered);
  const [cpu, sent] = [nodes.map(cpuSeconds), await bytesSent(0)];
  const sentAt = new Map<Hex, number>();
  const waits: number[] = [];
  let [first, last, included, blocks] = [0, 0, 0, 0];
  const stop = await watchHeads(0, (head) => {
    blocks += 1;
    eth<{ transactions: Hex[] }>(0, 'eth_getBlockByHash', [head.hash, false]).then(
      ({ transactions }) => {
        for (const hash of transactions) {
          const at = sentAt.get(hash);
          if (at === undefined) continue;
          included += 1;
          if (at - first < LOAD_WARM_UP_MS) continue;
          waits.push(head.atMs - at);
          last = head.atMs;
        }
      },
      () => {},
    );
  });
  const errors: unknown[] = [];
  const calls: Promise<unknown>[] = [];
  let refusals = 0;
  const ends = performance.now() + LOAD_WARM_UP_MS + LOAD_MS;
  /** As a wallet does: what finds no room is sent again, or those after it would wait for ever. */
  const send = async ({ raw, hash, sender }: Signed): Promise<void> => {
    for (;;) {
      try {
        sentAt.set(hash, performance.now());
        await eth(sender % VALIDATORS, 'eth_sendRawTransaction', [raw]);
        return;
      } catch (error) {
        if (!/txpool is full/.test(String(error)) || performance.now() > ends) throw error;
        refusals += 1;
        await sleep(RETRY_MS);
      }
    }
  };
  first = performance.now();
  for (const [i, tx] of txs.entries()) {
    const due = first + (i * 1000) / offered;
    if (performance.now() < due) await sleep(Math.max(0, due - performance.now()));
    // As a wallet does: the next nonce when the one before it was taken.
    const before = calls[tx.sender] ?? Promise.resolve();
    const call = before.then(() => send(tx));
    calls[tx.sender] = call.catch((error: unknown) => errors.push(error));
  }
  await Promise.all(calls);
  for (let i = 0; i < 300 && included < txs.length - errors.length; i++) await sleep(100);
  stop();
  const cpuUsed = nodes.reduce((sum, node, i) => sum + cpuSeconds(node) - (cpu[i] as number), 0);
  const bytes = (await bytesSent(0)) - sent;
  if (errors.length > 0) {
    const [first] = errors as readonly (Error & { cause?: unknown })[];
    process.stderr.write(
      `${errors.length} transfers refused: ${first?.message} ${String(first?.cause ?? '')}\n`,
    );
  }
  const p99 = quantile(waits, 0.99);
  const rate = waits.length / ((last - first - LOAD_WARM_UP_MS) / 1000);
  const figure = (metric: string, value: number, unit: string): void =>
    print({ bench: 'network', metric, value, unit });
  figure('loaded, blocks', blocks / ((last - first) / 1000), 'blocks/s');
  figure('refused with a typed error, in the end', errors.length, 'txs');
  figure('sent again', refusals, 'times');
  figure('loaded, CPU of a node per tx', (cpuUsed * 1000) / VALIDATORS / included, 'ms');
  figure('loaded, sent per connection and tx', bytes / (VALIDATORS - 1) / included, 'bytes');
  print({
    bench: 'network',
    metric: 'included',
    value: rate,
    unit: 'tx/s',
    vs: `offered ${offered}`,
    ratio: rate / offered,
  });
  print({ bench: 'network', metric: 'finality p50', value: quantile(waits, 0.5), unit: 'ms' });
  print({
    bench: 'network',
    metric: 'finality p99',
    value: p99,
    unit: 'ms',
    vs: 'goal 250',
    ratio: p99 / 250,
  });
}

/** `args`: the transfers to offer a second. */
export async function run(print: Print, [rate = `${RATE}`]: readonly string[]): Promise<void> {
  measureConnection(print, await acceleratedSuite());
  const dir = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const homes = makeTestnet({
    dir,
    chainId: DEVNET_CHAIN_ID,
    namePrefix: 'node',
    powers: Array.from({ length: VALIDATORS }, () => 10n),
    place: { kind: 'local', basePort: BASE_PORT },
    settings: new Map([
      ['consensus.timeout_commit', '0s'],
      ['consensus.skip_timeout_commit', 'true'],
      ['log_level', 'warn'],
    ]),
    accounts: devAccounts(),
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
  const program = process.env['ORRERY_TEST_PROGRAM'] ?? 'bin/orrery.js';
  const profile = process.env['ORRERY_BENCH_PROFILE'];
  const nodes = homes.map((home, i) => {
    const flags = i === 0 && profile !== undefined ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    const args = [...flags, program, 'start', '--home', home];
    return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  try {
    for (let node = 0; node < VALIDATORS; node++) while ((await height(node)) < 5) await sleep(100);
    await sleep(WARM_UP_MS);
    await idle(print, nodes);
    await load(print, nodes, Number(rate));
  } finally {
    const exits = nodes.map((node) => new Promise((resolve) => node.once('exit', resolve)));
    for (const node of nodes) node.kill('SIGTERM');
    await Promise.all(exits);
    rmSync(dir, { recursive: true, force: true });
  }
}
