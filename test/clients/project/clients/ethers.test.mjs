import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contract, ContractFactory, JsonRpcProvider, NonceManager, Wallet, WebSocketProvider } from 'ethers';
import { CHAIN_ID, COIN, FRIEND, HTTP, KEYS, until, WS } from './node.mjs';

const provider = new JsonRpcProvider(HTTP, undefined, { pollingInterval: 100, batchMaxCount: 20 });
const wallet = new NonceManager(new Wallet(KEYS[0], provider));

test('ethers', async (t) => {
  t.after(() => provider.destroy());
  assert.equal((await provider.getNetwork()).chainId, BigInt(CHAIN_ID));
  const coin = await new ContractFactory(COIN.abi, COIN.bytecode, wallet).deploy(1000n);
  await coin.waitForDeployment();
  const address = await coin.getAddress();
  const owner = await wallet.getAddress();

  await t.test('sends, waits, and reads the balance back', async () => {
    const receipt = await (await coin.transfer(FRIEND, 5n)).wait();
    assert.equal(receipt.status, 1);
    assert.equal(await coin.balanceOf(FRIEND), 5n);
    assert.equal(await coin.balanceOf(FRIEND, { blockTag: receipt.blockNumber - 1 }), 0n);
    assert.equal((await provider.getBlock(receipt.blockNumber)).hash, receipt.blockHash);
  });

  await t.test('decodes a custom error', async () => {
    await assert.rejects(coin.transfer.staticCall(FRIEND, 10_000n), (error) => {
      assert.equal(error.code, 'CALL_EXCEPTION');
      assert.equal(error.revert.name, 'ERC20InsufficientBalance');
      return true;
    });
  });

  await t.test('hears events of a contract, by polling and over a websocket, each once', async () => {
    const socket = new WebSocketProvider(WS);
    const polled = [];
    const pushed = [];
    const blocks = [];
    const watching = new Contract(address, COIN.abi, socket);
    await watching.on('Transfer', (_from, _to, value) => pushed.push(value));
    await socket.on('block', (number) => blocks.push(number));
    await coin.on('Transfer', (_from, _to, value) => polled.push(value));
    // The subscriptions stand when a later request of the same socket is answered.
    await socket.getBlockNumber();
    await provider.getBlockNumber();
    for (const value of [1n, 2n, 3n]) await (await coin.transfer(FRIEND, value)).wait();
    await until(() => pushed.length >= 3 && polled.length >= 3 && blocks.length >= 3, 'three events');
    assert.deepEqual(pushed, [1n, 2n, 3n]);
    assert.deepEqual(polled, [1n, 2n, 3n]);
    await coin.removeAllListeners();
    await watching.removeAllListeners();
    await socket.destroy();
  });

  await t.test('hears of a transaction before it is in a block', async () => {
    const socket = new WebSocketProvider(WS);
    const heard = [];
    await socket.on('pending', (hash) => heard.push(hash));
    await socket.getBlockNumber();
    const sent = await wallet.sendTransaction({ to: FRIEND, value: 1n });
    await until(() => heard.includes(sent.hash), 'the pending transaction');
    await sent.wait();
    await socket.destroy();
  });

  await t.test('replaces a waiting transaction by a better paid one', async () => {
    const plain = new Wallet(KEYS[3], provider);
    const nonce = await plain.getNonce();
    const fees = { maxPriorityFeePerGas: 10n ** 9n, maxFeePerGas: 10n ** 11n, gasLimit: 21_000n };
    await plain.sendTransaction({ to: owner, value: 1n, nonce: nonce + 1, ...fees });
    await assert.rejects(plain.sendTransaction({ to: owner, value: 2n, nonce: nonce + 1, ...fees }), {
      code: 'REPLACEMENT_UNDERPRICED',
    });
    const better = { ...fees, maxPriorityFeePerGas: 2n * 10n ** 9n, maxFeePerGas: 2n * 10n ** 11n };
    const replaced = await plain.sendTransaction({ to: owner, value: 3n, nonce: nonce + 1, ...better });
    await plain.sendTransaction({ to: owner, value: 1n, nonce, ...fees });
    assert.equal((await replaced.wait()).status, 1);
    await assert.rejects(plain.sendTransaction({ to: owner, value: 1n, nonce, ...fees }), {
      code: 'NONCE_EXPIRED',
    });
  });
});
