/**
 * Reads per second and their latencies under 64 connections: this node, anvil and hardhat beside a bare node:http server
 * that echoes a small JSON answer, all with the same client in the same run; and searches for logs over many blocks.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { RpcClient, receiptOf, spread } from './ethereum/client.ts';
import { logSearches } from './ethereum/logSearch.ts';
import { ANVIL, accountsOf, HARDHAT, type NodeKind, ORRERY, withNode } from './ethereum/nodes.ts';
import type { Print } from './figure.ts';

const CALLS = 5000;
const WARM_UP = 500;
const MEASURE_MS = 3000;

interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

type Reads = ReadonlyMap<string, Measured>;

async function measure(client: RpcClient, body: string): Promise<Measured> {
  await spread(WARM_UP, () => client.post(body), performance.now() + MEASURE_MS);
  const latencies: number[] = [];
  const started = performance.now();
  const one = async (): Promise<void> => {
    const sent = performance.now();
    await client.post(body);
    latencies.push(performance.now() - sent);
  };
  const done = await spread(CALLS, one, started + MEASURE_MS);
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { rate: done / seconds, p50: at(0.5), p99: at(0.99) };
}

const bodyOf = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Makes a contract that answers 42: PUSH8 its code, store it, return its eight bytes. */
const ANSWER_42 = '0x67602a5f5260205ff35f5260086018f3';

async function readsOf(
  kind: NodeKind,
): Promise<{ readonly reads: Reads; readonly memoryMiB: number } | undefined> {
  return withNode(kind, async ({ client, pid }) => {
    const [account] = accountsOf(1);
    const from = account?.address ?? '';
    const hash = await client.call<string>('eth_sendTransaction', [
      { from, data: ANSWER_42, gas: '0x30d40' },
    ]);
    const receipt = await receiptOf<{ contractAddress: string }>(client, hash);
    const calls: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_blockNumber', []],
      ['eth_getBalance', [from, 'latest']],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_call', [{ from, to: receipt.contractAddress }, 'latest']],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: receipt.contractAddress }]],
    ];
    const reads = new Map<string, Measured>();
    for (const [method, params] of calls) reads.set(method, await measure(client, bodyOf(method, params)));
    return { reads, memoryMiB: residentMiB(pid) };
  });
}

/** Resident memory of a process; NaN where the system does not tell. */
function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** A bare server, in a process of its own as the nodes are. */
const ECHO = `
  require('node:http').createServer((request, response) => {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: '0x1' }));
    });
  }).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)); });`;

async function echo(): Promise<Measured> {
  const server = spawn(process.execPath, ['-e', ECHO], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    const client = new RpcClient(Number(port.toString()));
    const measured = await measure(client, bodyOf('eth_blockNumber', []));
    client.close();
    return measured;
  } finally {
    server.kill();
  }
}

export async function run(print: Print, args: readonly string[]): Promise<void> {
  const bench = 'rpc';
  await reads(bench, print);
  await logSearches(bench, print, args);
}

async function reads(bench: string, print: Print): Promise<void> {
  const bare = await echo();
  print({ bench, metric: 'echo of node:http', value: bare.rate, unit: 'calls/s' });
  const ours = await readsOf(ORRERY);
  const others = [
    ['anvil', await readsOf(ANVIL)],
    ['hardhat', await readsOf(HARDHAT)],
  ] as const;
  if (ours === undefined) return;
  for (const [metric, { rate, p50, p99 }] of ours.reads) {
    print({ bench, metric, value: rate, unit: 'calls/s', vs: 'echo', ratio: rate / bare.rate });
    print({ bench, metric: `${metric}, p50`, value: p50, unit: 'ms' });
    print({ bench, metric: `${metric}, p99`, value: p99, unit: 'ms' });
    for (const [vs, theirs] of others) {
      const other = theirs?.reads.get(metric)?.rate;
      if (other !== undefined)
        print({ bench, metric, value: rate, unit: 'calls/s', vs, ratio: rate / other });
    }
  }
  print({ bench, metric: 'resident memory', value: ours.memoryMiB, unit: 'MiB' });
  for (const [vs, theirs] of others) {
    if (theirs !== undefined)
      print({ bench, metric: `resident memory, ${vs}`, value: theirs.memoryMiB, unit: 'MiB' });
  }
}
