import { beforeEach, describe, expect, test } from 'vitest';
import { readSupply } from '../../../../core/app/bank/keeper.ts';
import { DYNAMIC_FEE } from '../../../../core/app/cosmos/tables.ts';
import { decodeTx } from '../../../../core/app/tx/decodeTx.ts';
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../../../../core/app/typeUrls.ts';
import { txHash } from '../../../../core/codec/hashes.ts';
import { encode } from '../../../../core/codec/proto.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { type Bytes, EMPTY, hex, toHex } from '../../../../core/lib/bytes.ts';
import { COIN, must, TestChain, testGenesis, VALIDATOR } from '../support/chain.ts';
import { bech32, coins, cosmosTx, FEE, GAS, SECRETS, sendMessage } from '../support/cosmosTx.ts';
import { GWEI, signTx, wallet } from '../support/wallet.ts';

const alice = wallet(0);
const bob = wallet(1);
/** Of dev account 5, who is not in genesis. */
const SECRET_5 = hex('8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba');
const STRANGER = new Uint8Array(20).fill(0xcc);
const START = 10_000n * COIN;

let chain: TestChain;
beforeEach(async () => {
  chain = await TestChain.fresh([alice, bob].map(({ address }) => ({ address, balance: START })));
});

const account = (address: Bytes) => chain.reader.latest().account(address);
const check = (tx: Bytes) => chain.app.checkTx(tx, false);
const send = (amount: bigint, to = bob.address) => sendMessage(alice.address, to, amount);

test('a timeout that the first height of a chain is beyond keeps a transaction out of the pool before that block', async () => {
  const accounts = [{ address: alice.address, balance: START }];
  const later = await TestChain.open({ ...testGenesis({ accounts }), initialHeight: 1000 });
  const until = (timeoutHeight: bigint) => cosmosTx({ messages: [send(1n)], timeoutHeight });
  expect(await later.app.checkTx(until(999n), false)).toMatchObject({
    code: 30,
    log: 'block height: 1000, timeout height: 999: tx timeout height',
  });
  expect(await later.app.checkTx(until(1000n), false)).toMatchObject({ kind: 'accepted' });
});

test('memos are as long, and bytes as dear, as genesis says', async () => {
  const genesis = testGenesis({ accounts: [{ address: alice.address, balance: START }] });
  const { auth, ...others } = genesis.appState as { readonly auth: object };
  const params = { max_memo_characters: '300', tx_size_cost_per_byte: '100' };
  const own = await TestChain.open({ ...genesis, appState: { ...others, auth: { ...auth, params } } });
  const noted = (length: number, gas = GAS) =>
    cosmosTx({ messages: [send(1n)], memo: 'm'.repeat(length), gas });
  expect(await own.app.checkTx(noted(301), false)).toMatchObject({
    code: 12,
    log: 'maximum number of characters is 300 but received 301 characters: memo too large',
  });
  const tx = noted(300);
  const needed = BigInt(tx.length) * 100n + 26_000n;
  expect(await own.app.checkTx(noted(300, needed - 1n), false)).toMatchObject({
    code: 11,
    gasWanted: needed - 1n,
  });
  const { gasUsed } = own.app.simulate(tx);
  const [result] = (await own.commit([tx])).reply.txResults;
  // A message, and a balance that changes on each side: bob had none.
  expect(result).toMatchObject({ code: 0, gasUsed: needed + 1_000n + 5_000n + 25_000n });
  expect(gasUsed).toBeGreaterThanOrEqual(result?.gasUsed ?? 0n);
});

test('an account that is delegated is so for the pool, whatever it sends', async () => {
  const genesis = testGenesis({ accounts: [{ address: alice.address, balance: START }] });
  // biome-ignore lint/suspicious/noExplicitAny: the state of a genesis is any JSON.
  const state = genesis.appState as any;
  state.auth.accounts[0].code_hash = undefined;
  state.evm.accounts = [{ address: toHex(alice.address), code: `ef0100${'c0'.repeat(20)}` }];
  const own = await TestChain.open(genesis);
  // A genesis with code has a nonce of 1.
  const tx = cosmosTx({ messages: [send(1n)], data: { sequence: 1n } });
  expect(await own.app.checkTx(tx, false)).toMatchObject({ kind: 'accepted', lane: { isDelegated: true } });
  expect(await check(cosmosTx({ messages: [send(1n)] }))).toMatchObject({ lane: { isDelegated: false } });
});

describe('a Cosmos transfer in a block', () => {
  test('moves the balance that Ethereum sees and takes the nonce that Ethereum takes next', async () => {
    const { reply, commit } = await chain.commit([cosmosTx({ messages: [send(5n * COIN)] })]);
    const [result] = reply.txResults;
    expect(result).toMatchObject({ code: 0, codespace: '', gasWanted: GAS });
    expect(result?.gasUsed).toBeLessThan(GAS);
    expect(account(alice.address)).toMatchObject({ balance: START - 5n * COIN - FEE, nonce: 1n });
    expect(account(bob.address)?.balance).toBe(START + 5n * COIN);
    expect(commit.spenders).toEqual([
      { address: toHex(alice.address), nonce: 1n, balance: START - 5n * COIN - FEE },
    ]);
    const next = await signTx(alice, { to: bob.account.address, value: 1n, nonce: 1 });
    expect((await chain.commit([next])).reply.txResults[0]?.code).toBe(0);
    const third = cosmosTx({ messages: [send(1n)], data: { sequence: 2n }, withoutKey: true });
    expect((await chain.commit([third])).reply.txResults[0]?.code).toBe(0);
    expect(account(alice.address)?.nonce).toBe(3n);
  });

  test('stands beside Ethereum transactions, whose indices and receipts do not count it', async () => {
    const eth = async (nonce: number) => signTx(alice, { to: bob.account.address, value: 7n, nonce });
    const cosmos = cosmosTx({ messages: [send(9n)], data: { sequence: 1n } });
    const { reply } = await chain.commit([await eth(0), cosmos, await eth(2)]);
    expect(reply.txResults.map(({ code }) => code)).toEqual([0, 0, 0]);
    const block = chain.reader.ethBlock(1);
    expect(block?.transactions).toHaveLength(2);
    expect(block?.receipts.map((receipt) => receipt.cumulativeGasUsed)).toEqual([21_000n, 42_000n]);
    // The header carries the gas of both kinds: the base fee follows all demand.
    expect(block?.header.gasUsed).toBe(42_000n + (reply.txResults[1]?.gasUsed ?? 0n));
    const hash = txHash(cosmos);
    expect(chain.reader.txLocation(hash)).toEqual({ height: 1, index: 1, ethIndex: undefined });
  });

  test('is part of the state that the Ethereum transaction after it began on', async () => {
    const eth = async (nonce: number) => signTx(alice, { to: bob.account.address, value: 7n, nonce });
    const cosmos = (sequence: bigint) => cosmosTx({ messages: [send(9n)], data: { sequence } });
    await chain.commit([cosmos(0n), await eth(1), cosmos(2n), await eth(3), cosmos(4n)]);
    const nonces = [0, 1, 2].map(
      async (ethIndex) => (await chain.evm.stateWithin(1, ethIndex))?.account(alice.address)?.nonce,
    );
    expect(await Promise.all(nonces)).toEqual([1n, 3n, 5n]);
  });

  test('numbers the accounts it makes, remembers the key, and keeps the supply equal to all balances', async () => {
    await chain.commit([cosmosTx({ messages: [send(3n, STRANGER)] })]);
    const view = chain.reader.latest();
    expect(view.auth(alice.address)?.pubKey?.length).toBe(33);
    expect(view.auth(STRANGER)).toMatchObject({ accountNumber: 4n, pubKey: undefined });
    const total = [alice.address, bob.address, STRANGER, VALIDATOR]
      .map((address) => view.account(address)?.balance ?? 0n)
      .reduce((a, b) => a + b);
    expect(readSupply(view, 'achain')).toBe(total);
    expect(total).toBe(2n * START - GAS * (chain.reader.ethBlock(1)?.header.baseFeePerGas ?? 0n));
  });

  test('says so in events as the bank does', async () => {
    const { reply } = await chain.commit([cosmosTx({ messages: [send(3n)] })]);
    const events = reply.txResults[0]?.events ?? [];
    const flat = events.map(
      ({ type, attributes }) => `${type} ${attributes.map((a) => `${a.key}=${a.value}`).join(' ')}`,
    );
    const from = bech32(alice.address);
    const to = bech32(bob.address);
    expect(flat).toContain(`transfer recipient=${to} sender=${from} amount=3achain msg_index=0`);
    expect(flat).toContain(
      `message action=/cosmos.bank.v1beta1.MsgSend sender=${from} module=bank msg_index=0`,
    );
    expect(flat).toContain(`tx fee=${FEE}achain fee_payer=${from}`);
    expect(flat).toContain(`tx acc_seq=${from}/0`);
  });

  test('that fails is in the block: fee and sequence are gone, nothing else', async () => {
    const both = cosmosTx({ messages: [send(1n), send(2n * START)] });
    const { reply } = await chain.commit([both]);
    const text = 'failed to execute message; message index: 1: spendable balance';
    expect(reply.txResults[0]).toMatchObject({ code: 5, codespace: 'sdk' });
    expect(reply.txResults[0]?.log).toContain(text);
    expect(account(bob.address)?.balance).toBe(START);
    expect(account(alice.address)).toMatchObject({ nonce: 1n, balance: START - FEE });
  });

  test('that runs out of gas in a message fails with code 11', async () => {
    const messages = Array.from({ length: 40 }, () => send(1n));
    const tx = cosmosTx({ messages, gas: 120_000n });
    const { reply } = await chain.commit([tx]);
    expect(reply.txResults[0]).toMatchObject({ code: 11, codespace: 'sdk', gasWanted: 120_000n });
    expect(account(bob.address)?.balance).toBe(START);
  });

  test('with a tip pays by EIP-1559 and not its whole fee', async () => {
    const value = encode(DYNAMIC_FEE, { maxPriorityPrice: GWEI.toString() });
    const extensionOptions = [{ typeUrl: TYPE_URL.dynamicFee, value }];
    await chain.commit([cosmosTx({ messages: [send(1n)], fee: GAS * 100n * GWEI, extensionOptions })]);
    const baseFee = chain.reader.ethBlock(1)?.header.baseFeePerGas ?? 0n;
    expect(account(alice.address)?.balance).toBe(START - 1n - GAS * (baseFee + GWEI));
    expect(account(VALIDATOR)?.balance).toBe(GAS * GWEI);
  });
});

describe('where genesis names a least price', () => {
  test('a fee of less than that is refused, whatever the base fee', async () => {
    const accounts = [{ address: alice.address, balance: START }];
    const dear = await TestChain.open(testGenesis({ accounts, minGasPrice: 5n * GWEI }));
    const check = (fee: bigint) => dear.app.checkTx(cosmosTx({ messages: [send(1n)], fee }), false);
    const least = GAS * 5n * GWEI;
    expect(await check(least)).toMatchObject({ kind: 'accepted' });
    expect(await check(least - 1n)).toMatchObject({ kind: 'rejected', code: 13, codespace: 'sdk' });
    expect(await dear.validate([cosmosTx({ messages: [send(1n)], fee: least - 1n })])).toMatchObject({
      accept: false,
      reason: expect.stringContaining('gas prices too low'),
    });
  });
});

describe('the checks before it', () => {
  const refusals: readonly [string, number, string, () => Bytes][] = [
    [
      'a used sequence',
      32,
      'account sequence mismatch, expected 1, got 0',
      () => cosmosTx({ messages: [send(1n)] }),
    ],
    ['a passed timeout', 30, 'block height: 2, timeout height: 1', () => next({ timeoutHeight: 1n })],
    ['a long memo', 12, 'maximum number of characters is 256', () => next({ memo: 'x'.repeat(257) })],
    ['a memo of many bytes', 12, 'but received 258 characters', () => next({ memo: 'ü'.repeat(129) })],
    ['a low fee', 13, 'insufficient fees; got: 1achain', () => next({ fee: 1n })],
    [
      'a fee of no coins, which is none',
      13,
      'insufficient fees; got: 0achain',
      () => next({ feeCoins: coins(0n) }),
    ],
    [
      'a coin of nothing beside another',
      13,
      'invalid fee provided',
      () => next({ feeCoins: [...coins(FEE), ...coins(0n, 'bchain')] }),
    ],
    ['little gas', 11, 'out of gas in location: ante', () => next({ gas: 20_000n })],
    ['a fee above the balance', 5, 'is smaller than', () => next({ fee: START })],
    ['the key of another', 8, 'pubKey does not match signer address', () => next({ secret: SECRETS[1] })],
    [
      'another chain',
      4,
      'please verify account number (0)',
      () => next({ data: { sequence: 1n, chainId: 'x' } }),
    ],
    [
      'a foreign key type',
      8,
      'unrecognized public key type',
      () => next({ keyUrl: '/cosmos.crypto.secp256k1.PubKey' }),
    ],
    [
      'an unknown message',
      6,
      'unrecognized message: /x.Y',
      () => next({ messages: [{ typeUrl: '/x.Y', value: EMPTY }] }),
    ],
    ['no message', 18, 'must contain at least one message', () => next({ messages: [] })],
    ['a zero amount', 10, 'is not positive', () => next({ messages: [send(0n)] })],
    [
      'an unknown extension',
      31,
      'unsupported extension option',
      () => next({ extensionOptions: [{ typeUrl: '/x.Z', value: EMPTY }] }),
    ],
    [
      'two signers',
      37,
      'more than one signer',
      () => next({ messages: [send(1n), sendMessage(bob.address, alice.address, 1n)] }),
    ],
    [
      'no account',
      9,
      'does not exist',
      () => cosmosTx({ messages: [sendMessage(wallet(5).address, bob.address, 1n)], secret: SECRET_5 }),
    ],
  ];
  const next = (fields: Partial<Parameters<typeof cosmosTx>[0]>) =>
    cosmosTx({ messages: [send(1n)], data: { sequence: 1n }, ...fields });

  test.each(refusals)('refuse %s with code %i', async (_, code, log, make) => {
    await chain.commit([cosmosTx({ messages: [send(1n)] })]);
    const tx = make();
    const reply = await check(tx);
    expect(reply).toMatchObject({ kind: 'rejected', code, codespace: 'sdk' });
    expect(reply.kind === 'rejected' && reply.log).toContain(log);
    expect(await chain.propose([tx])).toEqual([]);
    expect(await chain.validate([tx])).toMatchObject({ accept: false });
  });

  test('take defaults that are written out where the bytes are signed, and not in an amino document', async () => {
    const wordy = (mode: 'direct' | 'aminoJson') => cosmosTx({ messages: [send(1n)], isWordy: true, mode });
    expect(wordy('direct')).not.toEqual(cosmosTx({ messages: [send(1n)] }));
    // Nor in the typed form of that document, which the mode of the bytes would admit.
    expect(must(decodeTx(wordy('direct'), nobleSuite, 'achain'))).toMatchObject({ isBeyondAmino: true });
    expect(await check(wordy('aminoJson'))).toMatchObject({ kind: 'rejected', code: 2 });
    expect(await check(wordy('direct'))).toMatchObject({ kind: 'accepted' });
    const { reply } = await chain.commit([wordy('direct')]);
    expect(reply.txResults[0]).toMatchObject({ code: 0 });
  });

  test.each([...ETH_PUB_KEY_URLS])('know the key by the name %s', async (keyUrl) => {
    expect(await check(cosmosTx({ messages: [send(1n)], keyUrl }))).toMatchObject({ kind: 'accepted' });
  });

  test('let a later sequence wait in the pool, in the lane of the same Ethereum account', async () => {
    const tx = cosmosTx({ messages: [send(COIN)], data: { sequence: 4n } });
    const reply = await check(tx);
    expect(reply).toMatchObject({
      kind: 'accepted',
      lane: {
        sender: toHex(alice.address),
        nonce: 4n,
        stateNonce: 0n,
        gas: GAS,
        feeCap: 2n * GWEI,
        ethHash: undefined,
      },
    });
    expect(await chain.propose([tx])).toEqual([]);
  });

  test('take all modes', async () => {
    const modes = (['direct', 'aminoJson'] as const).map((mode, i) =>
      cosmosTx({ messages: [send(1n)], mode, data: { sequence: BigInt(i) } }),
    );
    expect(await chain.propose(modes)).toHaveLength(2);
  });
});
