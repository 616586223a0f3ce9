import { expect, test } from 'vitest';
import { present } from '../../../../core/lib/assert.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { cosmosTx, SECRETS, sendMessage } from '../../app/support/cosmosTx.ts';
import { GWEI, signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld, readerWith } from '../support/rpcWorld.ts';

test('percentiles are of the gas of Ethereum transactions, whatever else the block holds', async () => {
  const world = await RpcWorld.open();
  for (const [nonce, tip] of [1n, 3n].entries()) {
    const fields = { to: bytesHex(world.other.address), gas: 21_000n, maxPriorityFeePerGas: tip * GWEI };
    await world.get('eth_sendRawTransaction', bytesHex(await signRaw(world.dev, { nonce, ...fields })));
  }
  const { accountNumber } = present(world.ctx.chain.latest().auth(world.other.address), 'an account');
  const messages = [sendMessage(world.other.address, world.dev.address, 1n)];
  const tx = cosmosTx({ messages, secret: SECRETS[1], data: { accountNumber, sequence: 0n } });
  expect(await world.ctx.submit(tx)).toMatchObject({ result: { kind: 'accepted' } });
  await world.commit();

  const block = present(world.ctx.chain.ethBlock(1), 'the block');
  expect(block.receipts.map(({ gasUsed }) => gasUsed)).toEqual([21_000n, 21_000n]);
  expect(block.header.gasUsed).toBeGreaterThan(60_000n);
  const history = await world.get('eth_feeHistory', '0x1', 'latest', [25, 50, 75]);
  const tips = [1n, 1n, 3n].map((tip) => `0x${(tip * GWEI).toString(16)}`);
  expect(history.reward).toEqual([tips]);
});

test('other work may run after each block of a history', async () => {
  const world = await RpcWorld.open();
  for (let i = 0; i < 3; i++) await world.commit();
  const order: string[] = [];
  const { chain } = world.ctx;
  const ethBlock = (height: number) => {
    order.push(`block ${height}`);
    return chain.ethBlock(height);
  };
  const pause = async (): Promise<void> => void order.push('pause');
  const ctx = { ...world.ctx, chain: readerWith(chain, { ethBlock }), pause };
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: ['0x3', 'latest', [50]] };
  await handleEthRequest(ctx, JSON.stringify(call), 'http');
  expect(order).toEqual(['block 3', 'pause', 'block 2', 'pause', 'block 1', 'pause', 'block 4']);
});

test('a block decided while a history is gathered does not change the fee after the newest', async () => {
  const world = await RpcWorld.open();
  for (let i = 0; i < 2; i++) await world.commit();
  const pause = async (): Promise<void> => {
    if (world.ctx.chain.head() === 2) await world.commit();
  };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: ['0x2', 'latest'] });
  const before = await handleEthRequest(world.ctx, call, 'http');
  expect(await handleEthRequest({ ...world.ctx, pause }, call, 'http')).toBe(before);
  expect(world.ctx.chain.head()).toBe(3);
});
