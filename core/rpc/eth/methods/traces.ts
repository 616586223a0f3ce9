/** Executions run again with somebody watching: the same state, base fee and gas as when they counted. */
import type { EthBlock, Watch } from '../../../app/chain.ts';
import { renderError } from '../../../app/errors.ts';
import { decodeEthTx } from '../../../app/evm/ethTx.ts';
import { headerHash, headerOfFields } from '../../../app/evm/header.ts';
import { decodeRlp, encodeRlp } from '../../../app/evm/rlp.ts';
import { wrapEthTx } from '../../../app/tx/wrapEthTx.ts';
import { type Bytes, to0xHex } from '../../../lib/bytes.ts';
import { err, ok } from '../../../lib/result.ts';
import type { RpcContext } from '../../context.ts';
import { isObject, type JsonObject } from '../../jsonText.ts';
import { RpcError, serverError } from '../../rpcError.ts';
import { isPending } from '../at.ts';
import { type BlockId, blockOf, LATEST } from '../blockId.ts';
import { readBlockOverrides, readStateOverrides, toCallArgs } from '../callArgs.ts';
import { type Decoded, goKind, goTypeError } from '../goHex.ts';
import { type EthMethod, method, optional, required } from '../method.ts';
import { BLOCK, BLOCK_HASH, BLOCK_NUMBER, DATA, HASH, TRANSACTION } from '../params.ts';
import { tracerOf } from '../tracers/table.ts';
import type { Tracer, TracerContext } from '../tracers/tracer.ts';
import { minedTx } from '../transactions.ts';
import { askState, cappedGas } from './transactions.ts';

const NO_CONFIG: JsonObject = new Map();

const CONFIG = optional(
  required('config', { type: 'object' }, (value): Decoded<JsonObject> => {
    return isObject(value) ? ok(value) : err(goTypeError(goKind(value), 'tracers.TraceConfig', undefined));
  }),
  NO_CONFIG,
);

function contextOf(ctx: RpcContext, block: EthBlock, txIndex: number): TracerContext {
  const tx = block.transactions[txIndex];
  return {
    suite: ctx.suite,
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

/** The block's height in the store; the Ethereum genesis block has no transactions to trace. */
function traceable(block: EthBlock | undefined, missing: string): number {
  if (block === undefined) throw serverError(missing);
  if (block.header.extraData.length === 0 || block.header.number === 0)
    throw serverError('genesis is not traceable');
  return block.header.number;
}

async function replay(ctx: RpcContext, height: number, watch: Watch, ethCount?: number): Promise<void> {
  const done = await ctx.evm.replay(height, watch, ethCount);
  if (!done) throw serverError(`required historical state unavailable (block ${height})`);
}

export async function traceTransaction(
  ctx: RpcContext,
  hash: Uint8Array,
  config: JsonObject,
): Promise<unknown> {
  const mined = minedTx(ctx, hash);
  if (mined === undefined) throw serverError('transaction not found');
  const tracer = tracerOf(config, contextOf(ctx, mined.block, mined.index));
  const height = traceable(mined.block, 'block not found');
  await replay(ctx, height, (_tx, index) => (index === mined.index ? tracer : undefined), mined.index + 1);
  return tracer.result();
}

export async function traceBlock(ctx: RpcContext, id: BlockId, config: JsonObject): Promise<unknown> {
  const missing =
    id.kind === 'hash'
      ? `block ${to0xHex(id.hash)} not found`
      : `block #${id.kind === 'tag' ? id.tag : id.number} not found`;
  if (isPending(id)) throw serverError('tracing on top of pending is not supported');
  const block = blockOf(ctx.chain, id);
  const height = traceable(block, missing);
  const tracers: Tracer[] = [];
  await replay(ctx, height, (_tx, index) => {
    const tracer = tracerOf(config, contextOf(ctx, block as EthBlock, index));
    tracers.push(tracer);
    return tracer;
  });
  return (block as EthBlock).transactions.map((tx, i) => ({
    txHash: to0xHex(tx.hash),
    ...outcomeOf(tracers[i]),
  }));
}

const malformed = (why: string): RpcError => serverError(`could not decode block: ${why}`);

/** Header and transactions of a block's RLP; uncles and withdrawals are not looked at. */
function decodeBlock(ctx: RpcContext, raw: Bytes) {
  const decoded = decodeRlp(raw);
  if (!decoded.ok) throw malformed(renderError(decoded.error).ethMessage);
  const [fields, items] = decoded.value instanceof Uint8Array ? [] : decoded.value;
  if (fields === undefined || fields instanceof Uint8Array) throw malformed('no header');
  if (items === undefined || items instanceof Uint8Array) throw malformed('no transactions');
  const header = headerOfFields(fields);
  if (!header.ok) throw malformed(header.error);
  const txs = items.map((item) => {
    const signed = decodeEthTx(item instanceof Uint8Array ? item : encodeRlp(item), ctx.suite);
    if (!signed.ok) throw malformed(renderError(signed.error).ethMessage);
    return signed.value;
  });
  return { header: header.value, txs };
}

/** A block that may never have been, on a parent that is of the chain. */
async function traceGivenBlock(ctx: RpcContext, raw: Bytes, config: JsonObject): Promise<unknown> {
  const { header, txs } = decodeBlock(ctx, raw);
  const hash = headerHash(header, (message) => ctx.suite.keccak256(message));
  if (ctx.chain.heightOfEthHash(hash) !== undefined) return traceBlock(ctx, { kind: 'hash', hash }, config);
  if (header.number === 0) throw serverError('genesis is not traceable');
  const parent = ctx.chain.heightOfEthHash(header.parentHash);
  if (parent === undefined) throw serverError(`parent ${to0xHex(header.parentHash)} not found`);
  const block: EthBlock = { hash, header, transactions: txs.map(({ tx }) => tx), receipts: [], size: 0 };
  const tracers: Tracer[] = [];
  const source = {
    txs: txs.map(({ tx }) => wrapEthTx(tx, ctx.chain.denom)),
    seconds: header.timestamp,
    coinbase: header.coinbase,
    pause: ctx.pause,
  };
  const done = await ctx.evm.runOn(parent, source, (_tx, index) => {
    const tracer = tracerOf(config, contextOf(ctx, block, index));
    tracers.push(tracer);
    return tracer;
  });
  if (!done.ok) throw serverError(`tracing failed: ${done.error}`);
  return txs.map(({ tx }, i) => ({ txHash: to0xHex(tx.hash), ...outcomeOf(tracers[i]) }));
}

/** A trace that cannot be told must not hide the others. */
function outcomeOf(tracer: Tracer | undefined): { readonly result: unknown } | { readonly error: string } {
  try {
    return { result: tracer?.result() };
  } catch (failure) {
    if (failure instanceof RpcError) return { error: failure.message };
    throw failure;
  }
}

export function traceOverridesOf(config: JsonObject) {
  const state = config.get('stateOverrides') ?? null;
  const block = config.get('blockOverrides') ?? null;
  const readState = state === null ? undefined : readStateOverrides(state);
  const readBlock = block === null ? undefined : readBlockOverrides(block);
  if (readState?.ok === false) throw serverError(readState.error);
  if (readBlock?.ok === false) throw serverError(readBlock.error);
  return { state: readState?.value, block: readBlock?.value };
}

/** For a call that is in no block. */
export const callTracerOf = (ctx: RpcContext, config: JsonObject): Tracer =>
  tracerOf(config, { suite: ctx.suite, isPrecompile: (a) => ctx.evm.isPrecompile(a), place: undefined });

export const traceMethods: readonly EthMethod[] = [
  method({
    method: 'debug_traceTransaction',
    params: [HASH, CONFIG],
    result: 'trace',
    doc: 'Runs a committed transaction again under a tracer. Unknown: -32000 `transaction not found`.',
    run: ({ ctx }, hash, config) => traceTransaction(ctx, hash, config),
  }),
  method({
    method: 'debug_traceBlockByNumber',
    params: [BLOCK_NUMBER, CONFIG],
    result: '{txHash, result}[]',
    doc: 'Traces every transaction of a block, failed ones too.',
    run: ({ ctx }, id, config) => traceBlock(ctx, id, config),
  }),
  method({
    method: 'debug_traceBlockByHash',
    params: [BLOCK_HASH, CONFIG],
    result: '{txHash, result}[]',
    doc: 'Traces every transaction of a block, failed ones too.',
    run: ({ ctx }, id, config) => traceBlock(ctx, id, config),
  }),
  method({
    method: 'debug_traceBlock',
    params: [{ ...DATA, name: 'blockRlp' }, CONFIG],
    result: '{txHash, result}[]',
    doc: "Traces a block given as RLP. One that is not the chain's runs on its parent under the chain's own rules for base fee and PREVRANDAO.",
    run: ({ ctx }, raw, config) => traceGivenBlock(ctx, raw, config),
  }),
  method({
    method: 'debug_traceBadBlock',
    params: [HASH, CONFIG],
    result: 'never',
    doc: 'There are no bad blocks: always -32000 `bad block … not found`.',
    run: (_call, hash) => {
      throw serverError(`bad block ${to0xHex(hash)} not found`);
    },
  }),
  method({
    method: 'debug_traceCall',
    params: [TRANSACTION, { ...BLOCK, fallback: LATEST }, CONFIG],
    result: 'trace',
    doc: 'Runs a call under a tracer; stateOverrides and blockOverrides stand in the config.',
    run: async (request, args, id, config) => {
      const { ctx } = request;
      const tracer = callTracerOf(ctx, config);
      const call = toCallArgs(args, cappedGas(ctx, args.gas));
      const asked = { ...traceOverridesOf(config), trace: tracer };
      const outcome = await askState(request, args, id, asked, (view, options) =>
        ctx.evm.call(view, call, options),
      );
      if (outcome.kind === 'refused') throw serverError(`tracing failed: ${outcome.message}`);
      return tracer.result();
    },
  }),
];
