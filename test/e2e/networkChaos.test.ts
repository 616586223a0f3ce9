import { type Hex, keccak256 } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeNetwork, type TestNode, type Testnet } from './testnet.ts';

const CYCLES = 20;
const MNEMONIC = 'test test test test test test test test test test test junk';
/** Printed with a failure: the same choices again. */
const SEED = 20_251_121;

let net: Testnet;
beforeAll(async () => {
  net = await makeNetwork(4);
  for (const node of net.nodes) node.start();
});
afterAll(() => net.stop());

/** Numbers that look random and repeat (Park and Miller). */
function choices(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
}

async function eth<T>(node: TestNode, method: string, ...params: readonly unknown[]): Promise<T> {
  const response = await fetch(node.jsonRpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(30_000),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

interface Receipt {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
}

/** Transfers of one sender, one after another, each to whichever node answers; keeps every receipt it was shown. */
async function transfers(
  index: number,
  work: { isOver: boolean },
  receipts: Map<Hex, Receipt>,
): Promise<void> {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index });
  for (let nonce = 0, turn = index; !work.isOver; turn++) {
    const node = net.nodes[turn % net.nodes.length] as TestNode;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 9000,
      nonce,
      to: '0x00000000000000000000000000000000000051a0',
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 1n,
    });
    const hash = keccak256(raw);
    try {
      await eth(node, 'eth_sendRawTransaction', raw).catch(() => {});
      const receipt = await eth<Receipt | null>(node, 'eth_getTransactionReceipt', hash);
      if (receipt !== null) {
        receipts.set(hash, receipt);
        nonce++;
      }
    } catch {
      // The node is down or stopped; the next turn asks another.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test(`validators that crash, restart and hang ${CYCLES} times lose nothing they acknowledged and do not fork`, {
  timeout: 1_200_000,
}, async () => {
  const choose = choices(SEED);
  const receipts = new Map<Hex, Receipt>();
  const work = { isOver: false };
  await Promise.all(net.nodes.map((node) => node.reaches(2)));
  const senders = [0, 1].map((index) => transfers(index, work, receipts));
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const victim = net.nodes[choose(net.nodes.length)] as TestNode;
    const other = net.nodes.find((node) => node !== victim) as TestNode;
    const height = await other.height();
    if (choose(3) === 0) {
      process.kill(victim.pid, 'SIGSTOP');
      await other.reaches(height + 1 + choose(3));
      process.kill(victim.pid, 'SIGCONT');
    } else {
      await victim.kill('SIGKILL');
      if (choose(2) === 0) await other.reaches(height + 1 + choose(3));
      victim.start();
      await victim.reaches(height);
    }
  }
  work.isOver = true;
  await Promise.all(senders);

  const top = Math.max(...(await Promise.all(net.nodes.map((node) => node.height()))));
  await Promise.all(net.nodes.map((node) => node.reaches(top + 1)));
  const chains = await Promise.all(
    net.nodes.map(async (node) => {
      const hashes: string[] = [];
      for (let height = 1; height <= top; height++) {
        const { signed_header } = await node.call<{
          signed_header: { header: { app_hash: string }; commit: { block_id: { hash: string } } };
        }>(`commit?height=${height}`);
        hashes.push(`${signed_header.commit.block_id.hash} ${signed_header.header.app_hash}`);
      }
      return hashes;
    }),
  );
  for (const chain of chains) expect(chain).toEqual(chains[0]);
  expect(receipts.size).toBeGreaterThan(0);
  for (const node of net.nodes)
    for (const [hash, receipt] of receipts)
      expect(await eth(node, 'eth_getTransactionReceipt', hash)).toMatchObject({
        blockHash: receipt.blockHash,
        blockNumber: receipt.blockNumber,
      });
  for (let height = 1; height <= top; height++) {
    const answer = await (net.nodes[0] as TestNode).call<{ block: { evidence: { evidence: unknown[] } } }>(
      `block?height=${height}`,
    );
    expect([height, answer.block.evidence.evidence]).toEqual([height, []]);
  }
  for (const node of net.nodes) expect(node.log).not.toMatch(/conflicting data|internal error|cannot go on/);
});
