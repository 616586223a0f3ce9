import { expect, test } from 'vitest';
import { present } from '../../../../core/lib/assert.ts';
import { cosmosTx, SECRETS, sendMessage } from '../../app/support/cosmosTx.ts';
import { GWEI, signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

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
