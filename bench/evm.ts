/**
 * The EVM: pure computation through our engine and through the library alone, token transfers until they are included,
 * and the trace of a transaction of a million gas, with anvil and hardhat beside it.
 */
import { createEVM } from '@ethereumjs/evm';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { createAddressFromString } from '@ethereumjs/util';
import type { HDAccount } from 'viem/accounts';
import { acceleratedSuite } from '../adapters/crypto/accelerated.ts';
import { type BlockEnv, createCommon, EnginePool, evmBlockOf } from '../core/app/evm/engine.ts';
import { runMessage } from '../core/app/evm/message.ts';
import { TouchLog } from '../core/app/evm/touchLog.ts';
import { hex } from '../core/lib/bytes.ts';
import { StateDb } from '../core/state/stateDb.ts';
import { WorldState } from '../core/state/worldState.ts';
import { BlockWriteSet } from '../core/state/writeSet.ts';
import { MemoryKv } from '../core/store/memoryKv.ts';
import { EMPTY_ROOTS } from '../core/store/roots.ts';
import type { Guard } from '../core/types/app.ts';
import { pause, type RpcClient, receiptOf, spread } from './ethereum/client.ts';
import { ANVIL, accountsOf, HARDHAT, type NodeKind, ORRERY, withNode } from './ethereum/nodes.ts';
import type { Print } from './figure.ts';

const bench = 'evm';
export const CHAIN_ID = 9000n;
const COMPUTE_GAS = 2_000_000n;
const COMPUTE_RUNS = 11;
const TOKEN_TRANSFERS = 1000;
const SENDERS = 10;
const BATCH = 50;
const TRACES = 5;
const DEADLINE_MS = 60_000;

/** Multiplies, divides, adds and shifts one number until the gas is gone. */
const SPIN = '60015b8002600706600301600b1b60051c600256';
/** The same, but it stops while there is gas: hardhat answers a failed transaction with an error, not with its hash. */
const SPIN_AND_STOP = '60015b8002600706600301600b1b60051c5a61138810600257';
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** transfer(address,uint256) of a token without checks: two slots, one log, true. */
const TOKEN = `60243580335403335580600435540160043555600052600435337f${TRANSFER_TOPIC}60206000a3600160005260206000f3`;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const CALLER = `0x${'ca'.repeat(20)}` as const;
const ENV: BlockEnv = {
  number: 1,
  coinbase: new Uint8Array(20),
  timestamp: 1,
  prevRandao: new Uint8Array(32),
  gasLimit: 30_000_000n,
  baseFee: 0n,
  blockHash: () => new Uint8Array(32),
};

type Suite = Awaited<ReturnType<typeof acceleratedSuite>>;

/** The library with its own simplest state manager. */
async function bareRun(suite: Suite): Promise<() => Promise<unknown>> {
  const common = createCommon(CHAIN_ID, 'osaka', suite);
  const stateManager = new SimpleStateManager({ common });
  const evm = await createEVM({ common, stateManager });
  const to = createAddressFromString(CONTRACT);
  const caller = createAddressFromString(CALLER);
  await stateManager.putCode(to, hex(SPIN));
  return () => evm.runCall({ block: evmBlockOf(ENV), to, caller, origin: caller, gasLimit: COMPUTE_GAS });
}

/** As a block runs it, or as a reader's call, with its guard. */
export function ourRun(
  suite: Suite,
  engines: EnginePool,
  guard: Guard | undefined,
  code: string = SPIN,
  gas: bigint = COMPUTE_GAS,
): () => Promise<unknown> {
  const db = new StateDb(new MemoryKv(), (message) => suite.keccak256(message));
  const world = WorldState.open(db, EMPTY_ROOTS);
  const [to, from] = [hex(CONTRACT.slice(2)), hex(CALLER.slice(2))];
  return () => {
    const writes = new BlockWriteSet(world);
    writes.putCode(to, hex(code));
    writes.beginTx();
    const log = new TouchLog(writes);
    const fixed = { value: 0n, gasPrice: 0n, accessList: [], authorizationList: [], data: new Uint8Array(0) };
    const context = { writes, log, env: ENV, engines, evmChainId: CHAIN_ID, suite, guard };
    return runMessage(context, { from, to, gas, ...fixed });
  };
}

/** Code that fails early would seem fast. */
function assertSpent(result: unknown): void {
  const { execResult } = result as {
    execResult: { executionGasUsed: bigint; exceptionError?: { error: string } };
  };
  if (execResult.executionGasUsed < COMPUTE_GAS || execResult.exceptionError?.error !== 'out of gas')
    throw new Error(`the computation ended with ${execResult.exceptionError?.error ?? 'success'}`);
}

/** The three take turns, so that whatever else the machine does hits all alike. */
async function compute(print: Print): Promise<void> {
  const suite = await acceleratedSuite();
  const engines = new EnginePool(createCommon(CHAIN_ID, 'osaka', suite));
  const idle: Guard = { tick: () => undefined, look: () => undefined };
  const runs = [
    await bareRun(suite),
    ourRun(suite, engines, undefined),
    ourRun(suite, engines, idle),
  ] as const;
  const times: number[][] = [[], [], []];
  for (const run of runs) await run();
  assertSpent(await runs[0]());
  for (let i = 0; i < COMPUTE_RUNS; i++) {
    for (const [at, run] of runs.entries()) {
      const began = performance.now();
      await run();
      times[at]?.push(performance.now() - began);
    }
  }
  const [bare, block, call] = times.map(median) as [number, number, number];
  const rate = (ms: number): number => Number(COMPUTE_GAS) / ms / 1000;
  print({ bench, metric: 'compute, library alone', value: rate(bare), unit: 'Mgas/s' });
  const ours = { bench, unit: 'Mgas/s', vs: 'library alone' };
  print({ ...ours, metric: 'compute in a block', value: rate(block), ratio: bare / block });
  print({ ...ours, metric: 'compute in a guarded call', value: rate(call), ratio: bare / call });
}

const deploying = (runtime: string): `0x${string}` =>
  `0x61${(runtime.length / 2).toString(16).padStart(4, '0')}80600c6000396000f3${runtime}`;

async function deploy(client: RpcClient, from: string, runtime: string): Promise<string> {
  const hash = await client.call('eth_sendTransaction', [{ from, data: deploying(runtime), gas: '0x7a120' }]);
  return (await receiptOf<{ contractAddress: string }>(client, hash)).contractAddress;
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0');

async function signTransfers(
  client: RpcClient,
  accounts: readonly HDAccount[],
  token: string,
): Promise<readonly string[]> {
  const chainId = Number(await client.call('eth_chainId'));
  const nonces = await noncesOf(client, accounts);
  const raws: string[] = [];
  for (let i = 0; i < TOKEN_TRANSFERS; i++) {
    const account = accounts[i % SENDERS] as HDAccount;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce: (nonces[i % SENDERS] ?? 0) + Math.floor(i / SENDERS),
      to: token as `0x${string}`,
      data: `0xa9059cbb${word(0x1000n + BigInt(i % 100))}${word(1n)}`,
      gas: 100_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    raws.push(raw);
  }
  return raws;
}

const noncesOf = (client: RpcClient, accounts: readonly HDAccount[]): Promise<readonly number[]> =>
  Promise.all(
    accounts.map(async ({ address }) =>
      Number(await client.call('eth_getTransactionCount', [address, 'latest'])),
    ),
  );

const bodyOf = (raw: string, id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_sendRawTransaction',
  params: [raw],
});

/** Included a second, from the first request until every nonce shows them all. */
async function included(client: RpcClient, token: string, batch: number): Promise<number> {
  const accounts = accountsOf(SENDERS);
  const before = (await noncesOf(client, accounts)).reduce((a, b) => a + b, 0);
  const raws = await signTransfers(client, accounts, token);
  const bodies: string[] = [];
  for (let i = 0; i < raws.length; i += batch) {
    const calls = raws.slice(i, i + batch).map(bodyOf);
    bodies.push(JSON.stringify(batch === 1 ? calls[0] : calls));
  }
  const began = performance.now();
  const deadline = began + DEADLINE_MS;
  await spread(bodies.length, (i) => client.post(bodies[i] ?? ''), deadline);
  for (;;) {
    const count = (await noncesOf(client, accounts)).reduce((a, b) => a + b, 0) - before;
    if (count >= raws.length || performance.now() > deadline)
      return count / ((performance.now() - began) / 1000);
    await pause(25);
  }
}

async function median5(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < TRACES; i++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** What a node cannot do is told and left out. */
async function measured(kind: NodeKind): Promise<ReadonlyMap<string, number> | undefined> {
  return withNode(kind, async ({ client }) => {
    const from = accountsOf(1)[0]?.address ?? '';
    const figures = new Map<string, number>();
    const measure = async (metric: string, work: () => Promise<number>): Promise<void> => {
      try {
        figures.set(metric, await work());
      } catch (error) {
        process.stderr.write(`${kind.name}: ${metric}: ${String(error)}\n`);
      }
    };
    const token = await deploy(client, from, TOKEN);
    await measure('token transfers included, single', () => included(client, token, 1));
    await measure('token transfers included, batches of 50', () => included(client, token, BATCH));
    const spinner = await deploy(client, from, SPIN_AND_STOP);
    const million = { from, to: spinner, gas: '0xf4240' };
    const hash = await client.call('eth_sendTransaction', [million]);
    await receiptOf(client, hash);
    const trace = (config: object) => () => client.call('debug_traceTransaction', [hash, config]);
    const bare = { disableStack: true, disableMemory: true, disableStorage: true };
    await measure('trace of a million gas, call tracer', () => median5(trace({ tracer: 'callTracer' })));
    await measure('trace of a million gas, struct logs without stack', () => median5(trace(bare)));
    return figures;
  });
}

export async function run(print: Print): Promise<void> {
  await compute(print);
  const ours = await measured(ORRERY);
  for (const [metric, value] of ours ?? []) print({ bench, metric, value, unit: unitOf(metric) });
  for (const kind of [ANVIL, HARDHAT]) {
    const theirs = await measured(kind).catch((error: unknown) => {
      process.stderr.write(`${kind.name}: ${String(error)}\n`);
      return undefined;
    });
    for (const [metric, value] of theirs ?? []) {
      const own = ours?.get(metric);
      if (own === undefined) continue;
      const ratio = unitOf(metric) === 'ms' ? value / own : own / value;
      print({
        bench,
        metric: `${metric}, ${kind.name}`,
        value,
        unit: unitOf(metric),
        vs: 'orrery is',
        ratio,
      });
    }
  }
}

const unitOf = (metric: string): string => (metric.startsWith('trace') ? 'ms' : 'tx/s');
