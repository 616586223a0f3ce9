/** Traces a block that the request contains. */
import type { EthBlock } from '../../app/chain.ts';
import { renderError } from '../../app/errors.ts';
import { decodeEthTx } from '../../app/evm/ethTx.ts';
import { headerHash, headerOfFields } from '../../app/evm/header.ts';
import { decodeRlp, encodeRlp } from '../../app/evm/rlp.ts';
import { wrapEthTx } from '../../app/tx/wrapEthTx.ts';
import { type Bytes, to0xHex } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import type { JsonObject } from '../jsonText.ts';
import { type RpcError, serverError } from '../rpcError.ts';
import { BlockTraces } from './blockTraces.ts';
import { LogCounter } from './tracers/logCounter.ts';
import { contextOf, traceBlock } from './tracing.ts';

const malformed = (why: string): RpcError => serverError(`could not decode block: ${why}`);

/** Header and transactions of a block's RLP; uncles and withdrawals are ignored. */
function decodeBlock(ctx: RpcContext, raw: Bytes) {
  const decoded = decodeRlp(raw);
  if (!decoded.ok) throw malformed(renderError(decoded.error).ethMessage);
  const [fields, items] = decoded.value instanceof Uint8Array ? [] : decoded.value;
  if (fields === undefined || fields instanceof Uint8Array) throw malformed('no header');
  if (items === undefined || items instanceof Uint8Array) throw malformed('no transactions');
  const header = headerOfFields(fields);
  if (!header.ok) throw malformed(header.error);
  const { number, timestamp } = header.value;
  if (!Number.isSafeInteger(number)) throw serverError('block number out of range');
  if (!Number.isSafeInteger(timestamp)) throw serverError('block timestamp out of range');
  const txs = items.map((item) => {
    const signed = decodeEthTx(item instanceof Uint8Array ? item : encodeRlp(item), ctx.suite);
    if (!signed.ok) throw malformed(renderError(signed.error).ethMessage);
    return signed.value;
  });
  return { header: header.value, txs };
}

/** Traces a block that need not be on the chain; its parent must be. */
export async function traceGivenBlock(ctx: RpcContext, raw: Bytes, config: JsonObject): Promise<unknown> {
  const { header, txs } = decodeBlock(ctx, raw);
  const hash = headerHash(header, (message) => ctx.suite.keccak256(message));
  if (ctx.chain.heightOfEthHash(hash) !== undefined) return traceBlock(ctx, { kind: 'hash', hash }, config);
  if (header.number === 0) throw serverError('genesis is not traceable');
  const parent = ctx.chain.heightOfEthHash(header.parentHash);
  if (parent === undefined) throw serverError(`parent ${to0xHex(header.parentHash)} not found`);
  const block: EthBlock = { hash, header, transactions: txs.map(({ tx }) => tx), receipts: [], size: 0 };
  const traces = new BlockTraces(ctx, config);
  const logs = new LogCounter(0);
  const source = {
    txs: txs.map(({ tx }) => wrapEthTx(tx, ctx.chain.denom)),
    seconds: header.timestamp,
    coinbase: header.coinbase,
    pause: ctx.pause,
  };
  const done = await ctx.evm.runOn(parent, source, (_tx, index) =>
    traces.next(contextOf(ctx, block, index, logs)),
  );
  if (!done.ok) throw serverError(`tracing failed: ${done.error}`);
  return traces.rows(block.transactions);
}
