/**
 * Included transfers per second: 4000 signed transfers of ten senders over HTTP to one Orrery node, and the same to
 * anvil with the same client in the same run. Counted from the first request until every sender's nonce shows them all;
 * what is not included by the deadline does not count, and is said.
 */
import type { HDAccount } from 'viem/accounts';
import { pause, type RpcClient, spread } from './ethereum/client.ts';
import { ANVIL, accountsOf, type NodeKind, ORRERY, withNode } from './ethereum/nodes.ts';
import type { Print } from './figure.ts';

const TRANSFERS = 4000;
const SENDERS = 10;
const DEADLINE_MS = 120_000;

/** Raw transactions in sending order: the senders take turns. */
async function signAll(chainId: number, accounts: readonly HDAccount[]): Promise<readonly string[]> {
  const raws: string[] = [];
  for (let i = 0; i < TRANSFERS; i++) {
    const account = accounts[i % SENDERS] as HDAccount;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce: Math.floor(i / SENDERS),
      to: `0x${(0x1000 + (i % 100)).toString(16).padStart(40, '0')}`,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    raws.push(raw);
  }
  return raws;
}

async function includedOf(client: RpcClient, accounts: readonly HDAccount[]): Promise<number> {
  const nonces = await Promise.all(
    accounts.map(({ address }) => client.call<string>('eth_getTransactionCount', [address, 'latest'])),
  );
  return nonces.reduce((sum, nonce) => sum + Number(nonce), 0);
}

async function measure(client: RpcClient): Promise<{ readonly rate: number; readonly included: number }> {
  const accounts = accountsOf(SENDERS);
  const raws = await signAll(Number(await client.call('eth_chainId')), accounts);
  const started = performance.now();
  const deadline = started + DEADLINE_MS;
  await spread(TRANSFERS, (i) => client.call('eth_sendRawTransaction', [raws[i]]), deadline);
  let included = await includedOf(client, accounts);
  while (included < TRANSFERS && performance.now() < deadline) {
    await pause(25);
    included = await includedOf(client, accounts);
  }
  return { rate: included / ((performance.now() - started) / 1000), included };
}

async function rateOf(kind: NodeKind): Promise<number | undefined> {
  const result = await withNode(kind, ({ client }) => measure(client));
  if (result !== undefined && result.included < TRANSFERS) {
    const missing = TRANSFERS - result.included;
    process.stderr.write(
      `${kind.name}: ${missing} of ${TRANSFERS} transfers are in no block by the deadline\n`,
    );
  }
  return result?.rate;
}

export async function run(print: Print): Promise<void> {
  const anvil = await rateOf(ANVIL);
  if (anvil !== undefined) {
    print({ bench: 'transfers', metric: 'included, anvil', value: anvil, unit: 'tx/s' });
  }
  const ours = await rateOf(ORRERY);
  if (ours === undefined) return;
  print({
    bench: 'transfers',
    metric: 'included',
    value: ours,
    unit: 'tx/s',
    ...(anvil === undefined ? {} : { vs: 'anvil', ratio: ours / anvil }),
  });
}
