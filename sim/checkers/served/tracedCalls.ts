import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, listOf, unlike } from '../questions.ts';
import { CONTRACT, isPretended, SENDER, word } from './pretences.ts';

const OTHER = `0x${'9f'.repeat(20)}`;
/** Slot 0 becomes 7, the other is called, slot 0 is read again. */
const FIRST = `0x60075f555f5f5f5f5f73${OTHER.slice(2)}5af1505f545000`;
/** Slot 1 becomes 9, and slots 1 and 2 are read. */
const SECOND = '0x6009600155600154506002545000';

/** What a traced call shows of storage is each contract's own. */
export async function wrongTracedCalls(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  const call = { from: SENDER, to: CONTRACT };
  const stateOverrides = { [CONTRACT]: { code: FIRST }, [OTHER]: { code: SECOND } };
  const told = (await eth(rpc, 'debug_traceCall', [call, 'latest', { stateOverrides }])) as Fields;
  const shown = listOf(told, 'structLogs').flatMap((row) => {
    const slots = Object.entries(fieldsOf(row, 'storage')).map(
      ([slot, value]) => [BigInt(slot), value] as const,
    );
    return slots.length === 0
      ? []
      : [[row['depth'], ...slots.sort().flatMap(([slot, value]) => [Number(slot), value])]];
  });
  const [seven, nine, none] = [7n, 9n, 0n].map((value) => `0x${word(value)}`);
  return unlike('the storage in a traced call', shown, [
    [1, 0, seven],
    [2, 1, nine],
    [2, 1, nine],
    [2, 1, nine, 2, none],
    [1, 0, seven],
  ]);
}
