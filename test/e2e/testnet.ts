import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { devAccounts } from '../../adapters/config/devAccounts.ts';
import { DEVNET_CHAIN_ID } from '../../adapters/config/devnetHome.ts';
import { loadGenesis } from '../../adapters/config/genesisFile.ts';
import { initHome } from '../../adapters/config/initHome.ts';
import { loadNodeKey, nodeIdOf } from '../../adapters/config/nodeKey.ts';
import { makeTestnet } from '../../adapters/config/testnetHomes.ts';
import { systemNow } from '../../adapters/system.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { present } from '../../core/lib/assert.ts';

/** The program under test; a built copy may be named instead of the checkout's. */
const PROGRAM = process.env['ORRERY_TEST_PROGRAM'] ?? 'bin/orrery.js';
const POLL_MS = 50;
/** A node that hangs, as some are made to, and a machine that has much else to do. */
const ANSWER_MS_MAX = 30_000;

export interface NodeStatus {
  readonly height: number;
  readonly appHash: string;
  readonly catchingUp: boolean;
}

/** One node of a network: a process with a home, which may be killed and started again. */
export class TestNode {
  readonly home: string;
  readonly basePort: number;
  /** All that it has printed since the test began. */
  log = '';
  /** Added to the environment of the process. */
  environment: Readonly<Record<string, string>> = {};
  #child: ChildProcess | undefined;

  constructor(home: string, basePort: number) {
    this.home = home;
    this.basePort = basePort;
  }

  get rpc(): string {
    return `http://127.0.0.1:${this.basePort + 1}`;
  }

  get jsonRpc(): string {
    return `http://127.0.0.1:${this.basePort + 2}`;
  }

  get rest(): string {
    return `http://127.0.0.1:${this.basePort + 4}`;
  }

  get pid(): number {
    return present(this.#child?.pid, 'the node is not running');
  }

  start(...flags: readonly string[]): void {
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', this.home, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...this.environment },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.log += String(chunk);
      });
    }
  }

  /** Ends the process; its last words are in the log then. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  /** Waits until the process has ended by itself; its exit code. */
  async ended(): Promise<number | null> {
    const child = present(this.#child, 'the node is not running');
    const isOver = child.stdout?.readableEnded === true && child.stderr?.readableEnded === true;
    // Not 'exit': its last words may still be on their way.
    if (!isOver) await once(child, 'close');
    this.#child = undefined;
    return child.exitCode;
  }

  async call<T>(path: string): Promise<T> {
    const response = await fetch(`${this.rpc}/${path}`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const { result, error } = (await response.json()) as { result: T; error?: { data: string } };
    if (error !== undefined) throw new Error(`${path}: ${error.data}`);
    return result;
  }

  /** undefined while the node does not answer. */
  async status(): Promise<NodeStatus | undefined> {
    try {
      const { sync_info: info } = await this.call<{ sync_info: Record<string, string | boolean> }>('status');
      return {
        height: Number(info['latest_block_height']),
        appHash: String(info['latest_app_hash']),
        catchingUp: info['catching_up'] === true,
      };
    } catch {
      return undefined;
    }
  }

  async height(): Promise<number> {
    return (await this.status())?.height ?? 0;
  }

  /** Waits until the chain has grown to `height`; the test's own timeout bounds the wait. */
  async reaches(height: number): Promise<void> {
    for (;;) {
      if ((await this.height()) >= height) return;
      if (this.#child?.exitCode !== null && this.#child?.exitCode !== undefined) {
        throw new Error(`the node has ended: ${this.log.slice(-2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async says(what: RegExp): Promise<string> {
    for (;;) {
      const found = what.exec(this.log);
      if (found !== null) return found[0];
      const { stdout, stderr } = this.#child ?? {};
      if (stdout?.readableEnded === true && stderr?.readableEnded === true) {
        throw new Error(`the node has ended and did not say ${String(what)}: ${this.log.slice(-2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

export interface Testnet {
  readonly dir: string;
  readonly nodes: readonly TestNode[];
  /**
   * A node more, with an empty home and all of `nodes` as persistent peers, not started yet. It is a validator only with
   * the key of `twinOf`: then two processes sign with one key and know nothing of each other.
   */
  another(options?: {
    readonly twinOf?: TestNode;
    readonly settings?: ReadonlyMap<string, string>;
  }): TestNode;
  stop(): Promise<void>;
}

/** A network of `count` validators on this machine, none of them started yet. */
export async function makeNetwork(
  count: number,
  settings: ReadonlyMap<string, string> = new Map(),
): Promise<Testnet> {
  const dir = mkdtempSync(join(tmpdir(), 'orrery-net-'));
  const { base: basePort, release } = await reservePorts((count + OTHERS_MAX) * 10);
  const homes = makeTestnet({
    dir,
    chainId: DEVNET_CHAIN_ID,
    namePrefix: 'node',
    powers: Array.from({ length: count }, () => 10n),
    place: { kind: 'local', basePort },
    settings: new Map([...FAST, ...settings]),
    accounts: devAccounts(),
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
  const nodes = homes.map((home, i) => new TestNode(home, basePort + 10 * i));
  const others: TestNode[] = [];
  return {
    dir,
    nodes,
    another({ twinOf, settings: more = new Map() } = {}) {
      const home = join(dir, `other${others.length}`);
      const node = new TestNode(home, basePort + 10 * (count + others.length));
      others.push(node);
      if (others.length > OTHERS_MAX) throw new Error('no ports are left for another node');
      if (twinOf !== undefined) {
        mkdirSync(join(home, 'config'), { recursive: true });
        copyFileSync(keyFile(twinOf.home), keyFile(home));
      }
      const genesis = loadGenesis(join(nodes[0]?.home ?? '', 'config', 'genesis.json'));
      initHome({
        home,
        chainId: genesis.chainId,
        suite: nobleSuite,
        settings: new Map([...FAST, ...settings, ...placeOf(node, nodes), ...more]),
        overwrite: false,
        randomSeed: () => new Uint8Array(randomBytes(32)),
        genesis: () => genesis,
      });
      return node;
    },
    async stop() {
      await Promise.all([...nodes, ...others].map((node) => node.kill('SIGKILL')));
      release();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Nodes that may join a network. */
const OTHERS_MAX = 2;

const FAST: readonly (readonly [string, string])[] = [
  ['consensus.timeout_commit', '50ms'],
  ['consensus.skip_timeout_commit', 'true'],
];

const keyFile = (home: string): string => join(home, 'config', 'priv_validator_key.json');

/** Ports in the order of `makeTestnet`, and whom to dial. */
function placeOf(
  { home, basePort }: TestNode,
  peers: readonly TestNode[],
): readonly (readonly [string, string])[] {
  const idOf = (peer: TestNode): string =>
    nodeIdOf(loadNodeKey(join(peer.home, 'config', 'node_key.json'), nobleSuite), nobleSuite);
  return [
    ['moniker', basename(home)],
    ['p2p.persistent_peers', peers.map((peer) => `${idOf(peer)}@127.0.0.1:${peer.basePort}`).join(',')],
    ['p2p.addr_book_strict', 'false'],
    ['p2p.allow_duplicate_ip', 'true'],
    ['p2p.laddr', `tcp://127.0.0.1:${basePort}`],
    ['rpc.laddr', `tcp://127.0.0.1:${basePort + 1}`],
    ['json-rpc.address', `127.0.0.1:${basePort + 2}`],
    ['json-rpc.ws-address', `127.0.0.1:${basePort + 3}`],
    ['api.address', `tcp://127.0.0.1:${basePort + 4}`],
    ['grpc.address', `127.0.0.1:${basePort + 5}`],
  ];
}

/** Below the ports that systems give to outgoing connections, which would else take one while its node is down. */
const PORT_MIN = 11_000;
const PORT_BLOCK = 100;
const PORT_BLOCKS = 200;

interface Ports {
  readonly base: number;
  /** Others may have them. */
  release(): void;
}

/** A row of ports of which none is taken, and which no other test takes before they are released. */
async function reservePorts(count: number): Promise<Ports> {
  if (count >= PORT_BLOCK) throw new Error(`${count} ports are more than a block has`);
  for (let i = 0; i < PORT_BLOCKS; i++) {
    const base = PORT_MIN + ((process.pid + i) % PORT_BLOCKS) * PORT_BLOCK;
    // Whoever listens on the last port of a block has the block: nodes come and go on the others.
    const holder = await listening(base + PORT_BLOCK - 1);
    if (holder === undefined) continue;
    const release = (): void => {
      holder.close();
    };
    const tries = await Promise.all(Array.from({ length: count }, (_, k) => listening(base + k)));
    await Promise.all(tries.map((one) => one && new Promise((resolve) => one.close(resolve))));
    if (!tries.includes(undefined)) return { base, release };
    release();
  }
  throw new Error('no free ports');
}

/** undefined when the port is taken. */
function listening(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port }, () => resolve(server));
  });
}
