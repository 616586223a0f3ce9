import { Comet38Client } from '@cosmjs/tendermint-rpc';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { present } from '../../core/lib/assert.ts';
import { type Devnet, KEYS, startDevnet } from './devnet.ts';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet?.stop());

/** Values by name and labels, `chain_id` left out: every line has it. */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(devnet.metrics)).text();
  const values = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels, value] = present(/^([a-z0-9_]+)\{(.*)\} (\S+)$/.exec(line), line);
    const others = present(labels, line)
      .split(',')
      .filter((label) => label !== 'chain_id="chain_9000-1"');
    expect(`${labels}`.split(',')).toHaveLength(others.length + 1);
    values.set(`${name}${others.length === 0 ? '' : `{${others.join()}}`}`, Number(value));
  }
  return values;
}

test('Prometheus reads what the node says elsewhere', async () => {
  const account = privateKeyToAccount(KEYS[0]);
  const transport = http(devnet.jsonRpc);
  const wallet = createWalletClient({ transport, account });
  const hash = await wallet.sendTransaction({ chain: null, to: account.address, value: 1n });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const { blockNumber } = await reader.waitForTransactionReceipt({ hash });
  // The commit of a block is in the next one.
  await expect.poll(() => reader.getBlockNumber({ cacheTime: 0 })).toBeGreaterThan(blockNumber);

  const comet = await Comet38Client.connect(devnet.consensusRpc);
  const { validatorInfo } = await comet.status();
  const address = Buffer.from(present(validatorInfo, 'validator').address).toString('hex').toUpperCase();
  const values = await scrape();
  const value = (name: string): number => present(values.get(`cometbft_${name}`), name);
  const head = value('consensus_latest_block_height');
  expect(head).toBeGreaterThan(Number(blockNumber));
  expect([head, head + 1]).toContain(value('consensus_height'));
  expect(value(`consensus_validator_last_signed_height{validator_address="${address}"}`)).toBe(head - 1);
  expect(value(`consensus_validator_power{validator_address="${address}"}`)).toBe(10);
  expect(value('consensus_block_interval_seconds_count')).toBe(head - 1);
  expect(value('consensus_total_txs')).toBe(1);
  const { blockMetas } = await comet.blockchain(head, head);
  expect(value('consensus_block_size_bytes')).toBe(blockMetas[0]?.blockSize);
  expect(value('consensus_step_duration_seconds_count{step="Propose"}')).toBeGreaterThanOrEqual(head - 1);
  const still = {
    consensus_rounds: 0,
    consensus_validators: 1,
    consensus_validators_power: 10,
    consensus_missing_validators: 0,
    consensus_byzantine_validators: 0,
    p2p_peers: 0,
    mempool_size: 0,
    mempool_size_bytes: 0,
    blocksync_syncing: 0,
  };
  for (const [name, expected] of Object.entries(still)) expect([name, value(name)]).toEqual([name, expected]);
  expect(present(values.get('process_resident_memory_bytes'), 'memory')).toBeGreaterThan(1e6);
});

test('nothing else is served there', async () => {
  const root = new URL('/', devnet.metrics);
  expect((await fetch(root)).status).toBe(200);
  expect((await fetch(new URL('/status', root))).status).toBe(404);
  expect((await fetch(devnet.metrics, { method: 'POST' })).status).toBe(405);
});
