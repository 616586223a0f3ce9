/** Traces a block that the request contains. */
import type { EthBlock } from '../../app/chain.ts';
import { type AdmissionError, renderError } from '../../app/errors.ts';
import { parseEthTx, recoverSigner, type UnsignedParts } from '../../app/evm/ethTx.ts';
import { headerHash, headerOfFields } from '../../app/evm/header.ts';
import { TX_GAS } from '../../app/evm/intrinsicGas.ts';
import { decodeRlp, encodeRlp, hasMoreValues, type RlpItem } from '../../app/evm/rlp.ts';
import { wrapEthTx } from '../../app/tx/wrapEthTx.ts';
import { type Bytes, to0xHex } from '../../lib/bytes.ts';
import type { Result } from '../../lib/result.ts';
import type { RpcContext } from '../context.ts';
import type { JsonObject } from '../jsonText.ts';
import { mapPaused } from '../mapPaused.ts';
import { type RpcError, serverError } from '../rpcError.ts';
import { BlockTraces } from './blockTraces.ts';
import { LogCounter } from './tracers/logCounter.ts';
import { contextOf, traceBlock } from './tracing.ts';

/** RLP values of a transaction, at most: a legacy one is a list of nine, a typed one a single string. */
const TX_VALUES = 10n;
/** Values of a block beside its transactions, at most: its header, uncles and withdrawals. */
const OTHER_VALUES = 1024n;

const malformed = (why: string): RpcError => serverError(`could not decode block: ${why}`);

/** Header and items of the transactions of a block's RLP; uncles and withdrawals are ignored. */
function decodeBlock({ chain }: RpcContext, raw: Bytes) {
  if (hasMoreValues(raw, Number((chain.gasLimit() / TX_GAS) * TX_VALUES + OTHER_VALUES)))
    throw malformed('more values than the gas limit has room for');
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
  return { header: header.value, items };
}

/** The value of a step in decoding a transaction. */
function wellFormed<T>(decoded: Result<T, AdmissionError>): T {
  if (!decoded.ok) throw malformed(renderError(decoded.error).ethMessage);
  return decoded.value;
}

const parse = (item: RlpItem): UnsignedParts =>
  wellFormed(parseEthTx(item instanceof Uint8Array ? item : encodeRlp(item)));

/** Throws if a block of the chain has no room for so many, even if each takes the least gas. */
function checkRoom({ chain }: RpcContext, txs: number): void {
  if (BigInt(txs) * TX_GAS > chain.gasLimit()) throw serverError('tracing failed: gas limit reached');
}

/**
 * Traces a block that need not be on the chain; its parent must be. Senders are recovered once everything else is known
 * to be right: a request has room for twenty thousand.
 */
export async function traceGivenBlock(ctx: RpcContext, raw: Bytes, config: JsonObject): Promise<unknown> {
  const { header, items } = decodeBlock(ctx, raw);
  const parsed = await mapPaused(ctx, items, parse);
  const hash = headerHash(header, (message) => ctx.suite.keccak256(message));
  if (ctx.chain.heightOfEthHash(hash) !== undefined) return traceBlock(ctx, { kind: 'hash', hash }, config);
  if (header.number === 0) throw serverError('genesis is not traceable');
  const parent = ctx.chain.heightOfEthHash(header.parentHash);
  if (parent === undefined) throw serverError(`parent ${to0xHex(header.parentHash)} not found`);
  checkRoom(ctx, parsed.length);
  const transactions = await mapPaused(
    ctx,
    parsed,
    (parts) => wellFormed(recoverSigner(parts, ctx.suite)).tx,
  );
  const block: EthBlock = { hash, header, transactions, receipts: [], size: 0 };
  const traces = new BlockTraces(ctx, config);
  const logs = new LogCounter(0);
  const source = {
    txs: transactions.map((tx) => wrapEthTx(tx, ctx.chain.denom)),
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
