import { createPublicClient, createTestClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { tempDir } from '../adapters/tempDir.ts';
import { type Devnet, KEYS, startDevnet } from './devnet.ts';

const account = privateKeyToAccount(KEYS[0]);

const clientsOf = (node: Devnet) => ({
  client: createPublicClient({ transport: http(node.jsonRpc), pollingInterval: 50 }),
  pool: createTestClient({ transport: http(node.jsonRpc), mode: 'anvil' }),
});

async function transfer(chainId: number, nonce: number): Promise<Hex> {
  return account.signTransaction({
    chainId,
    nonce,
    to: `0x${'11'.repeat(20)}`,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
}

test('a transaction that waits for an earlier one still waits after a restart, and is included once that comes', async () => {
  const home = tempDir();
  const first = await startDevnet(home, { keep: true });
  const { client } = clientsOf(first);
  const chainId = await client.getChainId();
  const hash = await client.sendRawTransaction({ serializedTransaction: await transfer(chainId, 1) });
  await first.stop();

  const second = await startDevnet(home, { keep: true });
  try {
    const { client: again, pool } = clientsOf(second);
    expect(await pool.getTxpoolStatus()).toEqual({ pending: 0, queued: 1 });
    expect((await again.getTransaction({ hash })).nonce).toBe(1);
    await again.sendRawTransaction({ serializedTransaction: await transfer(chainId, 0) });
    expect((await again.waitForTransactionReceipt({ hash })).status).toBe('success');
  } finally {
    await second.stop();
  }

  const third = await startDevnet(home);
  const { pool } = clientsOf(third);
  expect(await pool.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 });
  await third.stop();
});
