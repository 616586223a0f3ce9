import type { EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { tipsAtPercentiles } from '../../clients/answers/feeAnswers.ts';
import { baseFeeAfter, type FeeMarket } from '../../clients/answers/feeMarket.ts';
import { eth, filledHeights, firstOf, unlike } from '../questions.ts';

const SERVER_ERROR = -32000;
const PERCENTILES = [0.5, 33.3, 99.9];
/** As many as geth accepts. */
const PERCENTILES_MAX = 100;
/** The blob fee, which stays at its minimum as there are no blobs here. */
const LEAST = '0x1';

/**
 * Fee histories beyond single blocks: with the pending block, without percentiles, with odd percentiles, and invalid
 * ones.
 */
export async function wrongHistories(rpc: RpcContext, market: FeeMarket): Promise<string | undefined> {
  const { chain } = rpc;
  const head = chain.head();
  if (head - 1 < firstOf(chain)) return undefined;
  const blocks = [head - 1, head].map((height) => present(chain.ethBlock(height), 'a kept block'));
  const last = present(blocks[1], 'the head').header;
  const fees = [...blocks.map(({ header }) => header.baseFeePerGas), baseFeeAfter(last, market)].map(
    quantity,
  );
  const ask = async (...params: readonly unknown[]) => (await eth(rpc, 'eth_feeHistory', params)) as Fields;
  const plain = await ask('0x2', 'latest');
  const pending = await ask('0x3', 'pending', [50]);
  const shares = await ask(2, quantity(head), PERCENTILES);
  const none = await ask('0', 'latest', [50]);
  const tooMany = Array.from({ length: PERCENTILES_MAX + 1 }, (_, i) => i / 2);
  const refused: unknown[] = [];
  for (const list of [[50, 25], [25, 25], [-1], [100.5], tooMany])
    refused.push(((await ask('0x1', 'latest', list)) as { readonly refused?: Fields }).refused?.['code']);
  refused.push((await ask('0x1', quantity(head + 1), [50]))['refused'] === undefined);
  const pendingFees = (pending['baseFeePerGas'] ?? []) as readonly unknown[];
  return (
    unlike('eth_feeHistory without shares', 'reward' in plain, false) ??
    unlike('the fees of eth_feeHistory', plain['baseFeePerGas'], fees) ??
    unlike('the fees of blobs', plain['baseFeePerBlobGas'], [LEAST, LEAST, LEAST]) ??
    unlike('how full of blobs', plain['blobGasUsedRatio'], [0, 0]) ??
    unlike(
      'where a history begins that ends with the block to come',
      pending['oldestBlock'],
      quantity(head - 1),
    ) ??
    unlike('the fees up to the block to come', pendingFees.slice(0, 3), fees) ??
    unlike(
      'how much there is of a history that ends with the block to come',
      [
        pendingFees.length,
        ...['gasUsedRatio', 'reward', 'blobGasUsedRatio'].map((name) => sizeOf(pending[name])),
      ],
      [4, 3, 3, 3],
    ) ??
    unlike(
      'tips at odd shares',
      shares['reward'],
      blocks.map((block) => tipsAtPercentiles(block, PERCENTILES)),
    ) ??
    unlike('a history of nothing', none, { oldestBlock: '0x0', gasUsedRatio: null }) ??
    unlike('histories that make no sense', refused, [...Array.from({ length: 5 }, () => SERVER_ERROR), false])
  );
}

/**
 * The tip at the share of gas that all transactions with a lower tip used, and half a unit more. Whole units count, so
 * it is the tip of the last of them.
 */
export async function wrongSharesBetween(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const blocks = filledHeights(chain).map((height) => present(chain.ethBlock(height), 'a kept block'));
  const steps = blocks.map((block) => ({ block, shares: sharesBetween(block) }));
  const [most] = steps.sort((a, b) => b.shares.length - a.shares.length);
  if (most === undefined || most.shares.length === 0) return undefined;
  const { block, shares } = most;
  const told = (await eth(rpc, 'eth_feeHistory', ['0x1', quantity(block.header.number), shares])) as Fields;
  return unlike('tips between two shares', told['reward'], [tipsAtPercentiles(block, shares)]);
}

/** Shares of the block's gas in percent, one above each tip except the highest. */
function sharesBetween({ header, receipts }: EthBlock): readonly number[] {
  const paid = receipts.map(({ effectiveGasPrice, gasUsed }) => ({
    tip: effectiveGasPrice - header.baseFeePerGas,
    gas: Number(gasUsed),
  }));
  const all = paid.reduce((sum, { gas }) => sum + gas, 0);
  const tips = [...new Set(paid.map(({ tip }) => tip))].sort((a, b) => (a < b ? -1 : 1));
  const upTo = (most: bigint): number =>
    paid.reduce((sum, { tip, gas }) => (tip <= most ? sum + gas : sum), 0);
  return tips
    .slice(0, -1)
    .slice(0, PERCENTILES_MAX)
    .map((tip) => ((upTo(tip) + 0.5) * 100) / all);
}

const sizeOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
