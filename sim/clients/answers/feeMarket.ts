/** What a chain says of fees from its first block on. Prices are wei a gas. */
export interface FeeMarket {
  /** Before the first block. */
  readonly baseFee: bigint;
  /** Below this no base fee falls, and nothing is taken that offers less. */
  readonly minGasPrice: bigint;
  /** Base fees go to a module's account instead of being burned. */
  readonly collectBaseFee: boolean;
  /** The base fee is zero for ever. */
  readonly noBaseFee: boolean;
  /** A block that uses one part of so many of its gas leaves the base fee as it is. */
  readonly elasticity: bigint;
  /** An empty block takes one part of so many of the base fee away. */
  readonly denominator: bigint;
}

/** What a new chain has by default. */
export const USUAL_FEES: FeeMarket = {
  baseFee: 10n ** 9n,
  minGasPrice: 0n,
  collectBaseFee: false,
  noBaseFee: false,
  elasticity: 2n,
  denominator: 8n,
};

/** The section of a genesis, in the words of the SDK's modules. */
export const feeMarketSection = (market: FeeMarket) => ({
  params: {
    no_base_fee: market.noBaseFee,
    base_fee_change_denominator: `${market.denominator}`,
    elasticity_multiplier: `${market.elasticity}`,
    base_fee: `${market.baseFee}`,
    min_gas_price: `${market.minGasPrice}`,
    collect_base_fee: market.collectBaseFee,
  },
  block_gas: '0',
});

/** Of the header before the first block. */
export const firstBaseFee = ({ noBaseFee, baseFee }: FeeMarket): bigint => (noBaseFee ? 0n : baseFee);

/** EIP-1559 a second time: up or down by how far the block before is from what the chain aims at. */
export function baseFeeAfter(
  parent: { readonly baseFeePerGas: bigint; readonly gasUsed: bigint; readonly gasLimit: bigint },
  { elasticity, denominator, minGasPrice, noBaseFee }: FeeMarket,
): bigint {
  if (noBaseFee) return 0n;
  const { baseFeePerGas: fee, gasUsed, gasLimit } = parent;
  const target = gasLimit / elasticity;
  const isUp = gasUsed > target;
  const distance = isUp ? gasUsed - target : target - gasUsed;
  const step = (fee * distance) / target / denominator;
  const next = isUp ? fee + (step > 1n ? step : 1n) : fee - step;
  return next > minGasPrice ? next : minGasPrice;
}

/** What a gas unit has to offer in the block after one with these fields. */
export const leastPriceAfter = (parent: Parameters<typeof baseFeeAfter>[0], market: FeeMarket): bigint =>
  market.noBaseFee ? market.minGasPrice : baseFeeAfter(parent, market);
