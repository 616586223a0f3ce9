/** A network whose nodes run in Linux network namespaces of their own, joined by a switch in one more. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { devAccounts } from '../../adapters/config/devAccounts.ts';
import { DEVNET_CHAIN_ID } from '../../adapters/config/devnetHome.ts';
import { makeTestnet } from '../../adapters/config/testnetHomes.ts';
import { systemNow } from '../../adapters/system.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';

const PROGRAM = process.env['ORRERY_TEST_PROGRAM'] ?? 'bin/orrery.js';
const FIRST_IP = '10.77.0.1';
const POLL_MS = 250;
const run = promisify(execFile);

/** Runs a command and says why it cannot. */
function attempt(...words: readonly string[]): string | undefined {
  const [command = '', ...args] = words;
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (error !== undefined) return `${command}: ${error.message}`;
  return status === 0 ? undefined : `${words.join(' ')}: ${stderr.trim().split('\n')[0] ?? ''}`;
}

/** Why this machine lets us make no namespaces or links; undefined when it does. */
export function whyNoNamespaces(): string | undefined {
  const name = `orrery-try-${process.pid}`;
  const why =
    attempt('ip', 'netns', 'add', name) ??
    attempt('ip', '-n', name, 'link', 'add', 'name', 'try0', 'type', 'veth', 'peer', 'name', 'try1') ??
    attempt('ip', '-n', name, 'link', 'add', 'name', 'try2', 'type', 'bridge');
  attempt('ip', 'netns', 'del', name);
  return why;
}

/** Why packets cannot be delayed and lost on purpose; undefined when they can. */
export function whyNoNetem(): string | undefined {
  const name = `orrery-tc-${process.pid}`;
  const why =
    attempt('ip', 'netns', 'add', name) ??
    attempt('ip', '-n', name, 'link', 'add', 'name', 'try0', 'type', 'veth', 'peer', 'name', 'try1') ??
    attempt(
      'ip',
      'netns',
      'exec',
      name,
      'tc',
      'qdisc',
      'add',
      'dev',
      'try0',
      'root',
      'netem',
      'delay',
      '1ms',
    );
  attempt('ip', 'netns', 'del', name);
  return why;
}

export class NamespaceNode {
  readonly namespace: string;
  readonly home: string;
  log = '';
  #child: ChildProcess | undefined;

  constructor(namespace: string, home: string) {
    this.namespace = namespace;
    this.home = home;
  }

  start(): void {
    const args = ['netns', 'exec', this.namespace, process.execPath, PROGRAM, 'start', '--home', this.home];
    const child = spawn('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.log += String(chunk);
      });
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Asked from within the namespace, so it answers whatever the links do. */
  async call<T>(path: string): Promise<T> {
    const ask = `fetch('http://127.0.0.1:26657/${path}').then((r) => r.text()).then(console.log)`;
    const { stdout } = await run('ip', ['netns', 'exec', this.namespace, process.execPath, '-e', ask]);
    return (JSON.parse(stdout) as { result: T }).result;
  }

  async height(): Promise<number> {
    if (this.#child !== undefined && this.#child.exitCode !== null) {
      throw new Error(`the node has ended: ${this.log.slice(-2000)}`);
    }
    try {
      const { sync_info } = await this.call<{ sync_info: { latest_block_height: string } }>('status');
      return Number(sync_info.latest_block_height);
    } catch {
      return 0;
    }
  }

  /** Waits until it has printed this; the test's own timeout bounds the wait. */
  async says(what: RegExp): Promise<void> {
    while (!what.test(this.log)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  async reaches(height: number): Promise<void> {
    while ((await this.height()) < height) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  /** Delays and loses what it sends; undefined ends that. */
  impair(netem: readonly string[] | undefined): void {
    const qdisc = ['netns', 'exec', this.namespace, 'tc', 'qdisc'];
    const change =
      netem === undefined
        ? ['del', 'dev', 'eth0', 'root']
        : ['replace', 'dev', 'eth0', 'root', 'netem', ...netem];
    must(attempt('ip', ...qdisc, ...change));
  }
}

export interface NamespaceNet {
  readonly nodes: readonly NamespaceNode[];
  /** The cable between a node and the switch. */
  link(node: number, to: 'up' | 'down'): void;
  stop(): Promise<void>;
}

function must(why: string | undefined): void {
  if (why !== undefined) throw new Error(why);
}

/** Validators at 10.77.0.1 and up, none started; needs the rights that `whyNoNamespaces` asks for. */
export function makeNamespaces(count: number): NamespaceNet {
  const dir = mkdtempSync(join(tmpdir(), 'orrery-netns-'));
  const homes = makeTestnet({
    dir,
    chainId: DEVNET_CHAIN_ID,
    namePrefix: 'node',
    powers: Array.from({ length: count }, () => 10n),
    place: { kind: 'hosts', firstIp: FIRST_IP },
    settings: new Map([
      ['consensus.timeout_commit', '100ms'],
      ['rpc.laddr', 'tcp://127.0.0.1:26657'],
      ['p2p.ping_interval', '2s'],
      ['p2p.pong_timeout', '6s'],
    ]),
    accounts: devAccounts(),
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
  const middle = `orrery-${process.pid}-switch`;
  const nodes = homes.map((home, i) => new NamespaceNode(`orrery-${process.pid}-${i}`, home));
  must(attempt('ip', 'netns', 'add', middle));
  must(attempt('ip', '-n', middle, 'link', 'add', 'name', 'switch', 'type', 'bridge'));
  must(attempt('ip', '-n', middle, 'link', 'set', 'switch', 'up'));
  for (const [i, { namespace }] of nodes.entries()) {
    must(attempt('ip', 'netns', 'add', namespace));
    const ends = ['name', `port${i}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace];
    must(attempt('ip', '-n', middle, 'link', 'add', ...ends));
    must(attempt('ip', '-n', middle, 'link', 'set', `port${i}`, 'master', 'switch', 'up'));
    must(attempt('ip', '-n', namespace, 'addr', 'add', `10.77.0.${i + 1}/24`, 'dev', 'eth0'));
    for (const device of ['lo', 'eth0']) must(attempt('ip', '-n', namespace, 'link', 'set', device, 'up'));
  }
  return {
    nodes,
    link: (node, to) => must(attempt('ip', '-n', middle, 'link', 'set', `port${node}`, to)),
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      for (const name of [middle, ...nodes.map((node) => node.namespace)])
        attempt('ip', 'netns', 'del', name);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
