import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { nodeFromHome } from '../../adapters/cli/runNode.ts';
import { devAccounts } from '../../adapters/config/devAccounts.ts';
import { DEVNET_CHAIN_ID, fundedDevAccounts, prepareDevnetHome } from '../../adapters/config/devnetHome.ts';
import { loadNodeConfig } from '../../adapters/config/nodeConfig.ts';
import { createLogger } from '../../adapters/log/logger.ts';
import { startNode } from '../../adapters/node.ts';
import { systemNow } from '../../adapters/system.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { present } from '../../core/lib/assert.ts';

/** Every server on a port that the system chooses. */
const EPHEMERAL = new Map([
  ['rpc.laddr', 'tcp://127.0.0.1:0'],
  ['json-rpc.address', '127.0.0.1:0'],
  ['json-rpc.ws-address', '127.0.0.1:0'],
  ['api.address', 'tcp://127.0.0.1:0'],
  ['grpc.address', '127.0.0.1:0'],
  ['instrumentation.prometheus', 'true'],
  ['instrumentation.prometheus_listen_addr', '127.0.0.1:0'],
]);

export const EPHEMERAL_FLAGS: readonly string[] = [...EPHEMERAL].flatMap(([name, value]) => [
  `--${name}`,
  value,
]);

/** Keys of the well-known mnemonic. */
export const KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
] as const;

export interface Devnet {
  readonly home: string;
  readonly jsonRpc: string;
  readonly evmWs: string;
  readonly rest: string;
  readonly consensusRpc: string;
  /** `host:port` */
  readonly grpc: string;
  readonly metrics: string;
  stop(): Promise<void>;
}

/** A real node in this process, as `orrery devnet` makes it, on a home it removes unless told to keep it; empty blocks come fast. */
export async function startDevnet(
  home = mkdtempSync(join(tmpdir(), 'orrery-e2e-')),
  { keep = false }: { readonly keep?: boolean } = {},
): Promise<Devnet> {
  prepareDevnetHome({
    home,
    accounts: devAccounts(),
    chainId: DEVNET_CHAIN_ID,
    moniker: 'devnet',
    blockTime: '200ms',
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
  const node = nodeFromHome(loadNodeConfig(home, EPHEMERAL, {}));
  const running = await startNode({
    ...node,
    unlocked: fundedDevAccounts(node.genesis, devAccounts(), home),
    log: createLogger({ level: 'warn', format: 'plain' }),
    onBlock: () => {},
  });
  const { jsonRpc, evmWs, rest, consensusRpc, grpc, metrics } = running.endpoints;
  return {
    home,
    jsonRpc: present(jsonRpc, 'json-rpc'),
    evmWs: present(evmWs, 'evm websocket'),
    rest: present(rest, 'rest'),
    consensusRpc: present(consensusRpc, 'consensus rpc'),
    grpc: present(grpc, 'grpc'),
    metrics: present(metrics, 'metrics'),
    async stop() {
      await running.stop();
      if (!keep) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Runs a program of node_modules/.bin; its output without the last line end. */
export async function runTool(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(resolve('node_modules', '.bin', name), [...args], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  return stdout.trimEnd();
}
