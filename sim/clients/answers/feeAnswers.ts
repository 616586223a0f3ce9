/** Checks what a client is told about fees and about the gas of a call. */
import type { ChainReader, EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { EthAsk } from '../calls.ts';
import { type Ask, difference, type Fields, quantity } from './answers.ts';
import { baseFeeAfter, type FeeMarket, leastPriceAfter } from './feeMarket.ts';

const PERCENTILES = [0, 25, 50, 75, 100];

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The tip per gas that each transaction of a block paid. */
const tipsOf = ({ header, receipts }: EthBlock): readonly bigint[] =>
  receipts.map(({ effectiveGasPrice }) => effectiveGasPrice - header.baseFeePerGas);

export async function wrongHistory(
  ask: Ask,
  chain: ChainReader,
  { header }: EthBlock,
  market: FeeMarket,
): Promise<string | undefined> {
  const before = header.number - 1 === chain.genesisNumber() ? 0 : header.number - 1;
  const parent = chain.ethBlock(before)?.header;
  if (parent === undefined) return undefined;
  const told = (await ask('eth_feeHistory', ['0x2', quantity(header.number), PERCENTILES])) as
    | Fields
    | undefined;
  const fees = told?.['baseFeePerGas'] as readonly string[] | undefined;
  return difference(
    'eth_feeHistory',
    { oldestBlock: told?.['oldestBlock'], fees, ratios: told?.['gasUsedRatio'], tips: told?.['reward'] },
    {
      oldestBlock: quantity(parent.number),
      fees: [parent.baseFeePerGas, header.baseFeePerGas, baseFeeAfter(header, market)].map(quantity),
      ratios: [parent, header].map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
      tips: [before, header.number].map((height) =>
        tipsAtPercentiles(present(chain.ethBlock(height), 'a kept block'), PERCENTILES),
      ),
    },
  );
}

/**
 * Rewards as in eth_feeHistory. For each percentile: the lowest tip such that transactions with no higher tip used at
 * least that share of the gas of the block's Ethereum transactions.
 */
export function tipsAtPercentiles(block: EthBlock, percentiles: readonly number[]): readonly string[] {
  const tips = tipsOf(block);
  if (tips.length === 0) return percentiles.map(() => '0x0');
  const spentBy = (most: bigint): bigint =>
    block.receipts.reduce((sum, { gasUsed }, i) => sum + ((tips[i] ?? 0n) <= most ? gasUsed : 0n), 0n);
  const all = block.receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  const sorted = [...tips].sort(ascending);
  return percentiles.map((percentile) => {
    const share = BigInt(Math.floor((Number(all) * percentile) / 100));
    return quantity(sorted.find((tip) => spentBy(tip) >= share) ?? sorted.at(-1) ?? 0n);
  });
}

const GWEI = 10n ** 9n;
/**
 * As in geth's oracle: number of blocks, lowest tips taken from each, tips ignored up to, highest tip told, percentile.
 */
const LOOKED_AT = 20;
const SAMPLES = 3;
const TIP_LEAST = 2n;
const TIP_MOST = 500n * GWEI;
const SHARE = 60;

/** The suggested price follows from the newest blocks. */
export async function wrongPrice(
  ask: Ask,
  chain: ChainReader,
  head: number,
  market: FeeMarket,
): Promise<string | undefined> {
  const samples: bigint[] = [];
  for (let height = Math.max(1, head - LOOKED_AT + 1); height <= head; height++) {
    const block = chain.ethBlock(height);
    if (block === undefined) continue;
    const tips = tipsOf(block).filter((tip) => tip > TIP_LEAST);
    samples.push(...(tips.length === 0 ? [GWEI] : [...tips].sort(ascending).slice(0, SAMPLES)));
  }
  const wanted = [...samples].sort(ascending)[Math.floor(((samples.length - 1) * SHARE) / 100)] ?? GWEI;
  const usual = wanted > TIP_MOST ? TIP_MOST : wanted;
  const { header } = present(chain.ethBlock(head), 'the head');
  const [next, least] = [baseFeeAfter(header, market), leastPriceAfter(header, market)];
  // A client that pays the suggested price has to be admitted.
  const tip = next + usual < least ? least - next : usual;
  const told = {
    eth_baseFee: await ask('eth_baseFee', []),
    eth_maxPriorityFeePerGas: await ask('eth_maxPriorityFeePerGas', []),
    eth_gasPrice: await ask('eth_gasPrice', []),
  };
  return difference(`the price at block ${head}`, told, {
    eth_baseFee: quantity(next),
    eth_maxPriorityFeePerGas: quantity(tip),
    eth_gasPrice: quantity(next + tip),
  });
}

/**
 * A contract that stops if at least 60,000 gas are left and reverts otherwise: a call needs far more gas than it uses.
 */
const GREEDY = { address: `0x${'9e'.repeat(20)}`, code: '0x61ea605a10600957005b60006000fd' };
/** Gas of the transaction, of PUSH2 and GAS, and what has to be left after them. */
const GREEDY_NEEDS = 21_000n + 5n + 60_000n;
/** How far an estimate may exceed what is needed, in thousandths of the estimate. */
const SLACK = 15n;
const ESTIMATED_MAX = 3;

/**
 * An estimate has to suffice: for the last transactions of a block, repeated on top of it, and for a call that needs
 * more than it uses.
 */
export async function wrongEstimate(ask: EthAsk, block: EthBlock): Promise<string | undefined> {
  const number = quantity(block.header.number);
  for (const tx of block.transactions.slice(-ESTIMATED_MAX)) {
    const call = {
      from: to0xHex(tx.from),
      ...(tx.to === undefined ? {} : { to: to0xHex(tx.to) }),
      value: quantity(tx.value),
      input: to0xHex(tx.data),
    };
    const told = await ask('eth_estimateGas', [call, number]);
    // A call that fails with any gas has no estimate.
    if ('error' in told) continue;
    if ('error' in (await ask('eth_call', [{ ...call, gas: told.result }, number])))
      return `the estimate ${told.result} for ${to0xHex(tx.hash)}, done again on block ${number}, is too little`;
  }
  // No estimate exceeds the block gas limit.
  if (block.header.gasLimit < GREEDY_NEEDS) return undefined;
  const overrides = { [GREEDY.address]: { code: GREEDY.code } };
  const reply = await ask('eth_estimateGas', [{ to: GREEDY.address }, number, overrides]);
  const told = BigInt('result' in reply ? String(reply.result) : 0);
  return told >= GREEDY_NEEDS && (told - GREEDY_NEEDS) * 1000n <= told * SLACK
    ? undefined
    : `the estimate for what needs ${GREEDY_NEEDS} is ${told}`;
}
