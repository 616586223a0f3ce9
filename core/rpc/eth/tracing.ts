/** Runs executions again with a tracer, on the same state and with the same base fee and gas as originally. */
import type { EthBlock } from '../../app/chain.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import { fieldOf, type JsonObject } from '../jsonText.ts';
import { serverError } from '../rpcError.ts';
import { isPending } from './at.ts';
import { type BlockId, blockOf } from './blockId.ts';
import { BlockTraces } from './blockTraces.ts';
import { readBlockOverrides, readStateOverrides } from './callArgs.ts';
import { LogCounter } from './tracers/logCounter.ts';
import { tracerOf } from './tracers/table.ts';
import type { Tracer, TracerContext } from './tracers/tracer.ts';
import { minedTx } from './transactions.ts';

/** Counter that starts after the logs of the earlier transactions in the block. */
function logsBefore({ receipts }: EthBlock, txIndex: number): LogCounter {
  return new LogCounter(receipts.slice(0, txIndex).reduce((sum, { logs }) => sum + logs.length, 0));
}

export function contextOf(
  ctx: RpcContext,
  block: EthBlock,
  txIndex: number,
  logs = logsBefore(block, txIndex),
): TracerContext {
  const tx = block.transactions[txIndex];
  return {
    suite: ctx.suite,
    logs,
    isPrecompile: (address) => ctx.evm.isPrecompile(address),
    place:
      tx === undefined
        ? undefined
        : {
            blockHash: to0xHex(block.hash),
            blockNumber: block.header.number,
            txHash: to0xHex(tx.hash),
            txIndex,
          },
  };
}

/** The block's height in the store. Throws for the Ethereum genesis block, which has no transactions to trace. */
function traceable(block: EthBlock | undefined, missing: string): number {
  if (block === undefined) throw serverError(missing);
  if (block.header.extraData.length === 0 || block.header.number === 0)
    throw serverError('genesis is not traceable');
  return block.header.number;
}

const assertKept = (isKept: boolean, height: number): void => {
  if (!isKept) throw serverError(`required historical state unavailable (block ${height})`);
};

export async function traceTransaction(
  ctx: RpcContext,
  hash: Uint8Array,
  config: JsonObject,
): Promise<unknown> {
  const mined = minedTx(ctx, hash);
  if (mined === undefined) throw serverError('transaction not found');
  const tracer = tracerOf(config, contextOf(ctx, mined.block, mined.index));
  const height = traceable(mined.block, 'block not found');
  assertKept(await ctx.evm.replayOne(height, mined.index, () => tracer), height);
  return tracer.result();
}

const missingText = (id: BlockId): string =>
  id.kind === 'hash'
    ? `block ${to0xHex(id.hash)} not found`
    : `block #${id.kind === 'tag' ? id.tag : id.number} not found`;

export function knownBlock(ctx: RpcContext, id: BlockId): EthBlock {
  const block = blockOf(ctx.chain, id);
  if (block === undefined) throw serverError(missingText(id));
  return block;
}

export async function traceBlock(
  ctx: RpcContext,
  id: BlockId,
  config: JsonObject,
): Promise<readonly unknown[]> {
  const missing = missingText(id);
  if (isPending(id)) throw serverError('tracing on top of pending is not supported');
  const block = blockOf(ctx.chain, id);
  const height = traceable(block, missing);
  const traces = new BlockTraces(ctx, config);
  const isKept = await ctx.evm.replay(height, (_tx, index) =>
    traces.next(contextOf(ctx, block as EthBlock, index)),
  );
  assertKept(isKept, height);
  return traces.rows((block as EthBlock).transactions);
}

export function traceOverridesOf(config: JsonObject) {
  const state = fieldOf(config, 'stateOverrides');
  const block = fieldOf(config, 'blockOverrides');
  const readState = state === null ? undefined : readStateOverrides(state);
  const readBlock = block === null ? undefined : readBlockOverrides(block);
  if (readState?.ok === false) throw serverError(readState.error);
  if (readBlock?.ok === false) throw serverError(readBlock.error);
  return { state: readState?.value, block: readBlock?.value };
}

/** Tracer for a call that is not in a block. */
export const callTracerOf = (ctx: RpcContext, config: JsonObject): Tracer =>
  tracerOf(config, {
    suite: ctx.suite,
    logs: new LogCounter(0),
    isPrecompile: (a) => ctx.evm.isPrecompile(a),
    place: undefined,
  });
