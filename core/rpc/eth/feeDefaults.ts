import { atLeast } from '../../app/feemarket/baseFee.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { serverError } from '../rpcError.ts';
import { feeFault, type TransactionArgs } from './callArgs.ts';
import type { GasOracle } from './gasOracle.ts';
import type { FilledTx } from './signTx.ts';

/**
 * geth's setFeeDefaults. A gas price selects the legacy form. Otherwise the default fee cap covers six full blocks of
 * rising base fee, and the block `at` whose state is asked. Throws RpcError.
 */
export function fillFees(
  ctx: RpcContext,
  args: TransactionArgs,
  oracle: GasOracle,
  at: Height,
): FilledTx['fees'] {
  const fault = feeFault(args);
  if (fault !== undefined) throw serverError(fault);
  if (args.gasPrice !== undefined) return { gasPrice: args.gasPrice };
  if (ctx.chain.fork === 'berlin') {
    if (args.maxFeePerGas === undefined && args.maxPriorityFeePerGas === undefined)
      return { gasPrice: oracle.gasPrice() };
    throw serverError('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active');
  }
  const suggested = oracle.suggestTip();
  const cap = args.maxFeePerGas;
  const tip = args.maxPriorityFeePerGas ?? (cap !== undefined && cap < suggested ? cap : suggested);
  const maxFeePerGas = cap ?? 2n * baseFeeUpTo(ctx, at) + tip;
  return { maxFeePerGas, maxPriorityFeePerGas: tip };
}

/** The base fee of the next block or that of block `at`, whichever is higher. It can fall to nothing in one block. */
const baseFeeUpTo = ({ chain }: RpcContext, at: Height): bigint =>
  atLeast(chain.nextBaseFee(), chain.ethBlock(at)?.header.baseFeePerGas ?? 0n);

/** If any fee is given, fills in the others; if none is given, gas is free. */
export function fillNamedFees(
  ctx: RpcContext,
  args: TransactionArgs,
  oracle: GasOracle,
  at: Height,
): TransactionArgs {
  const named = args.gasPrice ?? args.maxFeePerGas ?? args.maxPriorityFeePerGas;
  return named === undefined ? args : { ...args, ...fillFees(ctx, args, oracle, at) };
}
