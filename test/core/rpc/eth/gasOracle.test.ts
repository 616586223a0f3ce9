import { expect, test } from 'vitest';
import type { EthBlock } from '../../../../core/app/chain.ts';
import { to0xHex } from '../../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { GasOracle } from '../../../../core/rpc/eth/gasOracle.ts';
import { COIN, testGenesis } from '../../app/support/chain.ts';
import { wallet } from '../../app/support/wallet.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

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
function suggested(tips: Readonly<Record<number, readonly bigint[]>>, least = GWEI): bigint {
  const chain = {
    nextBaseFee: () => GWEI,
    leastGasPrice: () => least,
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

test('the three lowest tips of each block count, and their 60th percentile is suggested', () => {
  expect(suggested({ [HEAD]: [9n, 5n, 4n, 6n] })).toBe(5n);
  expect(suggested({ [HEAD]: [2n, 3n, 4n], [HEAD - 1]: [5n, 6n, 7n] })).toBe(5n);
});

test('no tip above five hundred gwei is suggested', () => {
  expect(suggested({ [HEAD]: [500n] })).toBe(500n);
  expect(suggested({ [HEAD]: [501n] })).toBe(500n);
});

test('the suggested tip is not below the least price that the node accepts', () => {
  expect(suggested({ [HEAD]: [3n] }, 4n * GWEI)).toBe(3n);
  expect(suggested({ [HEAD]: [3n] }, 5n * GWEI)).toBe(4n);
});

test('with a minimum gas price and no base fee, a transaction at the suggested price is accepted', async () => {
  const least = 2n * GWEI;
  const accounts = [{ address: wallet(0).address, balance: COIN }];
  const world = await RpcWorld.openOn(testGenesis({ accounts, noBaseFee: true, minGasPrice: least }));
  const told = ['eth_baseFee', 'eth_maxPriorityFeePerGas', 'eth_gasPrice'].map((method) => world.get(method));
  expect(await Promise.all(told)).toEqual(['0x0', '0x77359400', '0x77359400']);
  const [from, to] = [to0xHex(world.dev.address), to0xHex(world.other.address)];
  expect(await world.get('eth_sendTransaction', { from, to, value: '0x1' })).toMatch(/^0x[0-9a-f]{64}$/);
  const path = '/cosmos/base/node/v1beta1/config';
  const { body } = await handleRest(world.ctx, { method: 'GET', path, query: '', headers: {}, body: '' });
  expect(JSON.parse(String(body)).minimum_gas_price).toBe(`${least}achain`);
});
