import type { ChainReader } from '../../core/app/chain.ts';
import { compileQuery } from '../../core/events/query/query.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';
import { type Fields, quantity, shownLogs } from '../clients/answers/answers.ts';
import type { Process } from '../machine/process.ts';
import { type Checker, type CheckerContext, isTolerable } from './checker.ts';
import { attributesOf, indexed, type Kind, questions, spelled, Tagged } from './eventQuestions.ts';
import { failBy } from './unanswered.ts';

/** Attributes that are searched for, and addresses and topics: spread over all that there are and over the nodes. */
const SEARCHED_MAX = 48;

/** First bytes of the index's keys: events of transactions, of blocks, and logs. */
const PREFIXES = ['Q', 'W', 'L'] as const;

/**
 * REC: what a node's event index finds is what its blocks have, whenever the power went: by one attribute, by two of
 * the same event, by height; and it holds nothing else. Logs are found by address and topic with an index and without.
 */
export function searches(context: CheckerContext): Checker {
  return {
    name: 'records',
    async finish() {
      if (!isTolerable(context)) return;
      for (const [number, node] of context.correct.entries()) {
        const rpc = node.node?.rpc;
        // Its node compares the next head it writes with what it reads, and stops; what it finds till then is the drive's.
        if (rpc === undefined || node.state === 'halted' || node.disk.kv.isStale) continue;
        try {
          const share = { number, of: context.correct.length };
          const isIndexed = node.isIndexed ?? context.scenario.engine.isIndexed;
          const problem =
            (await wrongLogs(share, rpc)) ?? (isIndexed ? await wrongIndex(share, node, rpc) : undefined);
          if (problem !== undefined) context.fail('records', `${node.name} ${problem}`);
        } catch (error) {
          failBy(context, node, error);
        }
      }
    },
  };
}

const wrongIndex = async (share: Share, node: Process, rpc: RpcContext): Promise<string | undefined> =>
  (await wrongEvents(share, rpc)) ?? strayEntries(node, rpc);

/** Which of how many nodes is asked. */
interface Share {
  readonly number: number;
  readonly of: number;
}

/** As many as may be searched for, spread evenly, for each node others. */
function spread<T>(all: readonly T[], { number, of }: Share): readonly T[] {
  const step = Math.max(1, Math.ceil((all.length * of) / SEARCHED_MAX));
  return all.filter((_, i) => i % step === number % step);
}

async function wrongEvents(share: Share, rpc: RpcContext): Promise<string | undefined> {
  const events = indexed(rpc.chain);
  const tagged = new Tagged(events);
  for (const question of spread(attributesOf(events), share).flatMap(questions)) {
    const { kind, text } = question;
    const truth = tagged.places(question).join(' ');
    const told = await search(rpc, kind, text);
    if (told !== truth) return `finds ${told} by ${text}, should find ${truth}`;
  }
  return undefined;
}

async function search({ indexing }: RpcContext, kind: Kind, text: string): Promise<string> {
  const query = compileQuery(text);
  if (indexing?.kind !== 'kv' || !query.ok) return query.ok ? 'nothing, being without an index' : query.error;
  if (kind === 'tx') {
    const txs = await indexing.search.txs(query.value);
    return txs.ok ? txs.value.map(({ height, index }) => `${height}/${index}`).join(' ') : txs.error.message;
  }
  const blocks = await indexing.search.blocks(query.value);
  return blocks.ok ? blocks.value.join(' ') : blocks.error.message;
}

/** Logs of the whole chain by each address and each topic at its place. */
async function wrongLogs(share: Share, rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const all = logsOf(chain);
  const wanted = new Map<string, Fields>();
  for (const log of all) {
    wanted.set(String(log['address']), { address: log['address'] });
    for (const [i, topic] of topicsOf(log).entries())
      wanted.set(`${i} ${topic}`, { topics: [...Array.from({ length: i }, () => null), topic] });
  }
  const range = { fromBlock: quantity(chain.base()), toBlock: quantity(chain.head()) };
  for (const question of spread([...wanted.values()], share)) {
    const filter = { ...range, ...question };
    const truth = all.filter((log) => meets(log, question));
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] };
    const reply = await handleEthRequest(rpc, JSON.stringify(request), 'http');
    const told = JSON.stringify((JSON.parse(reply ?? '{}') as { result?: unknown }).result);
    if (told !== JSON.stringify(truth))
      return `answers eth_getLogs ${JSON.stringify(filter)} with ${told}, should with ${JSON.stringify(truth)}`;
  }
  return undefined;
}

/** As JSON-RPC shows them, of all kept blocks. */
function logsOf(chain: ChainReader): readonly Fields[] {
  const logs: Fields[] = [];
  for (let height = chain.base(); height <= chain.head(); height++) {
    const block = chain.ethBlock(height);
    if (block !== undefined) logs.push(...shownLogs(block).map(({ shown }) => shown));
  }
  return logs;
}

const topicsOf = (log: Fields): readonly string[] => log['topics'] as readonly string[];

function meets(log: Fields, { address, topics }: Fields): boolean {
  if (address !== undefined) return log['address'] === address;
  return (topics as readonly (string | null)[]).every(
    (topic, i) => topicsOf(log)[i] !== undefined && (topic === null || topicsOf(log)[i] === topic),
  );
}

/** One entry for each height and value that an event has there, and for each address and topic at its place. */
function strayEntries(node: Process, rpc: RpcContext): string | undefined {
  const { chain } = rpc;
  const wanted = { Q: new Set<string>(), W: new Set<string>(), L: new Set<string>() };
  for (const { kind, height, attributes } of indexed(chain))
    for (const [tag, value] of attributes)
      wanted[kind === 'tx' ? 'Q' : 'W'].add(`${height} ${tag} ${spelled(value)}`);
  for (const log of logsOf(chain)) {
    const height = log['blockNumber'];
    wanted.L.add(`${height}`).add(`${height} ${log['address']}`);
    for (const [i, topic] of topicsOf(log).entries()) wanted.L.add(`${height} ${i} ${topic}`);
  }
  for (const prefix of PREFIXES) {
    const at = prefix.charCodeAt(0);
    const range = { gte: Uint8Array.of(at), lt: Uint8Array.of(at + 1), limitMax: wanted[prefix].size + 1 };
    const has = node.disk.kv.range(range).length;
    if (has !== wanted[prefix].size)
      return `has ${has} index entries of kind ${prefix}, should have ${wanted[prefix].size}`;
  }
  return undefined;
}
