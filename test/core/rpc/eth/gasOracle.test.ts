import { expect, test } from 'vitest';
import type { EthBlock } from '../../../../core/app/chain.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { GasOracle } from '../../../../core/rpc/eth/gasOracle.ts';

const GWEI = 1_000_000_000n;
const HEAD = 30;

/** A block whose transactions pay these tips, in gwei. */
const blockOf = (tips: readonly bigint[]): EthBlock =>
  ({
    header: { baseFeePerGas: GWEI },
    transactions: tips.map(() => ({})),
    receipts: tips.map((tip) => ({ effectiveGasPrice: (1n + tip) * GWEI })),
  }) as unknown as EthBlock;

/** In gwei, of a chain of which these blocks have transactions and the others are not kept. */
function suggested(tips: Readonly<Record<number, readonly bigint[]>>): bigint {
  const chain = {
    latest: () => ({ height: HEAD }),
    ethBlock: (height: number) => {
      const own = tips[height];
      return own && blockOf(own);
    },
  };
  return new GasOracle({ chain } as unknown as RpcContext).suggestTip() / GWEI;
}

test('the tips of the last twenty blocks count', () => {
  expect(suggested({ [HEAD]: [7n] })).toBe(7n);
  expect(suggested({ [HEAD - 19]: [7n] })).toBe(7n);
  expect(suggested({ [HEAD - 20]: [7n] })).toBe(1n);
});

test('of a block the three lowest count, and of all of them that at sixty of a hundred', () => {
  expect(suggested({ [HEAD]: [9n, 5n, 4n, 6n] })).toBe(5n);
  expect(suggested({ [HEAD]: [2n, 3n, 4n], [HEAD - 1]: [5n, 6n, 7n] })).toBe(5n);
});

test('no tip above five hundred gwei is suggested', () => {
  expect(suggested({ [HEAD]: [500n] })).toBe(500n);
  expect(suggested({ [HEAD]: [501n] })).toBe(500n);
});
