/** What a client is told of fees, and how much gas a call needs. */
import type { ChainReader, EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { EthAsk } from '../calls.ts';
import { type Ask, difference, type Fields, quantity } from './answers.ts';
import { baseFeeAfter, type FeeMarket, leastPriceAfter } from './feeMarket.ts';

const PERCENTILES = [0, 25, 50, 75, 100];

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** What each transaction of a block paid its proposer for a gas. */
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

/** The least tip for which so many per cent of what Ethereum transactions used of the block's gas went to those that paid no more. */
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
/** As geth's oracle looks at them: blocks, the lowest tips of each, those that count, and which of all it takes. */
const LOOKED_AT = 20;
const SAMPLES = 3;
const TIP_LEAST = 2n;
const TIP_MOST = 500n * GWEI;
const SHARE = 60;

/** The price that wallets are told to pay is made of the newest blocks. */
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
  // Whoever pays what he is told to is let in.
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

/** A contract that stops when at least 60000 gas are left to it, and reverts when not: it needs far more than it uses. */
const GREEDY = { address: `0x${'9e'.repeat(20)}`, code: '0x61ea605a10600957005b60006000fd' };
/** For the transaction, for PUSH2 and GAS, and what has to be left then. */
const GREEDY_NEEDS = 21_000n + 5n + 60_000n;
/** Of a thousand, what an estimate may be more than what is needed. */
const SLACK = 15n;
const ESTIMATED_MAX = 3;

/** An estimate is enough: for what a block's last transactions did, done again on it, and for what needs more than it uses. */
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
    // What fails whatever the gas has no estimate.
    if ('error' in told) continue;
    if ('error' in (await ask('eth_call', [{ ...call, gas: told.result }, number])))
      return `the estimate ${told.result} for ${to0xHex(tx.hash)}, done again on block ${number}, is too little`;
  }
  // No estimate is above what a block may hold.
  if (block.header.gasLimit < GREEDY_NEEDS) return undefined;
  const overrides = { [GREEDY.address]: { code: GREEDY.code } };
  const reply = await ask('eth_estimateGas', [{ to: GREEDY.address }, number, overrides]);
  const told = BigInt('result' in reply ? String(reply.result) : 0);
  return told >= GREEDY_NEEDS && (told - GREEDY_NEEDS) * 1000n <= told * SLACK
    ? undefined
    : `the estimate for what needs ${GREEDY_NEEDS} is ${told}`;
}
