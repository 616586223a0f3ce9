/**
 * What subscribers cost. First the comparison alone: one event against 100 to 10,000 queries. Then a node with one
 * validator under 500 transfers a second, and the far ends of a thousand websockets in another process. Last, a search
 * for a rare recipient among a million indexed transactions. `events delivery 100 '1000 × Tx'` runs one
 * part, at another rate, of one kind of clients.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import { nodeFromHome } from '../adapters/cli/runNode.ts';
import { devAccounts } from '../adapters/config/devAccounts.ts';
import { DEVNET_CHAIN_ID, prepareDevnetHome } from '../adapters/config/devnetHome.ts';
import { loadNodeConfig } from '../adapters/config/nodeConfig.ts';
import { LevelStore } from '../adapters/disk/level.ts';
import { createLogger } from '../adapters/log/logger.ts';
import { startNode } from '../adapters/node.ts';
import { systemNow } from '../adapters/system.ts';
import { nobleSuite } from '../core/crypto/noble.ts';
import { typedEvent } from '../core/events/eventTable.ts';
import { commitIndexOps } from '../core/events/index/indexer.ts';
import { EventSearch } from '../core/events/index/search.ts';
import { compileQuery, type Query } from '../core/events/query/query.ts';
import { SubscriptionIndex } from '../core/events/subscriptions.ts';
import { present } from '../core/lib/assert.ts';
import type { FinalizeReply } from '../core/types/app.ts';
import type { Order, Told } from './events/clients.ts';
import type { Print } from './figure.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
const SENDERS = 10;
const RATE_DEFAULT = 500;
const SECONDS = 8;
const DRAIN_MS_MAX = 20_000;

const query = (text: string): Query => {
  const compiled = compileQuery(text);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

const recipient = (i: number): string => `0x${(0x10_0000 + i).toString(16).padStart(40, '0')}`;
const byRecipient = (i: number): string => `tm.event='Tx' AND ethereum.recipient='${recipient(i)}'`;

const percentile = (list: readonly number[], share: number): number => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** Microseconds to find the subscribers of one event among so many queries. */
function matching(print: Print): void {
  let smallest: number | undefined;
  for (const count of [10, 100, 1000, 10_000]) {
    const index = new SubscriptionIndex<number>();
    for (let i = 0; i < count; i++) index.add(query(byRecipient(i)), i);
    const keys = Array.from(
      { length: 512 },
      (_, i) =>
        new Map([
          ['tm.event', ['Tx']],
          ['ethereum.recipient', [recipient(i % count)]],
          ['ethereum.sender', [recipient(1)]],
          ['message.module', ['evm']],
          ['tx.height', ['5']],
        ]),
    );
    let rounds = 0;
    const started = performance.now();
    while (performance.now() - started < 300) {
      for (const each of keys) index.matching(each);
      rounds += keys.length;
    }
    const micros = ((performance.now() - started) * 1000) / rounds;
    smallest ??= micros;
    print({
      bench: 'events',
      metric: `match, ${count} recipients`,
      value: micros,
      unit: 'µs/event',
      vs: '10 recipients',
      ratio: micros / smallest,
    });
  }
}

interface Devnet {
  readonly rpc: string;
  readonly ws: string;
  /** When each height was told, milliseconds since the epoch. */
  readonly toldAt: Map<number, number>;
  stop(): Promise<void>;
}

async function devnet(home: string): Promise<Devnet> {
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
class Load {
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

const answerOf = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve) => child.once('message', (message) => resolve(message as T)));

interface Measured {
  readonly told: Told;
  readonly seconds: number;
  readonly cpuMicros: number;
  readonly blockMs: number;
  readonly delays: readonly number[];
  readonly bytesEach: number;
}

/** One round of load with these clients at the far end. */
async function round(node: Devnet, load: Load, order: Omit<Order, 'url'>): Promise<Measured> {
  const child = fork(new URL('./events/clients.js', import.meta.url), { serialization: 'advanced' });
  const rssBefore = process.memoryUsage().rss;
  child.send({ ...order, url: node.ws } satisfies Order);
  await answerOf(child);
  const rss = process.memoryUsage().rss - rssBefore;
  const raws = await load.signed(load.rate * SECONDS);
  child.send('reset');
  await answerOf(child);
  node.toldAt.clear();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await load.send(raws);
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - started) / 1000;
  const heights = [...node.toldAt.values()];
  // What was under way when the load ended is still to arrive.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  child.send('report');
  const told = await answerOf<Told>(child);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  const delays = told.sample.flatMap(([height, at]) => {
    const since = node.toldAt.get(height);
    return since === undefined ? [] : [at - since];
  });
  return {
    told,
    seconds,
    cpuMicros: used.user + used.system,
    blockMs: ((heights.at(-1) ?? 0) - (heights[0] ?? 0)) / Math.max(1, heights.length - 1),
    delays,
    bytesEach: rss / Math.max(1, order.clients.length),
  };
}

function report(print: Print, name: string, measured: Measured, quiet: Measured): void {
  const { told, seconds, cpuMicros, blockMs, delays, bytesEach } = measured;
  const figure = (metric: string, value: number, unit: string): void =>
    print({ bench: 'events', metric: `${name}: ${metric}`, value, unit });
  figure('delivered', told.events / seconds, 'events/s');
  figure('delay p99', percentile(delays, 0.99), 'ms');
  figure('delay p50', percentile(delays, 0.5), 'ms');
  figure('CPU', Math.max(0, cpuMicros - quiet.cpuMicros) / Math.max(1, told.events), 'µs/event');
  figure('bytes', told.bytes / Math.max(1, told.events), 'bytes/event');
  figure('memory', bytesEach, 'bytes/client');
  figure('cut off', told.closed, 'clients');
  print({
    bench: 'events',
    metric: `${name}: block time`,
    value: blockMs,
    unit: 'ms',
    vs: 'no subscribers',
    ratio: blockMs / quiet.blockMs,
  });
}

async function delivery(print: Print, rate: number, only: string | undefined): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const node = await devnet(home);
  try {
    const load = new Load(node.rpc, rate);
    const same = (count: number, text: string) => Array.from({ length: count }, () => [text]);
    await round(node, load, { clients: [], slow: 0 });
    // Each beside a quiet round of its own: a machine that others use changes its mind within minutes.
    const measure = async (name: string, order: Omit<Order, 'url'>): Promise<void> => {
      if (only !== undefined && only !== name) return;
      const quiet = await round(node, load, { clients: [], slow: 0 });
      print({ bench: 'events', metric: `before ${name}: block time`, value: quiet.blockMs, unit: 'ms' });
      report(print, name, await round(node, load, order), quiet);
    };
    await measure('1000 × NewBlockHeader', { clients: same(1000, "tm.event='NewBlockHeader'"), slow: 0 });
    await measure('10000 recipients, 50 slow', {
      clients: Array.from({ length: 1000 }, (_, i) =>
        Array.from({ length: 10 }, (__, j) => byRecipient(i * 10 + j)),
      ),
      slow: 50,
    });
    await measure('100 × Tx', { clients: same(100, "tm.event='Tx'"), slow: 0 });
    await measure('1000 × Tx', { clients: same(1000, "tm.event='Tx'"), slow: 0 });
  } finally {
    await node.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const TXS_INDEXED = 1_000_000;
const TXS_PER_HEIGHT = 1000;
const RARE_EVERY = 10_000;
const NONE = new Uint8Array(0);

function resultsOf(height: number): FinalizeReply {
  const txResults = Array.from({ length: TXS_PER_HEIGHT }, (_, i) => {
    const at = (height - 1) * TXS_PER_HEIGHT + i;
    const to = at % RARE_EVERY === 0 ? recipient(0) : recipient(1 + (at % 50_000));
    const event = typedEvent('ethereum', [
      ['sender', recipient(at % 10)],
      ['recipient', to],
      ['amount', '1'],
    ]);
    const events = [event, typedEvent('message', [['module', 'evm']])];
    return { code: 0, data: NONE, log: '', info: '', gasWanted: 0n, gasUsed: 0n, events, codespace: '' };
  });
  return { txResults, events: [], validatorUpdates: [], paramUpdates: undefined, appHash: NONE };
}

async function searching(print: Print): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const kv = await LevelStore.open(join(home, 'db'), home);
  try {
    const heights = TXS_INDEXED / TXS_PER_HEIGHT;
    const started = performance.now();
    for (let height = 1; height <= heights; height++)
      await kv.batch(commitIndexOps(kv, height, resultsOf(height)));
    const indexed = ((performance.now() - started) * 1000) / TXS_INDEXED;
    print({ bench: 'events', metric: 'index, 4 attributes a transaction', value: indexed, unit: 'µs/tx' });
    const search = new EventSearch(kv, {
      head: () => heights,
      base: () => 1,
      results: resultsOf,
      txCount: () => TXS_PER_HEIGHT,
      txLocation: () => undefined,
    });
    const wanted = query(`ethereum.recipient='${recipient(0)}'`);
    const both = query(`message.module='evm' AND ethereum.recipient='${recipient(7)}'`);
    const paired = query(`ethereum.sender='${recipient(0)}' AND ethereum.recipient='${recipient(0)}'`);
    for (const [name, each] of [
      ['rare recipient', wanted],
      ['rare recipient and common sender', paired],
      ['rare and common, no event has both', both],
    ] as const) {
      const times: number[] = [];
      for (let i = 0; i < 200; i++) {
        const from = performance.now();
        const found = await search.txs(each);
        if (!found.ok) throw new Error(found.error.message);
        times.push(performance.now() - from);
      }
      print({
        bench: 'events',
        metric: `search p99, 10^6 txs, ${name}`,
        value: percentile(times, 0.99),
        unit: 'ms',
      });
    }
  } finally {
    await kv.close();
    rmSync(home, { recursive: true, force: true });
  }
}

export async function run(print: Print, [only, rate, one]: readonly string[]): Promise<void> {
  if (only === undefined || only === 'match') matching(print);
  if (only === undefined || only === 'delivery')
    await delivery(print, rate === undefined ? RATE_DEFAULT : Number(rate), one);
  if (only === undefined || only === 'search') await searching(print);
}
