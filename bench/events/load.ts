/** A node with one validator, and transfers sent to it. */
import { randomBytes } from 'node:crypto';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import { nodeFromHome } from '../../adapters/cli/runNode.ts';
import { devAccounts } from '../../adapters/config/devAccounts.ts';
import { DEVNET_CHAIN_ID, prepareDevnetHome } from '../../adapters/config/devnetHome.ts';
import { loadNodeConfig } from '../../adapters/config/nodeConfig.ts';
import { createLogger } from '../../adapters/log/logger.ts';
import { startNode } from '../../adapters/node.ts';
import { systemNow } from '../../adapters/system.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { present } from '../../core/lib/assert.ts';
import { recipient } from './queries.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
const SENDERS = 10;
const DRAIN_MS_MAX = 20_000;

export interface Devnet {
  readonly rpc: string;
  readonly ws: string;
  /** When each height was told, milliseconds since the epoch. */
  readonly toldAt: Map<number, number>;
  stop(): Promise<void>;
}

export async function devnet(home: string): Promise<Devnet> {
  prepareDevnetHome({
    home,
    accounts: devAccounts(),
    chainId: DEVNET_CHAIN_ID,
    moniker: 'bench',
    blockTime: '1s',
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
  const settings = new Map([
    ['rpc.laddr', 'tcp://127.0.0.1:0'],
    ['json-rpc.address', '127.0.0.1:0'],
    ['json-rpc.ws-address', ''],
    ['api.address', 'tcp://127.0.0.1:0'],
    ['grpc.address', '127.0.0.1:0'],
    ['rpc.max_subscription_clients', '5000'],
    ['rpc.max_subscriptions_per_client', '100'],
    ['rpc.max_open_connections', '5000'],
    ['consensus.timeout_commit', '200ms'],
    ['consensus.skip_timeout_commit', 'false'],
  ]);
  const node = nodeFromHome(loadNodeConfig(home, settings, {}));
  const toldAt = new Map<number, number>();
  const running = await startNode({
    ...node,
    unlocked: [],
    log: createLogger({ level: 'none', format: 'plain' }),
    onBlock: ({ height }) => {
      toldAt.set(height, performance.timeOrigin + performance.now());
    },
  });
  const consensusRpc = present(running.endpoints.consensusRpc, 'consensus rpc');
  return {
    rpc: present(running.endpoints.jsonRpc, 'json-rpc'),
    ws: `${consensusRpc.replace('http', 'ws')}/websocket`,
    toldAt,
    stop: () => running.stop(),
  };
}

/** Transfers in rounds: signed beforehand, sent in small batches at an even pace. */
export class Load {
  readonly #accounts: readonly HDAccount[] = Array.from({ length: SENDERS }, (_, addressIndex) =>
    mnemonicToAccount(MNEMONIC, { addressIndex }),
  );
  readonly #rpc: string;
  #sent = 0;

  /** Transactions a second. */
  readonly rate: number;

  constructor(rpc: string, rate: number) {
    this.#rpc = rpc;
    this.rate = rate;
  }

  /** Once the pool has emptied; what it refused in the round before leaves no gap of nonces behind. */
  async signed(count: number): Promise<readonly string[]> {
    const until = performance.now() + DRAIN_MS_MAX;
    while (performance.now() < until && Number((await this.#ask('txpool_status', [])).pending) > 0)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const nonces = await Promise.all(
      this.#accounts.map(async ({ address }) =>
        Number(await this.#ask('eth_getTransactionCount', [address, 'latest'])),
      ),
    );
    const raws: string[] = [];
    for (let i = 0; i < count; i++, this.#sent++)
      raws.push(
        await (this.#accounts[this.#sent % SENDERS] as HDAccount).signTransaction({
          type: 'eip1559',
          chainId: 9000,
          nonce: (nonces[this.#sent % SENDERS] as number) + Math.floor(i / SENDERS),
          to: recipient(this.#sent % 10_000) as `0x${string}`,
          value: 1n,
          gas: 21_000n,
          maxFeePerGas: 20_000_000_000n,
          maxPriorityFeePerGas: 1_000_000_000n,
        }),
      );
    return raws;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes.
  async #ask(method: string, params: readonly unknown[]): Promise<any> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.#rpc, { method: 'POST', headers, body });
    return ((await answer.json()) as { result: unknown }).result;
  }

  async send(raws: readonly string[]): Promise<void> {
    const BATCH = 50;
    const started = performance.now();
    const waiting: Promise<unknown>[] = [];
    for (let i = 0; i < raws.length; i += BATCH) {
      const due = started + (i / this.rate) * 1000;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      const batch = raws
        .slice(i, i + BATCH)
        .map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }));
      const headers = { 'content-type': 'application/json' };
      waiting.push(
        fetch(this.#rpc, { method: 'POST', headers, body: JSON.stringify(batch) }).then((answer) =>
          answer.text(),
        ),
      );
    }
    await Promise.all(waiting);
  }
}
