import { isPending } from '../at.ts';
import { feeHistory } from '../feeHistory.ts';
import { quantity } from '../goHex.ts';
import { type EthMethod, method } from '../method.ts';
import { BLOCK_NUMBER, COUNT, PERCENTILES } from '../params.ts';

export const feeMethods: readonly EthMethod[] = [
  method({
    method: 'eth_gasPrice',
    params: [],
    result: 'quantity',
    doc: "The next block's base fee and the suggested tip.",
    run: ({ services }) => quantity(services.oracle.gasPrice()),
  }),
  method({
    method: 'eth_maxPriorityFeePerGas',
    params: [],
    result: 'quantity',
    doc: 'Suggested tip: the 60th percentile of the lowest tips of the last twenty blocks.',
    run: ({ services }) => quantity(services.oracle.suggestTip()),
  }),
  method({
    method: 'eth_baseFee',
    params: [],
    result: 'quantity',
    doc: 'Base fee of the next block.',
    run: ({ ctx }) => quantity(ctx.chain.nextBaseFee()),
  }),
  method({
    method: 'eth_feeHistory',
    params: [COUNT, BLOCK_NUMBER, PERCENTILES],
    result: 'object',
    doc: 'Base fees, gas use and tips of a range of blocks; more blocks than allowed are clipped.',
    run: ({ ctx, services }, count, newest, percentiles) => {
      if (!isPending(newest)) return feeHistory(ctx, count, newest, percentiles);
      return services.pending().then((draft) => feeHistory(ctx, count, newest, percentiles, draft));
    },
  }),
];
