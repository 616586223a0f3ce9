import type { CallNode } from './callTracer.ts';
import type { TracerContext } from './tracer.ts';

export interface FlatOptions {
  readonly convertParityErrors: boolean;
  readonly includePrecompiles: boolean;
}

/** Calls of these kinds to a precompile are hidden. */
const HIDDEN_KINDS = new Set(['CALL', 'STATICCALL']);

/** Parity's error texts. */
const PARITY_ERRORS: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
]);

const parityError = (error: string): string => {
  if (error.startsWith('out of gas:')) return 'Out of gas';
  if (error.startsWith('invalid opcode:')) return 'Bad instruction';
  if (error.startsWith('stack underflow')) return 'Stack underflow';
  return PARITY_ERRORS.get(error) ?? error;
};

function actionOf(node: CallNode): Record<string, unknown> {
  const { from, gas, input, to, value = '0x0' } = node;
  if (node.type === 'SELFDESTRUCT') return { address: from, balance: value, refundAddress: to };
  if (node.type === 'CREATE' || node.type === 'CREATE2')
    return { creationMethod: node.type.toLowerCase(), from, gas, init: input, value };
  return { callType: node.type.toLowerCase(), from, gas, input, to, value };
}

/** A revert keeps its result, which states the reason; other failures have none. */
function resultOf(node: CallNode): Record<string, unknown> | undefined {
  const { error, gasUsed, to, output = '0x', type } = node;
  if ((error !== undefined && error !== 'execution reverted') || type === 'SELFDESTRUCT') return undefined;
  if (!type.startsWith('CREATE')) return { gasUsed, output };
  return { ...(error === undefined ? { address: to } : {}), code: output, gasUsed };
}

const typeOf = (type: string): string =>
  type === 'SELFDESTRUCT' ? 'suicide' : type.startsWith('CREATE') ? 'create' : 'call';

/** The call tree as Parity's flat list, parents first. */
export function flatCalls(root: CallNode, options: FlatOptions, context: TracerContext): unknown[] {
  const rows: unknown[] = [];
  const { place } = context;
  const isShown = (node: CallNode): boolean =>
    options.includePrecompiles ||
    !HIDDEN_KINDS.has(node.type) ||
    node.to === undefined ||
    !context.isPrecompile(node.to.slice(2));
  const visit = (node: CallNode, traceAddress: readonly number[]): void => {
    const calls = (node.calls ?? []).filter(isShown);
    const result = resultOf(node);
    rows.push({
      action: actionOf(node),
      blockHash: place?.blockHash ?? null,
      blockNumber: place?.blockNumber ?? 0,
      ...(node.error === undefined
        ? {}
        : { error: options.convertParityErrors ? parityError(node.error) : node.error }),
      ...(result === undefined ? {} : { result }),
      subtraces: calls.length,
      traceAddress,
      transactionHash: place?.txHash ?? null,
      transactionPosition: place?.txIndex ?? 0,
      type: typeOf(node.type),
    });
    for (const [i, call] of calls.entries()) visit(call, [...traceAddress, i]);
  };
  visit(root, []);
  return rows;
}
