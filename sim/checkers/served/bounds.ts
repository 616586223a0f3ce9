import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, firstOf, heightsOf, unlike } from '../questions.ts';

/** As geth has them. */
const PERCENTILES_MAX = 100;
const SLOTS_MAX = 1024;

const ACCOUNT = `0x${'5e'.repeat(20)}`;
const [INVALID_PARAMS, SERVER_ERROR, CLIENT_LIMIT] = [-32602, -32000, -38026];

/** What is asked for, how much of it at most, and the code of the refusal of one more. */
interface Bound {
  readonly what: string;
  readonly most: number;
  readonly code: number;
  ask(count: number): Promise<unknown>;
}

/** Whoever asks for as much as may be asked for is answered, and whoever asks for one more is not. */
export async function wrongBounds(rpc: RpcContext): Promise<string | undefined> {
  for (const { what, most, code, ask } of [...lists(rpc), ...searches(rpc)]) {
    const problem =
      unlike(`the refusal of ${most} ${what}`, refusalOf(await ask(most)), undefined) ??
      unlike(`the refusal of ${most + 1} ${what}`, refusalOf(await ask(most + 1)), code);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const refusalOf = (answer: unknown): unknown => fieldsOf((answer ?? {}) as Fields, 'refused')['code'];

/** Lists in a question. */
const lists = (rpc: RpcContext): readonly Bound[] => [
  {
    what: 'percentiles',
    most: PERCENTILES_MAX,
    code: SERVER_ERROR,
    ask: (count) =>
      eth(rpc, 'eth_feeHistory', ['0x1', 'latest', Array.from({ length: count }, (_, i) => i / 2)]),
  },
  {
    what: 'proven slots',
    most: SLOTS_MAX,
    code: INVALID_PARAMS,
    ask: (count) => eth(rpc, 'eth_getProof', [ACCOUNT, slots(count), 'latest']),
  },
  {
    what: 'slots',
    most: SLOTS_MAX,
    code: CLIENT_LIMIT,
    ask: (count) => eth(rpc, 'eth_getStorageValues', [{ [ACCOUNT]: slots(count) }, 'latest']),
  },
];

const slots = (count: number): readonly string[] => Array.from({ length: count }, () => '0x0');

/** Logs of all blocks, by a node that may find no more of them, or read no more blocks, than there are. */
function searches(rpc: RpcContext): readonly Bound[] {
  const { chain } = rpc;
  const counts = heightsOf(chain).map((height) => {
    const block = chain.ethBlock(height);
    return block === undefined ? 0 : shownLogs(block).length;
  });
  const logs = counts.reduce((sum, count) => sum + count, 0);
  // An index names the blocks that have any.
  const isIndexed = rpc.indexing?.kind === 'kv';
  const blocks = isIndexed ? counts.filter((count) => count > 0).length : counts.length;
  const all = { fromBlock: quantity(firstOf(chain)), toBlock: quantity(chain.head()) };
  // Asked for one more than may be found: there are as many as before, and one less may be found.
  const searched = (what: string, there: number, limit: 'logsMax' | 'blockRangeMax'): Bound => ({
    what,
    most: there,
    code: SERVER_ERROR,
    ask: (count) => eth(limited(rpc, { [limit]: 2 * there - count }), 'eth_getLogs', [all]),
  });
  return [
    ...(logs > 0 ? [searched('logs', logs, 'logsMax')] : []),
    ...(blocks > 0 ? [searched('blocks with logs', blocks, 'blockRangeMax')] : []),
  ];
}

/** The same node with other limits. */
const limited = (rpc: RpcContext, limits: Partial<RpcContext['limits']>): RpcContext => ({
  ...rpc,
  limits: { ...rpc.limits, ...limits },
  now: () => rpc.now(),
  randomId: () => rpc.randomId(),
  catchingUp: () => rpc.catchingUp(),
  submit: (tx) => rpc.submit(tx),
});
