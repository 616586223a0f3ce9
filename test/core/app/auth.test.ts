import { getContractAddress } from 'viem';
import { expect, test } from 'vitest';
import { accountCount, addressOfNumber } from '../../../core/app/auth/keeper.ts';
import { EMPTY_CODE_HASH } from '../../../core/app/evm/admission.ts';
import { compareBytes, hex, toHex } from '../../../core/lib/bytes.ts';
import { COIN, TestChain, VALIDATOR } from './support/chain.ts';
import { deploying, STORE_AND_LOG } from './support/code.ts';
import { signTx, wallet } from './support/wallet.ts';

const alice = wallet(0);
const bob = wallet(1);

test('genesis accounts have their numbers, contracts of genesis follow in order of address', async () => {
  const chain = await TestChain.fresh([alice, bob].map(({ address }) => ({ address, balance: COIN })));
  const view = chain.reader.latest();
  expect(view.auth(alice.address)).toEqual({ accountNumber: 0n, pubKey: undefined });
  expect(view.account(alice.address)).toMatchObject({ nonce: 0n, codeHash: EMPTY_CODE_HASH });
  expect(view.auth(bob.address)?.accountNumber).toBe(1n);
  expect(accountCount(view)).toBe(4n);
  expect(view.auth(wallet(5).address)).toBeUndefined();
  expect([0n, 1n, 2n ** 64n].map((number) => addressOfNumber(view, number))).toEqual([
    alice.address,
    bob.address,
    undefined,
  ]);
});

test('the first transaction reveals the key; receivers, contracts and the proposer are numbered at its end', async () => {
  const chain = await TestChain.fresh([{ address: alice.address, balance: COIN }]);
  const before = accountCount(chain.reader.latest());
  await chain.commit([
    await signTx(alice, { to: bob.account.address, value: 1n, nonce: 0 }),
    await signTx(alice, { data: deploying(STORE_AND_LOG), nonce: 1, gas: 200_000n }),
  ]);
  const view = chain.reader.latest();
  expect(view.account(alice.address)?.nonce).toBe(2n);
  expect(toHex(view.auth(alice.address)?.pubKey as Uint8Array).slice(2)).toBe(
    alice.account.publicKey.slice(4, 68),
  );
  // After the first transaction bob and the proposer exist, in order of address; the contract came later.
  const [first, second] = [bob.address, VALIDATOR].sort(compareBytes);
  expect(view.auth(first as Uint8Array)?.accountNumber).toBe(before);
  expect(view.auth(second as Uint8Array)?.accountNumber).toBe(before + 1n);
  const contract = hex(getContractAddress({ from: alice.account.address, nonce: 1n }));
  expect(view.auth(contract)?.accountNumber).toBe(before + 2n);
  expect(view.account(contract)?.codeHash).not.toEqual(EMPTY_CODE_HASH);
});

test('an address that was only asked for gets no account', async () => {
  const chain = await TestChain.fresh([{ address: alice.address, balance: COIN }]);
  await chain.commit([await signTx(alice, { to: wallet(6).account.address, value: 0n, nonce: 0 })]);
  expect(chain.reader.latest().auth(wallet(6).address)).toBeUndefined();
});
