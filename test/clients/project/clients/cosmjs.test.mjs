import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHex, toBech32 } from '@cosmjs/encoding';
import {
  DirectEthSecp256k1Wallet,
  makeAuthInfoBytes,
  makeSignBytes,
  makeSignDoc,
  Registry,
} from '@cosmjs/proto-signing';
import { defaultRegistryTypes, GasPrice, SigningStargateClient, StargateClient } from '@cosmjs/stargate';
import { Comet38Client, HttpClient } from '@cosmjs/tendermint-rpc';
import { BinaryReader } from 'cosmjs-types/binary';
import { BaseAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { computeAddress, keccak256, SigningKey } from 'ethers';
import { COMET, FRIEND, until } from './node.mjs';

const KEY = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97';
const CHAIN = 'chain_9000-1';
const GAS = 200_000;
const FEE = [{ denom: 'achain', amount: String(BigInt(GAS) * 5_000_000_000n) }];
const HASH_BYTES = 32;

const key = new SigningKey(KEY);
const bytesOf = (hex) => fromHex(hex.slice(2));
const [alice, friend] = [computeAddress(KEY), FRIEND].map((hex) => toBech32('chain', bytesOf(hex)));
const registry = new Registry(defaultRegistryTypes);

/** The account types of this chain wrap the base account. */
function accountParser({ value }) {
  const reader = new BinaryReader(value);
  reader.uint32();
  const { address, accountNumber, sequence } = BaseAccount.decode(reader.bytes());
  return { address, pubkey: null, accountNumber, sequence: Number(sequence) };
}

/** A MsgSend with this sequence, under this chain's own name for the key. */
function transferOf(accountNumber, sequence) {
  const value = { fromAddress: alice, toAddress: friend, amount: [{ denom: 'achain', amount: '1000' }] };
  const body = registry.encodeTxBody({ messages: [{ typeUrl: '/cosmos.bank.v1beta1.MsgSend', value }] });
  const pubkey = {
    typeUrl: '/chain.crypto.v1.ethsecp256k1.PubKey',
    value: Uint8Array.of(10, 33, ...bytesOf(key.compressedPublicKey)),
  };
  const mode = SignMode.SIGN_MODE_DIRECT;
  const auth = makeAuthInfoBytes([{ pubkey, sequence }], FEE, GAS, undefined, undefined, mode);
  const { r, s } = key.sign(keccak256(makeSignBytes(makeSignDoc(body, auth, CHAIN, accountNumber))));
  const signature = Uint8Array.of(...bytesOf(r), ...bytesOf(s));
  return TxRaw.encode({ bodyBytes: body, authInfoBytes: auth, signatures: [signature] }).finish();
}

/** What a stream tells, in a list that grows. */
function listOf(stream) {
  const list = [];
  const fail = (error) => list.push({ error });
  const subscription = stream.subscribe({ next: (event) => list.push(event), error: fail });
  return { list, end: () => subscription.unsubscribe() };
}

test('CosmJS', async (t) => {
  const live = await Comet38Client.connect(COMET.replace('http', 'ws'));
  // This client sends nothing more, to any node, once nobody has listened to its socket for a while.
  const headers = listOf(live.subscribeNewBlockHeader());
  const client = Comet38Client.create(new HttpClient(COMET));
  t.after(() => live.disconnect());
  const { accountNumber, sequence } = await (
    await StargateClient.connect(COMET, { accountParser })
  ).getSequence(alice);
  const next = (i) => transferOf(accountNumber, sequence + i);
  let sent;

  await t.test(
    'sends by all three ways, and hears of blocks, headers and transactions by stream',
    async () => {
      const blocks = listOf(live.subscribeNewBlock());
      const txs = listOf(live.subscribeTx());
      const toFriend = listOf(live.subscribeTx(`tm.event='Tx' AND transfer.recipient='${friend}'`));
      // The subscriptions stand when a later request of the same socket is answered.
      await live.health();
      assert.equal((await client.broadcastTxSync({ tx: next(0) })).code, 0);
      assert.equal((await live.broadcastTxAsync({ tx: next(1) })).hash.length, HASH_BYTES);
      await until(() => txs.list.length >= 2, 'two transactions');
      sent = await client.broadcastTxCommit({ tx: next(2) });
      assert.equal(sent.txResult?.code, 0);
      await until(() => txs.list.length >= 3 && toFriend.list.length >= 3, 'three transactions');
      await until(() => blocks.list.length >= 3 && headers.list.length >= 3, 'three blocks');
      for (const { list } of [blocks, headers, txs, toFriend])
        assert.deepEqual(
          list.filter(({ error }) => error !== undefined),
          [],
        );
      assert.deepEqual(toFriend.list, txs.list);
      assert.equal(txs.list.at(-1).height, sent.height);
      const numbers = headers.list.map(({ height }) => height);
      assert.deepEqual(
        numbers,
        numbers.map((_, i) => numbers[0] + i),
      );
      assert.ok(blocks.list.every(({ header }) => numbers.includes(header.height)));
      for (const { end } of [blocks, txs, toFriend]) end();
    },
  );

  await t.test('finds them again, alone and by search, with a proof', async () => {
    const found = await client.tx({ hash: sent.hash, prove: true });
    assert.deepEqual([found.height, found.proof?.proof.index], [sent.height, found.index]);
    const query = `transfer.recipient='${friend}'`;
    assert.ok((await client.txSearch({ query, per_page: 1 })).totalCount >= 3);
    const all = await client.txSearchAll({ query, prove: true, per_page: 2 });
    assert.equal(all.txs.length, all.totalCount);
    const { height } = sent;
    const [block] = (await client.blockSearch({ query: `block.height=${height}` })).blocks;
    assert.equal(block?.block.header.height, height);
    const lately = `block.height>${height - 8} AND block.height<=${height}`;
    const many = await client.blockSearchAll({ query: lately, per_page: 3 });
    assert.equal(many.blocks.length, Math.min(8, height));
  });

  await t.test('signs with its own eth_secp256k1 wallet, and estimates the gas', async () => {
    const wallet = await DirectEthSecp256k1Wallet.fromKey(bytesOf(KEY), 'chain');
    const gasPrice = GasPrice.fromString('5000000000achain');
    const options = { accountParser, gasPrice, broadcastPollIntervalMs: 100 };
    const signer = await SigningStargateClient.connectWithSigner(COMET, wallet, options);
    const amount = [{ denom: 'achain', amount: '7' }];
    const done = await signer.sendTokens(alice, friend, amount, 'auto', 'from its own wallet');
    assert.deepEqual([done.code, done.msgResponses[0]?.typeUrl], [0, '/cosmos.bank.v1beta1.MsgSendResponse']);
    assert.equal((await signer.getTx(done.transactionHash))?.height, done.height);
    const query = [
      { key: 'transfer.recipient', value: friend },
      { key: 'tx.height', value: done.height },
    ];
    assert.ok((await signer.searchTx(query)).some(({ hash }) => hash === done.transactionHash));
    const short = await signer.signAndBroadcast(
      alice,
      [
        {
          typeUrl: '/cosmos.bank.v1beta1.MsgSend',
          value: {
            fromAddress: alice,
            toAddress: friend,
            amount: [{ denom: 'achain', amount: `1${'0'.repeat(30)}` }],
          },
        },
      ],
      { amount: FEE, gas: String(GAS) },
    );
    assert.deepEqual([short.code, /is smaller than/.test(short.rawLog)], [5, true]);
    signer.disconnect();
  });

  await t.test('reads the chain: every other method, over HTTP and over the websocket', async () => {
    for (const each of [client, live]) {
      const { height } = sent;
      const { block, blockId } = await each.block(height);
      assert.deepEqual((await each.commit(height)).commit.blockId, blockId);
      assert.deepEqual((await each.blockchain(height, height)).blockMetas[0]?.header, block.header);
      assert.equal((await each.blockResults(height)).results.length, block.txs.length);
      const { nodeInfo, syncInfo, validatorInfo } = await each.status();
      assert.equal(nodeInfo.network, CHAIN);
      assert.ok(syncInfo.latestBlockHeight >= height);
      const { validators } = await each.validators({ height });
      assert.deepEqual(validators[0]?.address, validatorInfo.address);
      assert.equal((await each.validatorsAll(height)).total, 1);
      assert.equal((await each.genesis()).chainId, CHAIN);
      assert.ok((await each.abciInfo()).lastBlockHeight >= height);
      const answer = await each.abciQuery({
        path: '/cosmos.bank.v1beta1.Query/TotalSupply',
        data: new Uint8Array(),
      });
      assert.deepEqual([answer.code, answer.value.length > 0], [0, true]);
      const proven = await each.abciQuery({
        path: '/store/ethereum/key',
        data: bytesOf(FRIEND),
        height,
        prove: true,
      });
      assert.ok((proven.proof?.ops.length ?? 0) > 0);
      assert.ok((await each.numUnconfirmedTxs()).total >= 0);
      assert.equal(await each.health(), null);
    }
  });

  await t.test('is told why a request is refused', async () => {
    await assert.rejects(client.block(1e9), /must be less than or equal to the current blockchain height/);
    await assert.rejects(client.tx({ hash: new Uint8Array(HASH_BYTES) }), /not found/);
    assert.notEqual((await client.broadcastTxSync({ tx: Uint8Array.of(1, 2, 3) })).code, 0);
  });
});
