import { beforeAll, expect, test } from 'vitest';
import { toHex } from '../../../../core/lib/bytes.ts';
import { COIN, TestChain, testGenesis } from '../support/chain.ts';
import { signTx, wallet } from '../support/wallet.ts';

const [alice, bob] = [wallet(0), wallet(1)];
/** Of which the burner's takes most. */
const BLOCK_GAS = 100_000;
let chain: TestChain;

beforeAll(async () => {
  const accounts = [{ address: alice.address, balance: COIN }];
  chain = await TestChain.open(testGenesis({ accounts }, BLOCK_GAS));
  const to = bob.account.address;
  await chain.commit([
    await signTx(alice, { to, nonce: 0, value: 1n, gas: 21_000n }),
    // An invalid instruction takes all of its gas.
    await signTx(alice, { nonce: 1, data: '0xfe', gas: 60_000n }),
  ]);
  expect(chain.reader.ethBlock(1)?.receipts.map(({ gasUsed }) => gasUsed)).toEqual([21_000n, 60_000n]);
});

/** Which transactions ran when one was asked for. */
async function asked(ethIndex: number): Promise<readonly string[]> {
  const seen: string[] = [];
  const isKept = await chain.evm.replayOne(1, ethIndex, (tx, index) => {
    seen.push(`${index} ${toHex(tx.hash)}`);
    return undefined;
  });
  expect(isKept).toBe(true);
  return seen;
}

test('a transaction runs again and again where it stood: what it used is free again', async () => {
  const [first, second] = chain.reader.ethBlock(1)?.transactions.map(({ hash }) => toHex(hash)) ?? [];
  for (let times = 0; times < 3; times++) expect(await asked(1)).toEqual([`1 ${second}`]);
  for (let times = 0; times < 3; times++) expect(await asked(0)).toEqual([`0 ${first}`]);
  expect(await asked(1)).toEqual([`1 ${second}`]);
});
