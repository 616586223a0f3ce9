import type { ChainReader } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, heightsOf, listOf, someOf, unlike } from '../questions.ts';
import { CONTRACT, isPretended, SENDER, word } from './pretences.ts';
import { aloneIn } from './tracedTxs.ts';

const OTHER = `0x${'9f'.repeat(20)}`;
/** Sets slot 0 to 7, calls the other contract, and reads slot 0 again. */
const FIRST = `0x60075f555f5f5f5f5f73${OTHER.slice(2)}5af1505f545000`;
/** Sets slot 1 to 9, and reads slots 1 and 2. */
const SECOND = '0x6009600155600154506002545000';

/** The storage in each row of a traced call is that of the row's own contract. */
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

/** Calls the other contract, which logs, and reverts. */
const UNDOER = `0x5f5f5f5f5f73${OTHER.slice(2)}5af1505f5ffd`;
const LOGGER = '0x5f5fa000';

/** Calls the other contract, which logs and reverts, and then logs itself. */
const SECOND_LOGGER = `0x5f5f5f5f5f73${OTHER.slice(2)}5af1505f5fa000`;
const FAILED_LOGGER = '0x5f5fa05f5ffd';

/** Logs of an inner call vanish when its caller reverts, and the next log gets the number of the first that vanished. */
export async function wrongUndoneLogs(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  const stateOverrides = { [CONTRACT]: { code: UNDOER }, [OTHER]: { code: LOGGER } };
  const asked = { tracer: 'callTracer', tracerConfig: { withLog: true }, stateOverrides };
  const told = (await eth(rpc, 'debug_traceCall', [
    { from: SENDER, to: CONTRACT },
    'latest',
    asked,
  ])) as Fields;
  const [inner = {}] = listOf(told, 'calls');
  const shown = [told, inner].map(({ to, logs }) => [to, logs ?? []]);
  const overrides = { [CONTRACT]: { code: SECOND_LOGGER }, [OTHER]: { code: FAILED_LOGGER } };
  const again = await eth(rpc, 'debug_traceCall', [
    { from: SENDER, to: CONTRACT },
    'latest',
    { ...asked, stateOverrides: overrides },
  ]);
  const logs = listOf(again as Fields, 'logs').map(({ index, position }) => [index, position]);
  return (
    unlike('logs that were undone', shown, [
      [CONTRACT, []],
      [OTHER, []],
    ]) ?? unlike('the number of the log after one that was undone', logs, [['0x0', '0x1']])
  );
}

/**
 * Before a transaction its sender has the transaction's nonce, whatever other transactions of the block did. Checked in
 * the newest block with Ethereum and other transactions.
 */
export async function wrongSenders(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const height = heightsOf(chain).findLast((one) => isMixed(chain, one));
  if (height === undefined || !isPretended(rpc)) return undefined;
  const block = present(chain.ethBlock(height), 'a kept block');
  for (const index of someOf(aloneIn(block))) {
    const { from, nonce } = present(block.transactions[index], 'a transaction');
    const name = to0xHex(from);
    const asked = { tracer: 'prestateTracer', txIndex: quantity(index) };
    const told = (await eth(rpc, 'debug_traceCall', [{ to: name }, quantity(height), asked])) as Fields;
    const problem = unlike(
      `the nonce of ${name} before transaction ${index} of block ${height}`,
      fieldsOf(told, name)['nonce'] ?? 0,
      Number(nonce),
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isMixed(chain: ChainReader, height: number): boolean {
  const count = chain.ethBlock(height)?.transactions.length ?? 0;
  const parent = height === chain.genesisNumber() + 1 ? 0 : height - 1;
  return count > 0 && (chain.block(height)?.txs.length ?? 0) > count && chain.view(parent) !== undefined;
}
