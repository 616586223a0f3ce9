import type { ChainReader } from '../../../core/app/chain.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../../clients/answers/answers.ts';
import { eth, firstOf, heightsOf, unlike, withoutLimits } from '../questions.ts';

/** A topic that no log has. */
const NOWHERE = `0x${'5e'.repeat(32)}`;
const INVALID_PARAMS = -32602;

type Wanted = (log: Fields) => boolean;
type Question = readonly [filter: Fields, of: readonly Fields[], isWanted: Wanted];

/**
 * eth_getLogs finds the right logs: by several addresses over all blocks, by any topic, by all topics of a log at their
 * positions, in one block by hash, without fromBlock, and it refuses ranges beyond the head.
 */
export async function wrongLogs(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const logs = heightsOf(chain).flatMap((height) => logsAt(chain, height));
  const head = chain.head();
  // Without an index a search reads every block, and is refused if these are too many.
  if (rpc.indexing?.kind !== 'kv' && head - firstOf(chain) >= rpc.limits.blockRangeMax)
    return wrongBeyond(rpc);
  const all = { fromBlock: quantity(firstOf(chain)), toBlock: quantity(head) };
  const questions: Question[] = [
    [{}, logsAt(chain, head), () => true],
    [{ toBlock: quantity(head) }, logsAt(chain, head), () => true],
    [{ ...all, topics: [[NOWHERE, null]] }, logs, (log) => topicsOf(log).length > 0],
  ];
  const [first, last] = [addresses(logs)[0], addresses(logs).at(-1)];
  for (const address of [
    [first, last],
    [last, first],
  ])
    if (first !== undefined)
      questions.push([{ ...all, address }, logs, (log) => address.includes(String(log['address']))]);
  questions.push(...byTopics(logs, all));
  for (const [filter, of, isWanted] of questions) {
    const told = await eth(withoutLimits(rpc), 'eth_getLogs', [filter]);
    const problem = unlike(`eth_getLogs ${JSON.stringify(filter)}`, told, of.filter(isWanted));
    if (problem !== undefined) return problem;
  }
  return wrongBeyond(rpc);
}

/**
 * Asks for the topics of the newest log with the most topics: all of them, in reverse, and only the last; in its block
 * and in all blocks.
 */
function byTopics(logs: readonly Fields[], all: Fields): readonly Question[] {
  const most = Math.max(0, ...logs.map((log) => topicsOf(log).length));
  const log = logs.findLast((one) => topicsOf(one).length === most);
  if (log === undefined || most === 0) return [];
  const topics = topicsOf(log);
  const last = topics.map((topic, i) => (i === most - 1 ? topic : null));
  const { blockHash } = log;
  const beside = logs.filter((one) => one['blockHash'] === blockHash);
  return [topics, [...topics].reverse(), last].flatMap((wanted): Question[] => [
    [{ blockHash, topics: wanted }, beside, withTopics(wanted)],
    [{ ...all, topics: wanted }, logs, withTopics(wanted)],
  ]);
}

/** null matches any topic, but there must be one. */
const withTopics =
  (wanted: readonly unknown[]): Wanted =>
  (log) =>
    wanted.length <= topicsOf(log).length &&
    wanted.every((topic, i) => topic === null || topicsOf(log)[i] === topic);

/** A range beyond the head is refused, not answered with an empty list. */
async function wrongBeyond(rpc: RpcContext): Promise<string | undefined> {
  const filter = { fromBlock: quantity(firstOf(rpc.chain)), toBlock: quantity(rpc.chain.head() + 1) };
  const told = (await eth(rpc, 'eth_getLogs', [filter])) as { readonly refused?: Fields };
  return unlike('eth_getLogs beyond the head with the code', told.refused?.['code'], INVALID_PARAMS);
}

const topicsOf = (log: Fields): readonly unknown[] => log['topics'] as readonly unknown[];

const logsAt = (chain: ChainReader, height: number): readonly Fields[] => {
  const block = chain.ethBlock(height);
  return block === undefined ? [] : shownLogs(block).map(({ shown }) => shown);
};

/** Addresses in the order of their first logs. */
const addresses = (logs: readonly Fields[]): readonly string[] => [
  ...new Set(logs.map(({ address }) => String(address))),
];
