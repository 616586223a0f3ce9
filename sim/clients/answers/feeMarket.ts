/** A chain's fee rules from genesis on. Prices are wei per gas. */
export interface FeeMarket {
  /** Base fee of the header before the first block. */
  readonly baseFee: bigint;
  /** The base fee never falls below this price, and transactions that offer less are refused. */
  readonly minGasPrice: bigint;
  /** Base fees go to a module account instead of being burned. */
  readonly collectBaseFee: boolean;
  /** The base fee is always zero. */
  readonly noBaseFee: boolean;
  /** The base fee stays the same after a block that uses 1/elasticity of its gas limit. */
  readonly elasticity: bigint;
  /** An empty block lowers the base fee by 1/denominator. */
  readonly denominator: bigint;
}

/** The defaults of a new chain. */
export const USUAL_FEES: FeeMarket = {
  baseFee: 10n ** 9n,
  minGasPrice: 0n,
  collectBaseFee: false,
  noBaseFee: false,
  elasticity: 2n,
  denominator: 8n,
};

/** The fee market's section of a genesis file, in the field names of the SDK. */
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

/** Base fee of the header before the first block. */
export const firstBaseFee = ({ noBaseFee, baseFee }: FeeMarket): bigint => (noBaseFee ? 0n : baseFee);

/** A second implementation of EIP-1559: the base fee moves with the distance of the parent's gas from its target. */
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

/** The lowest price per gas that a transaction may offer in the block after `parent`. */
export const leastPriceAfter = (parent: Parameters<typeof baseFeeAfter>[0], market: FeeMarket): bigint =>
  market.noBaseFee ? market.minGasPrice : baseFeeAfter(parent, market);
