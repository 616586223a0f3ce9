import { getContractAddress, type Hex, toHex as viemHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { hex, to0xHex, toHex } from '../../../../core/lib/bytes.ts';
import type { ForkName } from '../../../../core/types/fork.ts';
import { startAnvil } from '../support/anvil.ts';
import { COIN, TestChain, testGenesis, VALIDATOR } from '../support/chain.ts';
import { deploying } from '../support/code.ts';
import { GWEI, signRaw, wallet, wrapRaw } from '../support/wallet.ts';

const alice = wallet(0);

/** Fills slots 1 to 5 when it is made; each call clears them. */
const FILLED = ((): Hex => {
  const each = (value: string) => [1, 2, 3, 4, 5].map((slot) => `60${value}600${slot}55`).join('');
  const init = each('01');
  const runtime = `${each('00')}00`;
  const size = (runtime.length / 2).toString(16).padStart(2, '0');
  const start = (init.length / 2 + 11).toString(16).padStart(2, '0');
  return `0x${init}60${size}8060${start}6000396000f3${runtime}`;
})();

/** What changed from fork to fork, as init code; each is then called twice with 7 wei. */
const PROGRAMS: Readonly<Record<string, Hex>> = {
  'refunds of cleared slots (EIP-3529)': FILLED,
  // SELFDESTRUCT to 0xdead.
  'a contract that destroys itself (EIP-6780)': deploying('61deadff'),
  'PUSH0 (EIP-3855)': deploying('5f5f5500'),
  'the balance of the proposer (EIP-3651)': deploying('41315000'),
  'BASEFEE (EIP-3198)': deploying('4860005500'),
  'instruction 0x44 (EIP-4399)': deploying('445000'),
  'code that begins with 0xef (EIP-3541)': '0x60ef60005360016000f3',
  'a reason to revert that begins with 0xef': '0x60ef60005360016000fd',
  'init code of many words (EIP-3860)': `0x00${'00'.repeat(2000)}`,
  'transient storage (EIP-1153)': deploying('600160005d60005c60005500'),
  'copying memory (EIP-5656)': deploying('6020600060205e00'),
};

const FORKS: readonly ForkName[] = ['berlin', 'london', 'paris', 'shanghai', 'cancun', 'prague'];

/** The Yellow Paper's R_selfdestruct, until EIP-3529; anvil 1.7.1 forgets it. */
const FORGOTTEN_REFUND = 24_000n;
const DESTROYING_CALL = Object.keys(PROGRAMS).findIndex((name) => name.includes('6780')) * 3 + 1;

interface Receipt {
  readonly status: string;
  readonly gasUsed: string;
}

test.each(FORKS)('under %s, what the forks changed is as in another implementation', async (fork) => {
  const anvil = await startAnvil('--hardfork', fork, '--no-mining', '--order', 'fifo');
  try {
    const accounts = [{ address: alice.address, balance: 10_000n * COIN }];
    const chain = await TestChain.open(testGenesis({ accounts, fork }));
    const names = Object.keys(PROGRAMS);
    const made = names.map((_, i) =>
      getContractAddress({ from: alice.account.address, nonce: BigInt(3 * i) }),
    );
    const common = { type: 'eip2930', gasPrice: 10n * GWEI, gas: 300_000n };
    const raws: Uint8Array[] = [];
    for (const [i, name] of names.entries()) {
      raws.push(await signRaw(alice, { ...common, nonce: 3 * i, data: PROGRAMS[name] }));
      for (const again of [1, 2])
        raws.push(await signRaw(alice, { ...common, nonce: 3 * i + again, to: made[i], value: 7n }));
    }
    await anvil.rpc('anvil_setCoinbase', to0xHex(VALIDATOR));
    if (fork !== 'berlin')
      await anvil.rpc('anvil_setNextBlockBaseFeePerGas', viemHex(chain.reader.nextBaseFee()));
    const hashes: unknown[] = [];
    for (const raw of raws) hashes.push(await anvil.rpc('eth_sendRawTransaction', to0xHex(raw)));
    await anvil.rpc('evm_mine');
    await chain.commit(raws.map((raw) => wrapRaw(raw)));
    const block = chain.reader.ethBlock(1);
    for (const [i, hash] of hashes.entries()) {
      const { status, gasUsed } = (await anvil.rpc('eth_getTransactionReceipt', hash)) as Receipt;
      const ours = block?.receipts[i];
      const where = `${names[Math.floor(i / 3)]}, ${i % 3}`;
      const forgotten = fork === 'berlin' && i === DESTROYING_CALL ? FORGOTTEN_REFUND : 0n;
      const shown = { where, status: viemHex(ours?.status ?? 9), gasUsed: ours?.gasUsed };
      expect(shown).toEqual({ where, status, gasUsed: BigInt(gasUsed) - forgotten });
    }
    const view = chain.reader.latest();
    for (const address of [...made, '0x000000000000000000000000000000000000dead'] as const) {
      expect(`0x${toHex(view.code(hex(address)))}`).toBe(await anvil.rpc('eth_getCode', address, 'latest'));
      const balance = viemHex(view.account(hex(address))?.balance ?? 0n);
      expect(balance).toBe(await anvil.rpc('eth_getBalance', address, 'latest'));
      expect(to0xHex(view.storage(hex(address), new Uint8Array(32)))).toBe(
        await anvil.rpc('eth_getStorageAt', address, viemHex(0n, { size: 32 }), 'latest'),
      );
    }
    const theirs = BigInt((await anvil.rpc('eth_getBalance', alice.account.address, 'latest')) as Hex);
    const kept = fork === 'berlin' ? FORGOTTEN_REFUND * 10n * GWEI : 0n;
    expect(view.account(alice.address)?.balance).toBe(theirs + kept);
  } finally {
    anvil.stop();
  }
});

describe('before London', () => {
  const open = () =>
    TestChain.open(testGenesis({ accounts: [{ address: alice.address, balance: COIN }], fork: 'berlin' }));

  test('there is no base fee, whatever genesis says of one', async () => {
    const chain = await open();
    expect(chain.reader.nextBaseFee()).toBe(0n);
    await chain.commit([]);
    expect(chain.reader.ethBlock(1)?.header.baseFeePerGas).toBe(0n);
  });

  test('transactions with a base fee in mind are of no type that is taken', async () => {
    const chain = await open();
    const tx = wrapRaw(await signRaw(alice, { nonce: 0, to: alice.account.address, gas: 21_000n }));
    expect(await chain.app.checkTx(tx, false)).toMatchObject({
      kind: 'rejected',
      ethMessage: expect.stringContaining('transaction type not supported'),
    });
  });

  test('init code may be of any length', async () => {
    const chain = await open();
    const data = `0x${'00'.repeat(49_153)}`;
    const fields = { type: 'legacy', nonce: 0, data, gas: 300_000n, gasPrice: 1n };
    expect(await chain.app.checkTx(wrapRaw(await signRaw(alice, fields)), false)).toMatchObject({
      kind: 'accepted',
    });
  });
});
