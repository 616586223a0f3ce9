import { to0xHex } from '../../core/lib/bytes.ts';
import { EthSession } from '../../core/rpc/eth/session.ts';
import { quantity } from '../clients/answers/answers.ts';
import { readAll, Wire } from '../clients/wire.ts';
import type { Frame } from './ethFrames.ts';
import { type Stage, settle } from './stage.ts';
import { wronglyTold } from './telling.ts';

/** The most blocks that are traced, and transactions in them. */
const BLOCKS_MAX = 3;
const TXS_MAX = 20;
/** The most gas of them all, because longer runs take too long. */
const GAS_MAX = 1_000_000n;
/** Turns to wait for the next trace: more than any trace here takes. */
const IDLE_TURNS = 50_000;

interface Told {
  readonly block: string;
  readonly hash: string;
  readonly traces: readonly unknown[];
}

/**
 * A client lets part of the chain be traced (`debug_subscribe`, traceChain). It gets one notification for each block
 * with transactions, with as many traces, and one for the last block in any case.
 */
export async function tracedChainProblem(stage: Stage): Promise<string | undefined> {
  const { chain } = stage.ctx;
  const least = Math.max(chain.base(), stage.head - BLOCKS_MAX);
  let last = stage.head;
  // Preferably a block without transactions.
  while (last > least && stage.ethBlock(last).transactions.length > 0) last--;
  if (stage.ethBlock(last).transactions.length > 0) last = stage.head;
  let [first, txs, gas] = [last, 0, 0n];
  while (first > Math.max(chain.base(), last - BLOCKS_MAX)) {
    const { transactions, header } = stage.ethBlock(first);
    txs += transactions.length;
    gas += header.gasUsed;
    if (txs > TXS_MAX || gas > GAS_MAX) break;
    first--;
  }
  if (first === last) return undefined;
  const wire = new Wire(0, Number.MAX_SAFE_INTEGER);
  const session = new EthSession(stage.ctx, wire);
  const params = ['traceChain', quantity(first), quantity(last), { tracer: 'callTracer' }];
  await session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_subscribe', params }));
  await session.settled();
  const due: string[] = [];
  for (let height = first + 1; height <= last; height++) {
    const { hash, transactions } = stage.ethBlock(height);
    if (transactions.length > 0 || height === last)
      due.push(`${quantity(height)} ${to0xHex(hash)} ${transactions.length}`);
  }
  // The answer, and one for each block.
  const texts: string[] = [];
  for (let idle = 0; texts.length <= due.length && idle < IDLE_TURNS; idle++) {
    await settle();
    for (const text of readAll(wire, session)) texts.push(text);
  }
  session.closed();
  const told = texts.flatMap((text) => {
    const result = (JSON.parse(text) as Frame).params?.result as Told | undefined;
    return result === undefined ? [] : [`${result.block} ${result.hash} ${result.traces.length}`];
  });
  const wrong = wronglyTold(told, due);
  return wrong && `whoever has blocks after ${first} to ${last} traced ${wrong}`;
}
