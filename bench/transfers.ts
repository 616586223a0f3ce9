/**
 * Included transfers per second: 4000 signed transfers of ten senders over HTTP to one Orrery node, and the same to
 * anvil with the same client in the same run. Counted from the first request until every sender's nonce shows them all.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import type { Print } from './figure.ts';

const TRANSFERS = 4000;
const SENDERS = 10;
const CONNECTIONS = 64;
const MNEMONIC = 'test test test test test test test test test test test junk';

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function post(port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request({ host: '127.0.0.1', port, method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve(text));
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function rpc(port: number, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = JSON.parse(await post(port, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

async function ready(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the node stopped with exit code ${child.exitCode}`);
    try {
      await rpc(port, 'eth_chainId', []);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Raw transactions in sending order: the senders take turns. */
async function signAll(chainId: number, accounts: readonly HDAccount[]): Promise<readonly string[]> {
  const raws: string[] = [];
  for (let i = 0; i < TRANSFERS; i++) {
    const account = accounts[i % SENDERS] as HDAccount;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce: Math.floor(i / SENDERS),
      to: `0x${(0x1000 + (i % 100)).toString(16).padStart(40, '0')}`,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    raws.push(raw);
  }
  return raws;
}

async function measure(
  port: number,
  raws: readonly string[],
  accounts: readonly HDAccount[],
): Promise<number> {
  const started = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < raws.length; i = next++) await rpc(port, 'eth_sendRawTransaction', [raws[i]]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  for (const account of accounts) {
    while (
      Number(await rpc(port, 'eth_getTransactionCount', [account.address, 'latest'])) <
      raws.length / SENDERS
    ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  return raws.length / ((performance.now() - started) / 1000);
}

async function against(command: string, args: readonly string[], port: number): Promise<number> {
  const child = spawn(command, args, { stdio: 'ignore' });
  try {
    await ready(port, child);
    const accounts = Array.from({ length: SENDERS }, (_, addressIndex) =>
      mnemonicToAccount(MNEMONIC, { addressIndex }),
    );
    const chainId = Number(await rpc(port, 'eth_chainId', []));
    return await measure(port, await signAll(chainId, accounts), accounts);
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}

export async function run(print: Print): Promise<void> {
  const anvil = await against('node_modules/.bin/anvil', ['--port', '18545', '--silent'], 18545);
  print({ bench: 'transfers', metric: 'included, anvil', value: anvil, unit: 'tx/s' });
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const ports = ['--json-rpc.address', '127.0.0.1:28545', '--json-rpc.ws-address', '127.0.0.1:28546'];
  const others = [
    '--rpc.laddr',
    'tcp://127.0.0.1:28657',
    '--api.address',
    'tcp://127.0.0.1:28337',
    '--grpc.address',
    '127.0.0.1:28090',
  ];
  try {
    const args = ['bin/orrery.js', 'devnet', '--home', home, ...ports, ...others];
    const ours = await against(process.execPath, args, 28545);
    print({
      bench: 'transfers',
      metric: 'included',
      value: ours,
      unit: 'tx/s',
      vs: 'anvil',
      ratio: ours / anvil,
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
    agent.destroy();
  }
}
