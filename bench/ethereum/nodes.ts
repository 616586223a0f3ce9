import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mnemonicToAccount } from 'viem/accounts';
import { pause, RpcClient } from './client.ts';

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 5_000;
const MNEMONIC = 'test test test test test test test test test test test junk';

/** The development accounts that every node here has funded. */
export const accountsOf = (count: number) =>
  Array.from({ length: count }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }));

export interface BenchNode {
  readonly name: string;
  readonly pid: number;
  readonly client: RpcClient;
  stop(): Promise<void>;
}

export interface NodeKind {
  readonly name: string;
  /** undefined where its program is not installed. */
  start(): Promise<BenchNode | undefined>;
}

/** Ports that nobody listens on now: another node's answers would be measured otherwise. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

const onePort = async (): Promise<number> => (await freePorts(1))[0] as number;

async function launch(name: string, command: string, args: readonly string[], port: number, cwd?: string) {
  const child = spawn(command, args, { stdio: 'ignore', ...(cwd === undefined ? {} : { cwd }) });
  const client = new RpcClient(port);
  const stop = async (): Promise<void> => {
    client.close();
    await ended(child);
  };
  try {
    await ready(client, child, name);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, pid: child.pid as number, client, stop };
}

async function ready(client: RpcClient, child: ChildProcess, name: string): Promise<void> {
  for (const end = performance.now() + START_MS_MAX; ; await pause(50)) {
    if (child.exitCode !== null) throw new Error(`${name} stopped with exit code ${child.exitCode}`);
    try {
      await client.call('eth_chainId');
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await exit;
  clearTimeout(hard);
}

/**
 * anvil in interval mode. Its automine, woken by each transaction, falls asleep for good once transactions come faster
 * than it makes blocks (seen with 1.7.1: thousands stay pending, no further block); every 100 ms it never falls behind.
 */
export const ANVIL: NodeKind = {
  name: 'anvil',
  async start() {
    const program = resolve('node_modules/.bin/anvil');
    if (!existsSync(program)) return undefined;
    const port = await onePort();
    return launch('anvil', program, ['--port', `${port}`, '--silent', '--block-time', '0.1'], port);
  },
};

/** From the cache that `npm run test:clients` fills: too heavy to be a dependency. */
export const HARDHAT: NodeKind = {
  name: 'hardhat',
  async start() {
    const cacheHome = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    const cwd = process.env['ORRERY_CLIENTS_CACHE'] ?? join(cacheHome, 'orrery', 'clients');
    const program = join(cwd, 'node_modules', 'hardhat', 'internal', 'cli', 'bootstrap.js');
    if (!existsSync(program)) return undefined;
    const port = await onePort();
    const args = [program, 'node', '--port', `${port}`, '--hostname', '127.0.0.1'];
    return launch('hardhat', process.execPath, args, port, cwd);
  },
};

export const ORRERY: NodeKind = {
  name: 'orrery',
  async start() {
    const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
    const [rpc, ws, comet, rest, grpc] = (await freePorts(5)) as [number, number, number, number, number];
    const settings = {
      'json-rpc.address': `127.0.0.1:${rpc}`,
      'json-rpc.ws-address': `127.0.0.1:${ws}`,
      'rpc.laddr': `tcp://127.0.0.1:${comet}`,
      'api.address': `tcp://127.0.0.1:${rest}`,
      'grpc.address': `127.0.0.1:${grpc}`,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const args = ['bin/orrery.js', 'devnet', '--home', home, '--quiet', ...flags];
    const node = await launch('orrery', process.execPath, args, rpc);
    return {
      ...node,
      async stop() {
        await node.stop();
        rmSync(home, { recursive: true, force: true });
      },
    };
  },
};

/** Starts a node, hands it to `work`, and stops it whatever happens. Answers undefined where it is not installed. */
export async function withNode<T>(
  kind: NodeKind,
  work: (node: BenchNode) => Promise<T>,
): Promise<T | undefined> {
  const node = await kind.start();
  if (node === undefined) {
    process.stderr.write(`${kind.name} is not installed: left out\n`);
    return undefined;
  }
  try {
    return await work(node);
  } finally {
    await node.stop();
  }
}
