/** eth_getLogs over many blocks: this node's store and index, anvil and hardhat with as many blocks and the same logs. */
import type { Print } from '../figure.ts';
import { type RpcClient, receiptOf } from './client.ts';
import { COMMON_EVERY, COMMON_TOPIC, EMITTER, isRareAt, RARE_TOPIC, withLogChain } from './logChain.ts';
import { ANVIL, accountsOf, HARDHAT, type NodeKind, withNode } from './nodes.ts';

const BLOCKS = 10_000;
const RUNS = 5;

/** Logs nothing under the topic that the call brings. */
const LOG_TOPIC = '0x655f355f5fa1005f526006601af3';

interface Searches {
  readonly rareMs: number;
  readonly commonMs: number;
}

async function fastest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

async function searched(client: RpcClient, address: string, first: number, last: number): Promise<Searches> {
  const range = { fromBlock: `0x${first.toString(16)}`, toBlock: `0x${last.toString(16)}`, address };
  const search = (topic: string) => () =>
    client.call<unknown[]>('eth_getLogs', [{ ...range, topics: [`0x${topic}`] }]);
  return { rareMs: await fastest(search(RARE_TOPIC)), commonMs: await fastest(search(COMMON_TOPIC)) };
}

/** As many blocks as ours, one in ten of them with a log. */
async function others(kind: NodeKind): Promise<Searches | undefined> {
  const mine = `${kind.name}_mine`;
  return withNode(kind, async ({ client }) => {
    const from = accountsOf(1)[0]?.address ?? '';
    const made = await client.call('eth_sendTransaction', [{ from, data: LOG_TOPIC, gas: '0x30d40' }]);
    const { contractAddress: to } = await receiptOf<{ contractAddress: string }>(client, made);
    const first = Number(await client.call('eth_blockNumber'));
    for (let height = 0; height < BLOCKS; height += COMMON_EVERY) {
      const isRare = isRareAt(height + COMMON_EVERY - 1);
      const data = `0x${isRare ? RARE_TOPIC : COMMON_TOPIC}`;
      await client.call('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }]);
      await client.call(mine, [`0x${COMMON_EVERY.toString(16)}`]);
    }
    return searched(client, to, first, first + BLOCKS - 1);
  });
}

const shown = (blocks: number): string => (blocks === BLOCKS ? 'ten thousand' : String(blocks));

/** `args`: how many blocks beside ten thousand, for the rare topic. */
export async function logSearches(bench: string, print: Print, args: readonly string[]): Promise<void> {
  const ours = await withLogChain(BLOCKS, (client) => searched(client, `0x${EMITTER}`, 0, BLOCKS));
  const metrics = [
    [`eth_getLogs, rare topic in ${shown(BLOCKS)} blocks`, 'rareMs'],
    [`eth_getLogs, 1000 logs in ${shown(BLOCKS)} blocks`, 'commonMs'],
  ] as const;
  for (const [metric, key] of metrics) print({ bench, metric, value: ours[key], unit: 'ms' });
  for (const kind of [ANVIL, HARDHAT]) {
    const theirs = await others(kind).catch((error: unknown) => {
      process.stderr.write(`${kind.name}: ${String(error)}\n`);
      return undefined;
    });
    for (const [metric, key] of theirs === undefined ? [] : metrics) {
      const value = theirs?.[key] ?? Number.NaN;
      print({
        bench,
        metric: `${metric}, ${kind.name}`,
        value,
        unit: 'ms',
        vs: 'orrery is',
        ratio: value / ours[key],
      });
    }
  }
  const many = Number(args[0] ?? 0);
  if (!Number.isSafeInteger(many) || many <= BLOCKS) return;
  await withLogChain(many, async (client, builtMs) => {
    const { rareMs } = await searched(client, `0x${EMITTER}`, 0, many);
    print({ bench, metric: `eth_getLogs, rare topic in ${many} blocks`, value: rareMs, unit: 'ms' });
    print({ bench, metric: `written ${many} blocks for it`, value: builtMs / 1000, unit: 's' });
  });
}
