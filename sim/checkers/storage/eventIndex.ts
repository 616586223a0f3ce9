import { compileQuery } from '../../../core/events/query/query.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { handleEthRequest } from '../../../core/rpc/eth/jsonrpc.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { cut } from '../../difference.ts';
import type { Process } from '../../machine/process.ts';
import { isShort } from '../../sample.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { unlike, withoutLimits } from '../questions.ts';
import { failBy } from '../unanswered.ts';
import { eventQueries, type Kind } from './eventQueries.ts';
import { type ExpectedIndex, ExpectedIndexes, PREFIXES, topicsOf } from './expectedIndex.ts';

/** Attributes, addresses and topics to search for, spread over all there are and over the nodes. */
const SEARCHED_MAX = 48;
/** The same for a long chain, where each search takes longer. */
const SEARCHED_OF_LONG_MAX = 16;

/**
 * REC: a node's event index finds what its blocks have, wherever a crash came: by one attribute, by two of the same
 * event, by height; and it holds nothing else. Logs are found by address and topic, with and without an index.
 */
export function eventIndex(context: CheckerContext): Checker {
  return {
    name: 'records',
    async finish() {
      if (!isTolerable(context)) return;
      const truths = new ExpectedIndexes();
      for (const [number, node] of context.correct.entries()) {
        const rpc = node.node?.rpc;
        // A node on a stale drive stops at the next head that it writes and reads back. What it finds until then is the
        // drive's fault.
        if (rpc === undefined || node.state === 'halted' || node.disk.kv.isStale) continue;
        try {
          const past = context.past.of(node, rpc.chain);
          const searchedMax = isShort(past) ? SEARCHED_MAX : SEARCHED_OF_LONG_MAX;
          const share = { number, of: context.correct.length, searchedMax };
          const isIndexed = node.isIndexed ?? context.scenario.engine.isIndexed;
          const truth = truths.of(past);
          const problem =
            (await wrongLogs(share, rpc, truth)) ??
            (isIndexed ? await wrongIndex(share, node, rpc, truth) : undefined);
          if (problem !== undefined) context.fail('records', `${node.name} ${problem}`);
        } catch (error) {
          failBy(context, node, error);
        }
      }
    },
  };
}

const wrongIndex = async (
  share: Share,
  node: Process,
  rpc: RpcContext,
  truth: ExpectedIndex,
): Promise<string | undefined> => (await wrongEvents(share, rpc, truth)) ?? strayEntries(node, truth);

/** Which of how many nodes is asked, and how much they are asked in all. */
interface Share {
  readonly number: number;
  readonly of: number;
  readonly searchedMax: number;
}

/** As many items as may be searched for, spread evenly, and different ones for each node. */
function spread<T>(all: readonly T[], { number, of, searchedMax }: Share): readonly T[] {
  const step = Math.max(1, Math.ceil((all.length * of) / searchedMax));
  return all.filter((_, i) => i % step === number % step);
}

async function wrongEvents(
  share: Share,
  rpc: RpcContext,
  { attributes, tagged }: ExpectedIndex,
): Promise<string | undefined> {
  for (const question of spread(attributes, share).flatMap(eventQueries)) {
    const { kind, text } = question;
    const truth = tagged.places(question).join(' ');
    const told = await search(rpc, kind, text);
    if (told !== truth)
      return `finds ${cut(told) || 'nothing'} by ${text}, should find ${cut(truth) || 'nothing'}`;
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

/** Searches the logs of the whole chain by each address and by each topic at its position. */
async function wrongLogs(
  share: Share,
  rpc: RpcContext,
  { logs: all }: ExpectedIndex,
): Promise<string | undefined> {
  const { chain } = rpc;
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
    const reply = await handleEthRequest(withoutLimits(rpc), JSON.stringify(request), 'http');
    const { result, error } = JSON.parse(reply ?? '{}') as { result?: unknown; error?: unknown };
    const problem = unlike(`eth_getLogs ${JSON.stringify(filter)}`, result ?? { refused: error }, truth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function meets(log: Fields, { address, topics }: Fields): boolean {
  if (address !== undefined) return log['address'] === address;
  return (topics as readonly (string | null)[]).every(
    (topic, i) => topicsOf(log)[i] !== undefined && (topic === null || topicsOf(log)[i] === topic),
  );
}

function strayEntries(node: Process, { counts }: ExpectedIndex): string | undefined {
  for (const prefix of PREFIXES) {
    const at = prefix.charCodeAt(0);
    const range = { gte: Uint8Array.of(at), lt: Uint8Array.of(at + 1), limitMax: counts[prefix] + 1 };
    const has = node.disk.kv.range(range).length;
    if (has !== counts[prefix])
      return `has ${has} index entries of kind ${prefix}, should have ${counts[prefix]}`;
  }
  return undefined;
}
