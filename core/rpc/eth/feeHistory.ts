import type { EthBlock } from '../../app/chain.ts';
import type { PendingBlock } from '../../app/evmService.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { heightAfter, heightBefore } from '../heightSteps.ts';
import { serverError } from '../rpcError.ts';
import { type BlockId, heightOf } from './blockId.ts';
import { effectiveTip } from './gasOracle.ts';
import { quantity } from './goHex.ts';

const PERCENTILES_MAX = 100;
/** Minimum blob base fee (EIP-4844); there are no blobs, so it never rises. */
const BLOB_BASE_FEE = '0x1';

function checkPercentiles(percentiles: readonly number[]): void {
  const invalid = (text: string): never => {
    throw serverError(`invalid reward percentile: ${text}`);
  };
  if (percentiles.length > PERCENTILES_MAX) invalid(`over the query limit ${PERCENTILES_MAX}`);
  for (const [i, p] of percentiles.entries()) {
    const before = percentiles[i - 1];
    if (!(p >= 0 && p <= 100)) invalid(p.toFixed(6));
    if (before !== undefined && p <= before)
      invalid(`#${i - 1}:${before.toFixed(6)} >= #${i}:${p.toFixed(6)}`);
  }
}

/** Tips at the given percentiles of the gas used by Ethereum transactions, sorted by tip; zeros if there are none. */
function rewards(block: EthBlock, percentiles: readonly number[]): readonly string[] {
  const rows = block.transactions
    .map((_, i) => ({ tip: effectiveTip(block, i), gasUsed: block.receipts[i]?.gasUsed ?? 0n }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  if (rows.length === 0) return percentiles.map(() => '0x0');
  // Not the header's gasUsed, which includes Cosmos transactions.
  const all = Number(rows.reduce((total, { gasUsed }) => total + gasUsed, 0n));
  let index = 0;
  let sum = (rows[0] as { gasUsed: bigint }).gasUsed;
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((all * percentile) / 100));
    while (sum < threshold && index < rows.length - 1) sum += (rows[++index] as { gasUsed: bigint }).gasUsed;
    return quantity((rows[index] as { tip: bigint }).tip);
  });
}

/** The newest height of the answer. */
function lastOf({ chain }: RpcContext, newest: BlockId): Height {
  const head = chain.latest().height;
  const last = newest.kind === 'tag' && newest.tag !== 'earliest' ? head : heightOf(chain, newest);
  if (last === undefined) {
    const asked = newest.kind === 'number' ? newest.number : -1n;
    throw serverError(`request beyond head block: requested ${asked}, head ${head}`);
  }
  return last;
}

/** What the answer says of one block. */
interface FeeRow {
  readonly number: Height;
  readonly baseFee: bigint;
  readonly gasUsedRatio: number;
  readonly reward: readonly string[];
}

function rowOf(block: EthBlock, percentiles: readonly number[]): FeeRow {
  const { number, baseFeePerGas, gasUsed, gasLimit } = block.header;
  return {
    number,
    baseFee: baseFeePerGas,
    gasUsedRatio: gasLimit === 0n ? 0 : Number(gasUsed) / Number(gasLimit),
    reward: percentiles.length === 0 ? [] : rewards(block, percentiles),
  };
}

/**
 * Rows of the `span` blocks up to `last`, oldest first; fewer if older ones are not kept. Pauses after each block, as an
 * old one is read and decoded, and keeps none of them.
 */
async function rowsTo(
  { chain, pause }: RpcContext,
  last: Height,
  span: number,
  percentiles: readonly number[],
): Promise<readonly FeeRow[]> {
  const rows: FeeRow[] = [];
  for (let at = last; rows.length < span; at = heightBefore(chain, at)) {
    const block = chain.ethBlock(at);
    if (block === undefined) break;
    rows.push(rowOf(block, percentiles));
    await pause?.();
    if (at === 0) break;
  }
  return rows.reverse();
}

/** eth_feeHistory. Too large block counts are clipped, as in geth. `draft` is the block after the newest. */
export async function feeHistory(
  ctx: RpcContext,
  count: bigint,
  newest: BlockId,
  percentiles: readonly number[],
  draft?: PendingBlock,
): Promise<unknown> {
  if (count < 1n) return { oldestBlock: '0x0', gasUsedRatio: null };
  checkPercentiles(percentiles);
  const { feeHistoryMax } = ctx.limits;
  const span = count > BigInt(feeHistoryMax) ? feeHistoryMax : Number(count);
  const last = lastOf(ctx, newest);
  const decided = await rowsTo(ctx, last, draft === undefined ? span : span - 1, percentiles);
  // The head may have advanced since the draft was made.
  const older = decided.filter(({ number }) => number !== draft?.block.header.number);
  const rows = draft === undefined ? older : [...older, rowOf(draft.block, percentiles)];
  const next = draft?.nextBaseFee ?? ctx.chain.ethBlock(heightAfter(ctx.chain, last))?.header.baseFeePerGas;
  const fees = [...rows.map(({ baseFee }) => baseFee), next ?? ctx.chain.nextBaseFee()];
  return {
    oldestBlock: quantity(rows[0]?.number ?? last),
    ...(percentiles.length === 0 ? {} : { reward: rows.map(({ reward }) => reward) }),
    baseFeePerGas: fees.map(quantity),
    gasUsedRatio: rows.map(({ gasUsedRatio }) => gasUsedRatio),
    baseFeePerBlobGas: fees.map(() => BLOB_BASE_FEE),
    blobGasUsedRatio: rows.map(() => 0),
  };
}
