import { beforeAll, expect, test } from 'vitest';
import { COIN, TestChain, testGenesis } from './support/chain.ts';
import { GWEI, signTx, wallet } from './support/wallet.ts';

const alice = wallet(0);
const poor = wallet(5);
const bob = wallet(1);
const to = bob.account.address;
let chain: TestChain;

beforeAll(async () => {
  chain = await TestChain.fresh([{ address: alice.address, balance: 100n * COIN }]);
  await chain.commit([await signTx(alice, { to, nonce: 0, value: 1n })]);
});

const refusal = async (fields: Record<string, unknown>, from = alice) => {
  const reply = await chain.app.checkTx(await signTx(from, { to, nonce: 1, value: 1n, ...fields }), false);
  return reply.kind === 'accepted' ? 'accepted' : { code: reply.code, eth: reply.ethMessage };
};

test('a good transaction is accepted with its place in the lane', async () => {
  const reply = await chain.app.checkTx(
    await signTx(alice, { to, nonce: 3, value: 5n, gas: 21_000n }),
    false,
  );
  expect(reply).toMatchObject({
    kind: 'accepted',
    gasWanted: 21_000n,
    lane: { nonce: 3n, stateNonce: 1n, gas: 21_000n, cost: 5n + 21_000n * 10n * GWEI, tipCap: GWEI },
  });
});

test('a fee cap below the base fee may wait in the pool', async () => {
  expect(await refusal({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toBe('accepted');
});

test('refusals have geth texts and SDK codes', async () => {
  expect(await refusal({ nonce: 0 })).toEqual({ code: 3, eth: 'nonce too low: next nonce 1, tx nonce 0' });
  expect(await refusal({ chainId: 1 })).toEqual({
    code: 28,
    eth: 'invalid sender: invalid chain id for signer: have 1 want 9000',
  });
  expect(await refusal({ gas: 20_000n })).toEqual({
    code: 11,
    eth: 'intrinsic gas too low: gas 20000, minimum needed 21000',
  });
  expect(await refusal({ gas: 21_160n, data: '0xffffffffff' })).toEqual({
    code: 11,
    eth: 'insufficient gas for floor data gas cost: gas 21160, minimum needed 21200',
  });
  expect(await refusal({ gas: 40_000_001n })).toEqual({
    code: 11,
    eth: 'transaction gas limit too high (cap: 16777216, tx: 40000001)',
  });
  expect(await refusal({ to: undefined, data: `0x${'00'.repeat(49_153)}`, gas: 1_000_000n })).toEqual({
    code: 18,
    eth: 'max initcode size exceeded: code size 49153, limit 49152',
  });
  expect(await refusal({ nonce: 0 }, poor)).toEqual({
    code: 5,
    eth: 'insufficient funds for gas * price + value: balance 0, tx cost 1000000000000001, overshot 1000000000000001',
  });
});

test('a refusal carries gasWanted if the transaction decodes', async () => {
  const spent = await signTx(alice, { to, nonce: 0, value: 1n, gas: 30_000n });
  expect(await chain.app.checkTx(spent, false)).toMatchObject({ kind: 'rejected', gasWanted: 30_000n });
  const nothing = Uint8Array.of(1, 2, 3);
  expect(await chain.app.checkTx(nothing, false)).toMatchObject({ kind: 'rejected', gasWanted: 0n });
});

test('a price below the chain’s minimum is refused even if the base fee is lower', async () => {
  const accounts = [{ address: alice.address, balance: COIN }];
  const dear = await TestChain.open(testGenesis({ accounts, minGasPrice: 5n * GWEI }));
  const check = async (maxFeePerGas: bigint) =>
    dear.app.checkTx(
      await signTx(alice, { to, nonce: 0, value: 1n, maxFeePerGas, maxPriorityFeePerGas: 0n }),
      false,
    );
  expect(await check(5n * GWEI)).toMatchObject({ kind: 'accepted' });
  expect(await check(5n * GWEI - 1n)).toMatchObject({ kind: 'rejected', code: 13 });
});

test('a chain that sets no limit for the gas of a block has one of 32 bits for Ethereum', async () => {
  const accounts = [{ address: alice.address, balance: COIN }];
  const free = await TestChain.open(testGenesis({ accounts }, -1));
  expect(free.reader.gasLimit()).toBe(0xffff_ffffn);
  expect(await free.propose([await signTx(alice, { to, nonce: 0, value: 1n })])).toHaveLength(1);
});

test('bytes that do not decode as a transaction are refused with code 2', async () => {
  const reply = await chain.app.checkTx(Uint8Array.of(1, 2, 3), false);
  expect(reply).toMatchObject({ kind: 'rejected', code: 2, codespace: 'sdk' });
});

test('a proposal takes what executes in order and leaves the rest', async () => {
  const first = await signTx(alice, { to, nonce: 1, value: 1n });
  const gap = await signTx(alice, { to, nonce: 3, value: 1n });
  const second = await signTx(alice, { to, nonce: 2, value: 1n });
  const broke = await signTx(poor, { to, nonce: 0, value: 1n });
  const cheap = await signTx(alice, { to, nonce: 3, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n });
  const proposed = await chain.propose([Uint8Array.of(9), first, gap, broke, second, cheap]);
  expect(proposed).toEqual([first, second]);
  expect(await chain.validate(proposed)).toEqual({ accept: true, reason: '' });
});

test('a proposal has no more bytes than it may have, each transaction with its tag and its length', async () => {
  const txs = await Promise.all([1, 2, 3].map((nonce) => signTx(alice, { to, nonce, value: 1n })));
  // The length of more than 127 bytes takes two.
  expect(txs.every(({ length }) => length > 127)).toBe(true);
  const bytes = txs.reduce((sum, { length }) => sum + 1 + 2 + length, 0);
  expect(await chain.propose(txs, bytes)).toEqual(txs);
  expect(await chain.propose(txs, bytes - 1)).toEqual(txs.slice(0, 2));
  // What is too large keeps nobody else out.
  const large = await signTx(alice, { to, nonce: 1, value: 1n, data: `0x${'00'.repeat(1000)}` });
  expect(await chain.propose([large, ...txs], bytes)).toEqual(txs);
});

test('validation refuses what execution would refuse, and says which', async () => {
  const first = await signTx(alice, { to, nonce: 1, value: 1n });
  const gap = await signTx(alice, { to, nonce: 3, value: 1n });
  expect(await chain.validate([first, gap])).toEqual({
    accept: false,
    reason: 'tx 1: invalid nonce; got 3, expected 2: invalid sequence',
  });
  expect(await chain.validate([first, first])).toMatchObject({ accept: false });
  expect(await chain.validate([Uint8Array.of(1)])).toMatchObject({ accept: false });
  const cheap = await signTx(alice, { to, nonce: 1, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n });
  expect((await chain.validate([cheap])).reason).toContain('max fee per gas less than block base fee');
});

test('the gas of a block is a budget: limits count, unused gas is free again', async () => {
  const small = await TestChain.open(
    testGenesis({ accounts: [{ address: alice.address, balance: COIN }] }, 100_000),
  );
  const spender = { to: undefined, value: 0n, data: '0xfe', gas: 60_000n };
  const transfer = { to, value: 1n, gas: 60_000n };
  const [burnt, moved] = [
    await signTx(alice, { ...spender, nonce: 0 }),
    await signTx(alice, { ...transfer, nonce: 0 }),
  ];
  const second = await signTx(alice, { ...transfer, nonce: 1 });
  expect(await small.validate([moved, second])).toEqual({ accept: true, reason: '' });
  expect((await small.validate([burnt, second])).reason).toContain(
    'block gas meter; gasWanted: 60000, gasLeft: 40000',
  );
  expect(await small.propose([burnt, second])).toEqual([burnt]);
  expect(await small.propose([moved, second])).toEqual([moved, second]);
});

test('a decided block with a bad transaction still ends: it gets a code and no effect', async () => {
  const fork = await TestChain.open(chain.genesis, chain.kv);
  const good = await signTx(alice, { to, nonce: 1, value: 1n });
  const { context, hash } = fork.blockOf([Uint8Array.of(1), good]);
  await fork.app.finalize({ kind: 'finalize', context, hash, txs: [Uint8Array.of(1), good] });
  // Having run it is no reason to accept it.
  expect((await fork.validate([Uint8Array.of(1), good])).accept).toBe(false);
  const { reply, commit } = await fork.commit([Uint8Array.of(1), good]);
  expect(reply.txResults.map((result) => result.code)).toEqual([2, 0]);
  expect(fork.reader.ethBlock(2)?.transactions.length).toBe(1);
  expect(fork.reader.ethTxLocation(fork.reader.ethBlock(2)?.transactions[0]?.hash as Uint8Array)).toEqual({
    height: 2,
    index: 1,
    ethIndex: 0,
  });
  expect(commit.spenders).toMatchObject([{ nonce: 2n }]);
});
