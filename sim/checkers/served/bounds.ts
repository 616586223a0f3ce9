import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, firstOf, heightsOf, unlike, withoutLimits } from '../questions.ts';

/** Limits, the same as geth's. */
const PERCENTILES_MAX = 100;
const SLOTS_MAX = 1024;
/** As many topics as a log can have. */
const TOPICS_MAX = 4;
/** Zero has one digit: no quantity begins with a zero digit that others follow. */
const ZEROS_MAX = 1;

const ACCOUNT = `0x${'5e'.repeat(20)}`;
const [INVALID_PARAMS, SERVER_ERROR, CLIENT_LIMIT] = [-32602, -32000, -38026];

/** A request at its limit, one beyond it, and the code with which the latter is refused. */
interface Bound {
  readonly what: string;
  readonly code: number;
  most(): Promise<unknown>;
  oneMore(): Promise<unknown>;
}

/** A request at its limit is answered, and one beyond it is refused. */
export async function wrongBounds(rpc: RpcContext): Promise<string | undefined> {
  for (const { what, code, most, oneMore } of [...lists(rpc), ...searches(rpc)]) {
    const problem =
      unlike(`the refusal of as many ${what} as may be`, refusalOf(await most()), undefined) ??
      unlike(`the refusal of one more of ${what}`, refusalOf(await oneMore()), code);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const refusalOf = (answer: unknown): unknown => fieldsOf((answer ?? {}) as Fields, 'refused')['code'];

/** Limits of lists in a request. */
function lists(rpc: RpcContext): readonly Bound[] {
  const listed = (
    what: string,
    code: number,
    count: number,
    ask: (count: number) => Promise<unknown>,
  ): Bound => ({ what, code, most: () => ask(count), oneMore: () => ask(count + 1) });
  return [
    listed('percentiles', SERVER_ERROR, PERCENTILES_MAX, (count) =>
      eth(rpc, 'eth_feeHistory', ['0x1', 'latest', Array.from({ length: count }, (_, i) => i / 2)]),
    ),
    listed('proven slots', INVALID_PARAMS, SLOTS_MAX, (count) =>
      eth(rpc, 'eth_getProof', [ACCOUNT, slots(count), 'latest']),
    ),
    listed('slots', CLIENT_LIMIT, SLOTS_MAX, (count) =>
      eth(rpc, 'eth_getStorageValues', [{ [ACCOUNT]: slots(count) }, 'latest']),
    ),
    listed('topics', INVALID_PARAMS, TOPICS_MAX, (count) =>
      eth(rpc, 'eth_getLogs', [{ topics: Array.from({ length: count }, () => null) }]),
    ),
    listed('digits of nothing', INVALID_PARAMS, ZEROS_MAX, (count) =>
      eth(rpc, 'eth_call', [{ to: ACCOUNT, value: `0x${'0'.repeat(count)}` }, 'latest']),
    ),
  ];
}

const slots = (count: number): readonly string[] => Array.from({ length: count }, () => '0x0');

/** Searches all blocks for logs, with limits equal to the numbers of logs or blocks there are, and one less. */
function searches(rpc: RpcContext): readonly Bound[] {
  const { chain } = rpc;
  const counts = heightsOf(chain).map((height) => {
    const block = chain.ethBlock(height);
    return block === undefined ? 0 : shownLogs(block).length;
  });
  const logs = counts.reduce((sum, count) => sum + count, 0);
  // With an index, only blocks with logs are read.
  const isIndexed = rpc.indexing?.kind === 'kv';
  const blocks = isIndexed ? counts.filter((count) => count > 0).length : counts.length;
  const all = { fromBlock: quantity(firstOf(chain)), toBlock: quantity(chain.head()) };
  const searched = (what: string, there: number, limit: 'logsMax' | 'blockRangeMax'): readonly Bound[] => {
    const free = withoutLimits(rpc);
    const ask = (max: number): Promise<unknown> =>
      eth({ ...free, limits: { ...free.limits, [limit]: max } }, 'eth_getLogs', [all]);
    const bound = { what, code: SERVER_ERROR, most: () => ask(there), oneMore: () => ask(there - 1) };
    return there === 0 ? [] : [bound];
  };
  return [...searched('logs', logs, 'logsMax'), ...searched('blocks searched', blocks, 'blockRangeMax')];
}
