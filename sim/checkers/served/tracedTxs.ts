import type { EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, withoutLimits } from '../questions.ts';

/** Transactions of a block that are traced one by one. Each trace runs the preceding ones again. */
const ALONE_MAX = 8;
export const CALL_TRACER = { tracer: 'callTracer' };

/** Indices spread evenly from the first to the last transaction. */
export const aloneIn = ({ transactions }: EthBlock): readonly number[] => {
  const step = Math.max(1, (transactions.length - 1) / (ALONE_MAX - 1));
  const count = Math.min(ALONE_MAX, transactions.length);
  return Array.from({ length: count }, (_, i) => Math.floor(i * step));
};

/** Traces of all transactions of a block in one request. */
export async function tracesOf(rpc: RpcContext, block: EthBlock, config: Fields): Promise<readonly Fields[]> {
  const number = quantity(block.header.number);
  const asked = [number, config];
  const told = (await eth(withoutLimits(rpc), 'debug_traceBlockByNumber', asked)) as readonly Fields[];
  return told.map((one) => fieldsOf(one, 'result'));
}

export const traceOf = async (rpc: RpcContext, { transactions }: EthBlock, index: number, config: Fields) =>
  (await eth(rpc, 'debug_traceTransaction', [
    to0xHex(present(transactions[index], 'a transaction').hash),
    config,
  ])) as Fields;
