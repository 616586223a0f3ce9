/** Parameters of EIP-1559, computed from gasUsed alone. Genesis sets all of them. */
export interface FeeMarketParams {
  /** Base fee of the first block, wei. */
  readonly baseFee: bigint;
  readonly baseFeeChangeDenominator: bigint;
  readonly elasticityMultiplier: bigint;
  /** The base fee never falls below this; wei. */
  readonly minGasPrice: bigint;
  /** The base fee is always zero. */
  readonly noBaseFee: boolean;
  /** The base fee goes to the fee_collector account instead of being burned. */
  readonly collectBaseFee: boolean;
}

export const DEFAULT_FEE_MARKET: FeeMarketParams = {
  baseFee: 1_000_000_000n,
  baseFeeChangeDenominator: 8n,
  elasticityMultiplier: 2n,
  minGasPrice: 0n,
  noBaseFee: false,
  collectBaseFee: false,
};

/** Base fee of the block after `parent` (EIP-1559 `validate_block`). */
export function nextBaseFee(
  parent: { readonly baseFeePerGas: bigint; readonly gasUsed: bigint; readonly gasLimit: bigint },
  params: FeeMarketParams,
): bigint {
  if (params.noBaseFee) return 0n;
  const base = parent.baseFeePerGas;
  const target = parent.gasLimit / params.elasticityMultiplier;
  if (target === 0n || parent.gasUsed === target) return atLeast(base, params.minGasPrice);
  if (parent.gasUsed > target) {
    const step = (base * (parent.gasUsed - target)) / target / params.baseFeeChangeDenominator;
    return atLeast(base + (step > 0n ? step : 1n), params.minGasPrice);
  }
  const step = (base * (target - parent.gasUsed)) / target / params.baseFeeChangeDenominator;
  return atLeast(base > step ? base - step : 0n, params.minGasPrice);
}

export const atLeast = (value: bigint, floor: bigint): bigint => (value < floor ? floor : value);

/**
 * The price per gas unit that the sender pays, and the proposer's part of it. Undefined when the cap is below the base
 * fee.
 */
export function effectivePrice(
  tx: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  baseFee: bigint,
): { readonly price: bigint; readonly tip: bigint } | undefined {
  if (tx.maxFeePerGas < baseFee) return undefined;
  const room = tx.maxFeePerGas - baseFee;
  const tip = tx.maxPriorityFeePerGas < room ? tx.maxPriorityFeePerGas : room;
  return { price: baseFee + tip, tip };
}
