import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPublicClient, createWalletClient, defineChain, http, webSocket } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID, COIN, FRIEND, HTTP, KEYS, until, WS } from './node.mjs';

const chain = defineChain({
  id: CHAIN_ID,
  name: 'devnet',
  nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
  rpcUrls: { default: { http: [HTTP], webSocket: [WS] } },
});
const account = privateKeyToAccount(KEYS[1]);
const reader = createPublicClient({
  chain,
  transport: http(undefined, { batch: true }),
  pollingInterval: 100,
});
const socket = createPublicClient({
  chain,
  transport: webSocket(undefined, { reconnect: false, keepAlive: false }),
});
const wallet = createWalletClient({ chain, transport: http(), account, pollingInterval: 100 });
const { abi, bytecode } = COIN;

test('viem', async (t) => {
  t.after(async () => (await socket.transport.getRpcClient()).close());
  const deployment = await wallet.deployContract({ abi, bytecode, args: [1000n] });
  const { contractAddress: address } = await reader.waitForTransactionReceipt({ hash: deployment });
  const transfer = async (value) => {
    const hash = await wallet.writeContract({
      address,
      abi,
      functionName: 'transfer',
      args: [FRIEND, value],
    });
    return reader.waitForTransactionReceipt({ hash });
  };

  await t.test(
    'watches events of a contract over a websocket and by polling a filter, each once',
    async () => {
      const pushed = [];
      const polled = [];
      const put = (list) => (logs) => list.push(...logs.map(({ args }) => args.value));
      const onError = (error) => assert.fail(error);
      const ends = [
        socket.watchContractEvent({ address, abi, eventName: 'Transfer', onLogs: put(pushed), onError }),
        reader.watchContractEvent({ address, abi, eventName: 'Transfer', onLogs: put(polled), onError }),
      ];
      await socket.getBlockNumber();
      await new Promise((resolve) => setTimeout(resolve, 500));
      for (const value of [1n, 2n, 3n]) await transfer(value);
      await until(() => pushed.length >= 3 && polled.length >= 3, 'three events');
      for (const end of ends) end();
      assert.deepEqual(pushed, [1n, 2n, 3n]);
      assert.deepEqual(polled, [1n, 2n, 3n]);
    },
  );

  await t.test('watches blocks over a websocket: every number once', async () => {
    const numbers = [];
    const end = socket.watchBlocks({ onBlock: ({ number }) => numbers.push(number), onError: assert.fail });
    await until(() => numbers.length > 0, 'a first block');
    for (const value of [4n, 5n]) await transfer(value);
    await until(() => numbers.length >= 3, 'three blocks');
    end();
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => numbers[0] + BigInt(i)),
    );
  });

  await t.test('reads many contracts at once, simulates and estimates', async () => {
    const read = (functionName, args = []) => reader.readContract({ address, abi, functionName, args });
    const values = await Promise.all([read('name'), read('decimals'), read('balanceOf', [FRIEND])]);
    assert.deepEqual(values, ['Coin', 18, 15n]);
    const { result } = await reader.simulateContract({
      address,
      abi,
      functionName: 'transfer',
      args: [FRIEND, 1n],
      account,
    });
    assert.equal(result, true);
    await assert.rejects(
      reader.simulateContract({ address, abi, functionName: 'transfer', args: [FRIEND, 10_000n], account }),
      (error) => error.walk((one) => one.data?.errorName === 'ERC20InsufficientBalance') !== null,
    );
    const gas = await reader.estimateContractGas({
      address,
      abi,
      functionName: 'transfer',
      args: [FRIEND, 1n],
      account,
    });
    assert.ok(gas > 21_000n && gas < 100_000n);
    const { results } = await reader.simulateCalls({
      account,
      calls: [{ to: address, abi, functionName: 'transfer', args: [FRIEND, 1n] }],
    });
    assert.equal(results[0].status, 'success');
  });

  await t.test('verifies a proof and reads the fee history', async () => {
    const proof = await reader.getProof({ address, storageKeys: [`0x${'00'.repeat(32)}`] });
    assert.ok(proof.accountProof.length > 0);
    const fees = await reader.getFeeHistory({ blockCount: 4, rewardPercentiles: [10, 50] });
    assert.equal(fees.reward.length, fees.gasUsedRatio.length);
  });

  await t.test('delegates an account to a contract (EIP-7702) and calls it', async () => {
    const authorization = await wallet.signAuthorization({ contractAddress: address, executor: 'self' });
    const hash = await wallet.sendTransaction({
      authorizationList: [authorization],
      to: account.address,
      data: '0x06fdde03',
    });
    assert.equal((await reader.waitForTransactionReceipt({ hash })).status, 'success');
    assert.equal(await reader.getCode({ address: account.address }), `0xef0100${address.slice(2)}`);
  });
});
