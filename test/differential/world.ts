import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { compileCounter } from '../e2e/counter.ts';
import { KEYS } from '../e2e/devnet.ts';
import type { Facts } from './requests.ts';
import type { Answer } from './shape.ts';

export async function ask(url: string, method: string, params: unknown): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return (await response.json()) as Answer;
}

/** The same story on every chain: a contract, a transfer, and a transaction that fails. */
export async function tell(url: string): Promise<Facts> {
  const account = privateKeyToAccount(KEYS[0]);
  const reader = createPublicClient({ transport: http(url), pollingInterval: 50 });
  const wallet = createWalletClient({ transport: http(url), account });
  const { abi, bytecode } = compileCounter();
  const done = (hash: Hex) => reader.waitForTransactionReceipt({ hash });
  const creation = await done(await wallet.deployContract({ abi, bytecode, args: [40n], chain: null }));
  const contract = creation.contractAddress as Hex;
  const transfer = await done(
    await wallet.sendTransaction({ to: `0x${'22'.repeat(20)}`, value: 1n, chain: null }),
  );
  const increase = { address: contract, abi, functionName: 'increase', gas: 100_000n, chain: null } as const;
  const block = await done(await wallet.writeContract({ ...increase, args: [1n] }));
  // anvil and hardhat refuse to send what fails, unless gas is given; hardhat says so after it was mined.
  let failed: Hex;
  try {
    failed = await wallet.writeContract({ ...increase, args: [0n] });
  } catch {
    const last = await reader.getBlock();
    failed = last.transactions.at(-1) as Hex;
  }
  await done(failed);
  return {
    from: account.address.toLowerCase(),
    contract: contract.toLowerCase(),
    creation: creation.transactionHash,
    transfer: transfer.transactionHash,
    block: `0x${block.blockNumber.toString(16)}`,
    blockHash: block.blockHash,
    failed,
  };
}

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });

export interface OtherNode {
  readonly url: string;
  readonly child: ChildProcess;
}

/** anvil from the development dependencies; undefined without it. */
export async function startAnvil(): Promise<OtherNode | undefined> {
  const program = resolve('node_modules/.bin/anvil');
  if (!existsSync(program)) return undefined;
  const port = await freePort();
  return started(spawn(program, ['--port', String(port), '--silent'], { stdio: 'ignore' }), port);
}

/** hardhat from the cache that `npm run test:clients` fills; undefined without it. */
export async function startHardhat(): Promise<OtherNode | undefined> {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const cwd = process.env['ORRERY_CLIENTS_CACHE'] ?? join(caches, 'orrery', 'clients');
  const program = join(cwd, 'node_modules', 'hardhat', 'internal', 'cli', 'bootstrap.js');
  if (!existsSync(program)) return undefined;
  const port = await freePort();
  const args = [program, 'node', '--port', String(port), '--hostname', '127.0.0.1'];
  return started(spawn(process.execPath, args, { cwd, stdio: 'ignore' }), port);
}

async function started(child: ChildProcess, port: number): Promise<OtherNode> {
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 600; i++) {
    try {
      await ask(url, 'eth_chainId', []);
      return { url, child };
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  child.kill('SIGTERM');
  throw new Error('the other node does not start');
}
