import type { EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../../clients/answers/answers.ts';
import type { CallNode } from '../../reference/calls.ts';
import { PRECOMPILE_NAMES } from '../../reference/machine.ts';
import type { Reruns } from '../../reference/reruns.ts';
import { eth, fieldsOf, heightsOf, listOf, unlike } from '../questions.ts';
import { flatRows } from './flatRows.ts';
import { STEPS_MAX, wrongSteps } from './steps.ts';

/** Transactions that are traced at most, each of another kind. */
const TRACED_MAX = 24;
const TRACERS = { callTracer: { withLog: true }, flatCallTracer: {}, '4byteTracer': {} };

interface Place {
  readonly block: EthBlock;
  readonly index: number;
  readonly hash: string;
  readonly node: CallNode;
}

/** The call trees of some transactions are those of the reference, in every tracer's format. */
export async function wrongCallTrees(rpc: RpcContext, reruns: Reruns): Promise<string | undefined> {
  const { chain } = rpc;
  const rows = new Map<number, ReturnType<Reruns['inBlock']>>();
  for (const { block, index, hash, node } of placesOf(rpc, reruns)) {
    const { number } = block.header;
    const view = chain.view(number === rpc.genesis.initialHeight ? 0 : number - 1);
    if (!rows.has(number)) rows.set(number, reruns.inBlock(chain, number, STEPS_MAX));
    const outcome = rows.get(number)?.get(hash);
    if (view === undefined || outcome === undefined) continue;
    const problem =
      (await wrongTree(rpc, block, index, node)) ?? (await wrongSteps(rpc, view, block, index, outcome));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The newest transaction of each kind. */
function placesOf({ chain }: RpcContext, reruns: Reruns): readonly Place[] {
  const blocks = heightsOf(chain).map((height) => present(chain.ethBlock(height), 'a kept block'));
  if (blocks.every(({ transactions }) => transactions.length === 0)) return [];
  const outcomes = reruns.outcomes(chain);
  const found = new Map<string, Place>();
  for (const block of blocks.reverse())
    for (const [index, tx] of [...block.transactions.entries()].reverse()) {
      const hash = to0xHex(tx.hash);
      const outcome = outcomes.get(hash);
      const node = outcome?.calls;
      const kind = node && `${outcome?.authorities.heard.length} ${kindOf(node)}`;
      if (kind !== undefined && node !== undefined && !found.has(kind))
        found.set(kind, { block, index, hash, node });
    }
  // The node can only go forwards through a block.
  const inOrder = (a: Place, b: Place): number =>
    a.block.header.number - b.block.header.number || a.index - b.index;
  return [...found.values()].slice(0, TRACED_MAX).sort(inOrder);
}

const kindOf = ({ kind, error, value, input, calls }: CallNode): string =>
  `${kind} ${error} ${value > 0n} ${input.length > 0}(${[...new Set(calls.map(kindOf))].join()})`;

async function wrongTree(
  rpc: RpcContext,
  block: EthBlock,
  index: number,
  node: CallNode,
): Promise<string | undefined> {
  const tx = present(block.transactions[index], 'a transaction');
  const receipt = present(block.receipts[index], 'its receipt');
  const hash = to0xHex(tx.hash);
  const trace = async (config: Fields) =>
    ((await eth(rpc, 'debug_traceTransaction', [hash, config])) ?? {}) as Fields;
  const whole: Fields = {
    ...shownCall(node),
    gas: quantity(tx.gasLimit),
    gasUsed: quantity(receipt.gasUsed),
  };
  const place = {
    blockHash: to0xHex(block.hash),
    blockNumber: block.header.number,
    transactionHash: hash,
    transactionPosition: index,
  };
  const told = await trace({ tracer: 'muxTracer', tracerConfig: TRACERS });
  const top = await trace({ tracer: 'callTracer', tracerConfig: { onlyTopCall: true, withLog: true } });
  const { calls: _, ...alone } = whole;
  const logs = logsIn(fieldsOf(told, 'callTracer'));
  const written = shownLogs(block).flatMap(({ txIndex, log }) =>
    txIndex === index
      ? [[quantity(log.logIndex), to0xHex(log.address), log.topics.map(to0xHex), to0xHex(log.data)]]
      : [],
  );
  return (
    unlike(`the calls of ${hash}`, plain(fieldsOf(told, 'callTracer')), sorted(whole)) ??
    unlike(`the first call of ${hash}`, plain(top), sorted(alone)) ??
    unlike(`the logs of the first call of ${hash}`, ownLogs(top), ownLogs(fieldsOf(told, 'callTracer'))) ??
    unlike(`the rows of calls in ${hash}`, told['flatCallTracer'], flatRows(whole, place)) ??
    unlike(`the selectors in ${hash}`, sorted(fieldsOf(told, '4byteTracer')), selectorsIn(node)) ??
    unlike(
      `the logs traced in ${hash}`,
      logs.sort((a, b) => a.index - b.index).map(({ log }) => log),
      written,
    ) ??
    unlike(`where logs are traced in ${hash}`, placesOfLogs(fieldsOf(told, 'callTracer')), logPlaces(node))
  );
}

const ownLogs = (call: Fields): readonly unknown[] =>
  listOf(call, 'logs').map(({ index, address, topics, data }) => [index, address, topics, data]);

const sorted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Without logs, and without the revert reason, which is in the output as well. */
function plain(told: Fields): Fields {
  const { revertReason: _, logs: __, ...fields } = told;
  const calls = listOf(fields, 'calls').map(plain);
  return sorted({ ...fields, ...(calls.length === 0 ? {} : { calls }) });
}

/** The call as callTracer shows it. */
function shownCall({ kind, from, to, value, gas, gasUsed, input, output, error, calls }: CallNode): Fields {
  const isLost = error !== undefined && kind.startsWith('CREATE');
  return sorted({
    from: `0x${from}`,
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    ...(isLost ? {} : { to: `0x${to}` }),
    input: to0xHex(input),
    ...(output.length === 0 ? {} : { output: to0xHex(output) }),
    ...(error === undefined ? {} : { error }),
    ...(calls.length === 0 ? {} : { calls: calls.map(shownCall) }),
    ...(kind === 'STATICCALL' ? {} : { value: quantity(value) }),
    type: kind,
  });
}

/** Counts calls of code with at least four bytes of input, by selector and the number of bytes after it. */
function selectorsIn(node: CallNode): Fields {
  const counts = new Map<string, number>();
  const visit = ({ kind, to, input, calls }: CallNode): void => {
    const isCall = kind.includes('CALL') && !PRECOMPILE_NAMES.includes(to);
    const name = `0x${toHex(input.subarray(0, 4))}-${input.length - 4}`;
    if (isCall && input.length >= 4) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const call of calls) visit(call);
  };
  visit(node);
  return sorted(Object.fromEntries(counts));
}

interface TracedLog {
  readonly index: number;
  readonly log: readonly unknown[];
}

/** Logs of a call tree in any order; each has its index. */
const logsIn = (node: Fields): TracedLog[] => [
  ...listOf(node, 'logs').map(({ index, address, topics, data }) => ({
    index: Number(index),
    log: [index, address, topics, data],
  })),
  ...listOf(node, 'calls').flatMap(logsIn),
];

/** For each call, how many inner calls came before each of its logs. A failed call has no logs. */
const placesOfLogs = (node: Fields): readonly unknown[] => [
  listOf(node, 'logs').map(({ position }) => position),
  ...listOf(node, 'calls').map(placesOfLogs),
];

const logPlaces = ({ logs, error, calls }: CallNode, isLost = false): readonly unknown[] => {
  const isGone = isLost || error !== undefined;
  return [
    isGone ? [] : logs.map((place) => quantity(place)),
    ...calls.map((call) => logPlaces(call, isGone)),
  ];
};
