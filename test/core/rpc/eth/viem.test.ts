import { createPublicClient, custom, defineChain, encodeFunctionData, erc20Abi, parseEther } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { deploying, REVERTER, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

const chain = defineChain({
  id: 9000,
  name: 'Orrery',
  nativeCurrency: { name: 'chain', symbol: 'CHAIN', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
});

let world: RpcWorld;
const client = createPublicClient({
  chain,
  transport: custom(
    {
      request: async ({ method, params }) => {
        const { result, error } = await world.rpc(method, ...((params ?? []) as unknown[]));
        if (error !== undefined) throw error;
        return result;
      },
    },
    { retryCount: 0 },
  ),
});

beforeAll(async () => {
  world = await RpcWorld.open();
});

async function deploy(runtime: string, nonce: number) {
  const raw = await signRaw(world.dev, { nonce, data: deploying(runtime), gas: 1_000_000n });
  const hash = await client.sendRawTransaction({ serializedTransaction: bytesHex(raw) as `0x${string}` });
  await world.commit();
  const { contractAddress } = await client.getTransactionReceipt({ hash });
  return contractAddress as `0x${string}`;
}

test('viem sends, deploys, calls, reads logs and fees, and understands the errors', async () => {
  expect(await client.getChainId()).toBe(9000);
  const emitter = await deploy(STORE_AND_LOG, 0);
  const reverter = await deploy(REVERTER, 1);
  const account = world.dev.account.address;
  expect(await client.getTransactionCount({ address: account })).toBe(2);
  const raw = await signRaw(world.dev, { nonce: 2, to: emitter, data: word(7) });
  const hash = await client.sendRawTransaction({ serializedTransaction: bytesHex(raw) as `0x${string}` });
  expect((await client.getTransaction({ hash })).blockNumber).toBeNull();
  const { block } = await world.commit();
  const receipt = await client.getTransactionReceipt({ hash });
  expect(receipt).toMatchObject({
    status: 'success',
    type: 'eip1559',
    blockNumber: BigInt(block.header.height),
  });
  expect(await client.getLogs({ address: emitter, fromBlock: 0n })).toEqual(receipt.logs);
  expect(await client.getStorageAt({ address: emitter, slot: '0x0' })).toBe(word(7));
  const fees = await client.estimateFeesPerGas();
  expect(fees.maxFeePerGas).toBeGreaterThan(fees.maxPriorityFeePerGas);
  expect((await client.getFeeHistory({ blockCount: 3, rewardPercentiles: [50] })).reward).toHaveLength(3);
  const full = await client.getBlock({ includeTransactions: true });
  expect(full.transactions[0]).toMatchObject({ hash, from: account.toLowerCase(), maxFeePerGas: 10n ** 10n });
  expect(full.hash).toBe(receipt.blockHash);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'name' });
  await expect(client.call({ to: reverter, data })).rejects.toThrow('execution reverted');
  await expect(client.estimateGas({ account, to: emitter, value: parseEther('99999999') })).rejects.toThrow(
    /exceeds the balance of the account/,
  );
});
