import type { EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { fieldsOf, listOf, unlike } from '../questions.ts';
import { traceOf } from './tracedTxs.ts';

/** Bytes of rows examined for each transaction. */
const ROW_BYTES_MAX = 400_000;
/** The row of a call or creation includes the gas that it passes on. */
const CALLS = /^(CALL|CALLCODE|DELEGATECALL|STATICCALL|CREATE|CREATE2)$/;

/** Each row of a trace costs and reads what it shows, and the end of the trace is the call's. */
export async function wrongRows(
  rpc: RpcContext,
  block: EthBlock,
  index: number,
  { error, output = '0x' }: Fields,
): Promise<string | undefined> {
  const receipt = present(block.receipts[index], 'its receipt');
  const hash = to0xHex(present(block.transactions[index], 'a transaction').hash);
  const told = await traceOf(rpc, block, index, { limit: ROW_BYTES_MAX });
  const rows = listOf(told, 'structLogs');
  const end = [told['gas'], told['failed'], told['returnValue']];
  const returned = error === undefined || error === 'execution reverted' ? output : '0x';
  const problem =
    unlike(`the end of ${hash}`, end, [Number(receipt.gasUsed), receipt.status === 0, returned]) ??
    unlike(`how deep ${hash} begins`, rows[0]?.['depth'] ?? 1, 1);
  if (problem !== undefined) return problem;
  for (const [at, row] of rows.entries()) {
    const wrong = wrongRow(row, rows[at + 1]) ?? wrongReturn(rows, at);
    if (wrong !== undefined) return `answers row ${at} of ${hash} with ${wrong}`;
  }
  return undefined;
}

const leftAfter = (row: Fields): number => Number(row['gas']) - Number(row['gasCost']);
const ENDS = /^(STOP|RETURN|REVERT|SELFDESTRUCT)$/;

/** A called contract gives back its unused gas, nothing after a failure. */
function wrongReturn(rows: readonly Fields[], at: number): string | undefined {
  const [row, inner] = [rows[at] ?? {}, rows[at + 1]];
  const depth = Number(row['depth']);
  if (!String(row['op']).endsWith('CALL') || Number(inner?.['depth'] ?? 0) <= depth) return undefined;
  const back = rows.findIndex((one, i) => i > at && Number(one['depth']) <= depth);
  const [next, last] = [rows[back], rows[back - 1]];
  if (next === undefined || last === undefined || next['depth'] !== depth) return undefined;
  const isLast = last['depth'] === depth + 1 && ENDS.test(String(last['op'])) && last['error'] === undefined;
  return isLast
    ? unlike('the gas that comes back', next['gas'], leftAfter(row) + leftAfter(last))
    : undefined;
}

function wrongRow(row: Fields, next: Fields | undefined): string | undefined {
  if (next === undefined || next['depth'] !== row['depth'] || CALLS.test(String(row['op']))) return undefined;
  const stack = row['stack'] as readonly string[];
  const slot = `0x${(stack.at(-1) ?? '0x').slice(2).padStart(64, '0')}`;
  const shown = fieldsOf(row, 'storage')[slot];
  const truth = row['op'] === 'SLOAD' ? (next['stack'] as readonly string[]).at(-1) : stack.at(-2);
  const isStorage = row['op'] === 'SLOAD' || row['op'] === 'SSTORE';
  return (
    unlike('the gas that is left', next['gas'], leftAfter(row)) ??
    (isStorage && shown !== undefined
      ? unlike('what is stored', quantity(BigInt(String(shown))), truth)
      : undefined)
  );
}
