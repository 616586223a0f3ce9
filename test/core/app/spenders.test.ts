import { getContractAddress } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { DEFAULT_MEMPOOL } from '../../../core/mempool/config.ts';
import { Mempool } from '../../../core/mempool/mempool.ts';
import type { MempoolOut } from '../../../core/mempool/mempoolOut.ts';
import type { CommitReply } from '../../../core/types/app.ts';
import { COIN, TestChain, testGenesis } from './support/chain.ts';
import { deploying } from './support/code.ts';
import { cosmosTx, SECRETS, sendMessage } from './support/cosmosTx.ts';
import { signTx, wallet } from './support/wallet.ts';

const alice = wallet(0);
const bob = wallet(1);
/** Sends a wei of whose code it is to whoever calls. */
const GIVES_A_WEI = '60006000600060006001335af100';

let chain: TestChain;
beforeEach(async () => {
  chain = await TestChain.fresh([
    { address: alice.address, balance: 100n * COIN },
    { address: bob.address, balance: 100n * COIN },
  ]);
  await chain.commit([await signTx(alice, { data: deploying(GIVES_A_WEI), nonce: 0, gas: 200_000n })]);
});

const authorized = async (): Promise<Bytes> => {
  const address = getContractAddress({ from: alice.account.address, nonce: 0n });
  const authorizationList = [await bob.account.signAuthorization({ address, chainId: 9000, nonce: 0 })];
  return signTx(alice, { type: 'eip7702', to: alice.account.address, nonce: 1, authorizationList });
};

const spenderOf = ({ spenders }: CommitReply, { address }: typeof bob) =>
  spenders.find((one) => one.address === toHex(address));

describe('the commit reply lists as spenders', () => {
  test("an account whose nonce was used by an authorization in another's transaction", async () => {
    const { commit } = await chain.commit([await authorized()]);
    expect(spenderOf(commit, bob)).toEqual({ address: toHex(bob.address), nonce: 1n, balance: 100n * COIN });
    expect(commit.spenders.map((one) => one.address)).toEqual(
      [toHex(alice.address), toHex(bob.address)].sort(),
    );
  });

  test("an account whose coins were spent by another's transaction, and not a mere receiver", async () => {
    await chain.commit([await authorized()]);
    const { commit } = await chain.commit([await signTx(alice, { to: bob.account.address, nonce: 2 })]);
    expect(spenderOf(commit, bob)).toMatchObject({ nonce: 1n, balance: 100n * COIN - 1n });
    // Who only receives has nothing to tell.
    const { commit: paid } = await chain.commit([
      await signTx(alice, { to: wallet(2).account.address, value: 1n, nonce: 3 }),
    ]);
    expect(paid.spenders.map((one) => one.address)).toEqual([toHex(alice.address)]);
  });
});

test('an authorization over the code of a contract changes nothing (EIP-7702 step 5)', async () => {
  const genesis = testGenesis({ accounts: [{ address: alice.address, balance: COIN }] });
  const { evm } = genesis.appState as { evm: { accounts: unknown[] } };
  evm.accounts.push({ address: bob.account.address, code: `0x${GIVES_A_WEI}`, storage: [] });
  chain = await TestChain.open(genesis);
  const authorization = { address: alice.account.address, chainId: 9000, nonce: 1 };
  const authorizationList = [await bob.account.signAuthorization(authorization)];
  await chain.commit([
    await signTx(alice, { type: 'eip7702', to: alice.account.address, nonce: 0, authorizationList }),
  ]);
  expect(chain.reader.latest().account(bob.address)?.nonce).toBe(1n);
  expect(toHex(chain.reader.latest().code(bob.address))).toBe(GIVES_A_WEI);
  expect(chain.reader.latest().account(alice.address)?.nonce).toBe(1n);
});

/** A pool whose checks are answered when `settle` is called; `refusals` are what was said to clients. */
function poolOf() {
  const asks: { readonly call: number; readonly tx: Bytes }[] = [];
  const refusals: string[] = [];
  let call = 0;
  const pool = new Mempool(DEFAULT_MEMPOOL, nobleSuite.sha256, () => ++call);
  pool.setPrices(chain.reader.nextBaseFee(), chain.reader.gasLimit());
  const out: MempoolOut = {
    check: (id, { tx }) => void asks.push({ call: id, tx }),
    reply: (_, result) => {
      if (result.kind === 'refused') refusals.push('message' in result.refusal ? result.refusal.message : '');
    },
    pending() {},
    gossip() {},
    heard() {},
    tickAfter() {},
  };
  const settle = async () => {
    for (const { call: id, tx } of asks.splice(0))
      pool.onChecked(id, await chain.app.checkTx(tx, false), out);
  };
  return { pool, out, refusals, settle };
}

test('a pooled transaction whose nonce an authorization used is dropped with the block', async () => {
  const { pool, out, settle } = poolOf();
  pool.submit(await signTx(bob, { to: alice.account.address, value: 1n, nonce: 0 }), 1, out);
  await settle();
  expect(pool.hasExecutable()).toBe(true);
  const txs = [await authorized()];
  const { commit } = await chain.commit(txs);
  pool.onCommitted(1_000_000, txs, commit, out);
  expect(pool.stats()).toMatchObject({ pending: 0, queued: 0 });
  expect(pool.hasExecutable()).toBe(false);
});

test('of an account that delegates one transaction waits at a time, bank messages too', async () => {
  await chain.commit([await authorized()]);
  const { pool, out, refusals, settle } = poolOf();
  const accountNumber = chain.reader.latest().auth(bob.address)?.accountNumber ?? 0n;
  const messages = [sendMessage(bob.address, alice.address, 1n)];
  for (const sequence of [1n, 2n, 3n]) {
    pool.submit(cosmosTx({ messages, secret: SECRETS[1], data: { accountNumber, sequence } }), 1, out);
    await settle();
  }
  expect(pool.stats()).toMatchObject({ pending: 1, queued: 0 });
  expect(refusals).toEqual([
    'in-flight transaction limit reached for delegated accounts',
    'gapped-nonce tx from delegated accounts',
  ]);
});
