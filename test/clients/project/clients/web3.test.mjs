import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Web3 } from 'web3';
import { CHAIN_ID, COIN, FRIEND, HTTP, KEYS, until, WS } from './node.mjs';

test('web3.js', async (t) => {
  const web3 = new Web3(HTTP);
  const live = new Web3(new Web3.providers.WebsocketProvider(WS));
  t.after(() => live.provider.disconnect());
  web3.eth.transactionPollingInterval = 100;
  const { address: from } = web3.eth.accounts.wallet.add(KEYS[2])[0];
  assert.equal(await web3.eth.getChainId(), BigInt(CHAIN_ID));
  const coin = await new web3.eth.Contract(COIN.abi)
    .deploy({ data: COIN.bytecode, arguments: [1000n] })
    .send({ from });
  const address = coin.options.address;

  await t.test('sends coins and reads the balance', async () => {
    const before = await web3.eth.getBalance(FRIEND);
    const receipt = await web3.eth.sendTransaction({ from, to: FRIEND, value: 7n });
    assert.equal(receipt.status, 1n);
    assert.equal(await web3.eth.getBalance(FRIEND), before + 7n);
  });

  await t.test('hears events of a contract and new heads over a websocket', async () => {
    const values = [];
    const heads = [];
    const watching = new live.eth.Contract(COIN.abi, address);
    const events = watching.events.Transfer();
    events.on('data', ({ returnValues }) => values.push(returnValues.value));
    const blocks = await live.eth.subscribe('newBlockHeaders');
    blocks.on('data', ({ number }) => heads.push(number));
    await live.eth.getBlockNumber();
    for (const value of [1n, 2n, 3n]) await coin.methods.transfer(FRIEND, value).send({ from });
    await until(() => values.length >= 3 && heads.length >= 3, 'three events and heads');
    assert.deepEqual(values, [1n, 2n, 3n]);
    assert.deepEqual(
      heads,
      heads.map((_, i) => heads[0] + BigInt(i)),
    );
    await blocks.unsubscribe();
  });

  await t.test('finds past events and decodes a custom error', async () => {
    const past = await coin.getPastEvents('Transfer', { fromBlock: 'earliest', filter: { to: FRIEND } });
    assert.deepEqual(
      past.map(({ returnValues }) => returnValues.value),
      [1n, 2n, 3n],
    );
    await assert.rejects(coin.methods.transfer(FRIEND, 10_000n).call({ from }), (error) => {
      assert.equal((error.innerError ?? error.cause).errorName, 'ERC20InsufficientBalance');
      return true;
    });
  });

  await t.test('sends a batch and asks for a proof', async () => {
    const batch = new web3.BatchRequest();
    const block = batch.add({ method: 'eth_blockNumber', params: [] });
    const id = batch.add({ method: 'net_version', params: [] });
    await batch.execute();
    assert.match(await block, /^0x/);
    assert.equal(await id, String(CHAIN_ID));
    assert.equal((await web3.eth.getProof(address, [`0x${'00'.repeat(32)}`])).storageProof.length, 1);
  });
});
