import { expect, test } from 'vitest';
import { formatAddress } from '../../../core/address/kinds.ts';
import { evmChainIdOf, parseAppState } from '../../../core/app/appState.ts';
import { StartError } from '../../../core/app/create.ts';
import { defaultAppState } from '../../../core/app/defaultAppState.ts';
import { TYPE_URL } from '../../../core/app/typeUrls.ts';
import { keccak256 } from '../../../core/crypto/hash.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { COIN, TestChain, testGenesis } from './support/chain.ts';
import { SECRETS } from './support/cosmosTx.ts';
import { wallet } from './support/wallet.ts';

const alice = wallet(0);
// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in every way.
type Loose = any;
const fresh = (): Loose =>
  JSON.parse(JSON.stringify(defaultAppState({ accounts: [{ address: alice.address, balance: COIN }] })));

const problem = (change: (state: Loose) => void, chainId = 'chain_9000-1') => {
  const state = fresh();
  change(state);
  const parsed = parseAppState(state, chainId, keccak256);
  return parsed.ok ? 'accepted' : `${parsed.error.path}: ${parsed.error.message}`;
};

test('the default state is accepted and says what it was made from', () => {
  const parsed = parseAppState(fresh(), 'chain_9000-1', keccak256);
  expect(parsed).toMatchObject({
    ok: true,
    value: { hrp: 'chain', denom: 'achain', evmChainId: 9000n, supply: COIN, fork: { name: 'osaka' } },
  });
});

test('a state made by options says each of them, and is accepted', () => {
  const options = {
    accounts: [
      { address: alice.address, balance: 7n },
      { address: new Uint8Array(20).fill(9), balance: 0n },
    ],
    hrp: 'moon',
    denom: 'amoon',
    evmChainId: 77n,
    fork: 'shanghai' as const,
    baseFee: 5n,
    minGasPrice: 3n,
    noBaseFee: true,
  };
  const state: Loose = JSON.parse(JSON.stringify(defaultAppState(options)));
  expect(parseAppState(state, 'plain', keccak256)).toMatchObject({
    ok: true,
    value: {
      hrp: 'moon',
      denom: 'amoon',
      evmChainId: 77n,
      fork: { name: 'shanghai' },
      supply: 7n,
      feeMarket: { noBaseFee: true, baseFee: 5n, minGasPrice: 3n },
    },
  });
  const [unit, coin] = [
    { denom: 'amoon', exponent: 0, aliases: [] },
    { denom: 'moon', exponent: 18, aliases: [] },
  ];
  expect(state.bank).toMatchObject({
    balances: [{ coins: [{ denom: 'amoon', amount: '7' }] }, { coins: [] }],
    supply: [{ denom: 'amoon', amount: '7' }],
    denom_metadata: [
      { denom_units: [unit, coin], base: 'amoon', display: 'moon', name: 'moon', symbol: 'MOON' },
    ],
  });
  const numbers = state.auth.accounts.map(({ base_account }: Loose) => base_account.account_number);
  expect(numbers).toEqual(['0', '1']);
  expect(state.evm.preinstalls.length).toBeGreaterThan(0);
  const plain: Loose = defaultAppState({ accounts: [], systemContracts: false, denom: 'uatom' });
  expect([plain.evm.preinstalls, plain.bank.supply, plain.evm.params.evm_chain_id]).toEqual([
    [],
    [],
    undefined,
  ]);
  expect(plain.bank.denom_metadata[0].display).toBe('UATOM');
});

test('the EVM chain id is the number in the chain id, or named in genesis', () => {
  expect(evmChainIdOf('ethermint_9000-1')).toBe(9000n);
  expect(evmChainIdOf('plain')).toBeUndefined();
  expect(problem(() => {}, 'plain')).toContain('params.evm_chain_id is not set');
  expect(problem((state) => (state.evm.params.evm_chain_id = '7'), 'plain')).toBe('accepted');
});

test("transfers of the native coin cannot be switched off, in whichever of the SDK's places", () => {
  const off = 'transfers cannot be switched off';
  expect(problem(({ bank }) => (bank.params.default_send_enabled = false))).toBe(
    `app_state.bank.params.default_send_enabled: ${off}`,
  );
  const entry = { denom: 'achain', enabled: false };
  expect(problem(({ bank }) => (bank.send_enabled = [entry]))).toBe(`app_state.bank.send_enabled[0]: ${off}`);
  expect(problem(({ bank }) => (bank.params.send_enabled = [entry]))).toContain(off);
  // What JSON leaves out is the type's zero; the default alone is on.
  expect(problem(({ bank }) => (bank.send_enabled = [{ denom: 'achain' }]))).toContain(off);
  expect(problem(({ bank }) => (bank.params = {}))).toBe('accepted');
  expect(problem(({ bank }) => (bank.send_enabled = [{ ...entry, enabled: true }]))).toBe('accepted');
});

test('denom metadata with wrong types is refused with its place', () => {
  const at = 'app_state.bank.denom_metadata';
  const told = (metadata: unknown) => problem(({ bank }) => (bank.denom_metadata = metadata));
  const unit = (fields: object) => told([{ base: 'achain', denom_units: [{ denom: 'achain', ...fields }] }]);
  const [unitAt, most] = [`${at}[0].denom_units[0]`, 2 ** 32 - 1];
  expect(told(null)).toBe('accepted');
  expect(told({})).toBe(`${at}: expected an array, got a object`);
  expect(told([null])).toBe(`${at}[0]: expected an object, got null`);
  expect(told([{ display: 5 }])).toBe(`${at}[0].display: expected a string, got a number`);
  expect(told([{ denom_units: [null] }])).toBe(`${unitAt}: expected an object, got null`);
  for (const exponent of [undefined, 0, '18', most]) expect(unit({ exponent })).toBe('accepted');
  expect(unit({ exponent: most + 1 })).toBe(`${unitAt}.exponent: larger than ${most}`);
  for (const exponent of [-1, 1.5, 'x'])
    expect(unit({ exponent })).toBe(`${unitAt}.exponent: expected a whole number in decimal digits`);
  expect(unit({ aliases: 'one' })).toBe(`${unitAt}.aliases: expected an array, got a string`);
  expect(unit({ aliases: [1] })).toBe(`${unitAt}.aliases[0]: expected a string, got a number`);
});

test('balances and storage keys beyond 256 bits are refused', () => {
  const [max, other] = [2n ** 256n - 1n, wallet(1).address];
  const withBalances = (...amounts: readonly bigint[]) =>
    problem((state) => {
      state.bank.supply = [];
      state.bank.balances = [alice.address, other].slice(0, amounts.length).map((address, i) => ({
        address: toHex(address),
        coins: [{ denom: 'achain', amount: String(amounts[i]) }],
      }));
    });
  expect(withBalances(max)).toBe('accepted');
  expect(withBalances(max, 1n)).toBe('app_state.bank: the balances add up to more than 2^256 - 1');
  const withSlot = (key: string) =>
    problem((state) =>
      state.evm.accounts.push({ address: toHex(other), storage: [{ key, value: '00'.repeat(32) }] }),
    );
  expect(withSlot('00'.repeat(33))).toContain('longer than 32 bytes');
});

test('duplicate entries are refused, even if the first one is empty', () => {
  const address = toHex(wallet(1).address);
  const [auth, evm] = ['app_state.auth.accounts', 'app_state.evm'];
  const account = ({ auth: { accounts } }: Loose, fields: object) => {
    accounts.push({ ...accounts[0], base_account: { ...accounts[0].base_account, ...fields } });
  };
  expect(problem((state) => account(state, { account_number: '1' }))).toBe(
    `${auth}[1]: account is given twice`,
  );
  expect(problem((state) => account(state, { address }))).toBe(`${auth}[1]: account number 0 is given twice`);
  expect(problem((state) => account(state, { address, account_number: '1' }))).toBe('accepted');
  const balance = { address, coins: [] };
  expect(problem(({ bank }) => bank.balances.push(balance, balance))).toBe(
    'app_state.bank.balances[2]: balance is given twice',
  );
  const slot = { key: '01'.repeat(32), value: '02'.repeat(32) };
  const contract = { address, storage: [slot] };
  expect(problem((state) => state.evm.accounts.push(contract))).toBe('accepted');
  expect(problem((state) => state.evm.accounts.push({ address, storage: [slot, slot] }))).toBe(
    `${evm}.accounts[0].storage[1]: slot is given twice`,
  );
  const again = 'contract is given twice';
  expect(problem((state) => state.evm.accounts.push(contract, contract))).toBe(
    `${evm}.accounts[1]: ${again}`,
  );
  expect(
    problem((state) => {
      state.evm.accounts.push(contract);
      state.evm.preinstalls = [contract];
    }),
  ).toBe(`${evm}.preinstalls[0]: ${again}`);
});

test('words, keys and chain ids are what they must be', () => {
  const withSlot = (slot: object) =>
    problem((state) => state.evm.accounts.push({ address: toHex(wallet(1).address), storage: [slot] }));
  const storage = 'app_state.evm.accounts[0].storage[0]';
  const word = '00'.repeat(32);
  expect(withSlot({ key: '00'.repeat(31), value: word })).toBe(`${storage}.key: expected 32 bytes`);
  expect(withSlot({ key: word, value: '' })).toBe(`${storage}.value: expected 32 bytes`);
  expect(problem((state) => (state.auth.accounts[0].code_hash = '0x00'))).toContain('expected 32 bytes');
  const key = (pubKey: object) => problem((state) => (state.auth.accounts[0].base_account.pub_key = pubKey));
  const at = 'app_state.auth.accounts[0].base_account.pub_key';
  const type = TYPE_URL.ethPubKey;
  const good = toBase64(new Uint8Array(33).fill(2));
  expect(key({ '@type': type, key: good })).toBe('accepted');
  expect(key({ '@type': '/cosmos.crypto.ed25519.PubKey', key: good })).toBe(`${at}.@type: expected ${type}`);
  for (const bad of ['!', toBase64(new Uint8Array(32).fill(2))])
    expect(key({ '@type': type, key: bad })).toBe(`${at}.key: expected base64 of 33 bytes`);
  expect(problem((state) => (state.evm.params.evm_chain_id = '0'))).toContain(
    'params.evm_chain_id is not set',
  );
});

test('a genesis account with the public key of another address is refused', async () => {
  const begin = (key: Bytes) => {
    const appState = fresh();
    const pub_key = { '@type': '/chain.crypto.v1.ethsecp256k1.PubKey', key: toBase64(key) };
    appState.auth.accounts[0].base_account.pub_key = pub_key;
    return TestChain.open({ ...testGenesis({ accounts: [] }), appState });
  };
  const [own, foreign] = SECRETS.map((secret) => nobleSuite.secp256k1PublicKey(secret, true)) as [
    Bytes,
    Bytes,
  ];
  expect((await begin(own)).reader.latest().auth(alice.address)?.pubKey).toEqual(own);
  for (const key of [foreign, new Uint8Array(33).fill(2)])
    await expect(begin(key)).rejects.toThrow(
      `genesis: app_state.auth.accounts: account address and pubkey address of 0x${toHex(alice.address)} do not match`,
    );
});

test('parameters of auth are those of the SDK, none of them zero', () => {
  const at = 'app_state.auth.params';
  const told = (params: unknown) => problem(({ auth }) => (auth.params = params));
  for (const params of [undefined, null, {}, { max_memo_characters: '65536' }, { tx_sig_limit: 1 }])
    expect(told(params)).toBe('accepted');
  expect(told({ max_memo_characters: '65537' })).toBe(`${at}.max_memo_characters: larger than 65536`);
  expect(told({ tx_size_cost_per_byte: '0' })).toBe(`${at}.tx_size_cost_per_byte: must not be zero`);
  expect(told({ memo: '1' })).toContain(`${at}: unknown field "memo"`);
});

test('every error names its place', () => {
  expect(problem((state) => (state.extra = {}))).toBe(
    'app_state: unknown field "extra"; known are auth, bank, evm, feemarket',
  );
  expect(problem((state) => (state.bank.balances[0].coins[0].amount = '-1'))).toBe(
    'app_state.bank.balances[0].coins[0].amount: expected a whole number in decimal digits',
  );
  expect(problem((state) => (state.bank.balances[0].coins[0].denom = 'x'))).toContain('expected "achain"');
  expect(problem((state) => state.bank.balances.push(state.bank.balances[0]))).toContain(
    'balance is given twice',
  );
  expect(problem((state) => (state.bank.supply[0].amount = '5'))).toContain('supply differs');
  expect(problem((state) => (state.bank.balances[0].address = 'chain1x'))).toContain(
    'app_state.bank.balances[0].address',
  );
  const operator = formatAddress('val', 'chain', alice.address);
  expect(problem((state) => (state.bank.balances[0].address = operator))).toBe(
    'app_state.bank.balances[0].address: expected an account address',
  );
  expect(problem((state) => (state.auth.accounts[0].base_account.account_number = '3'))).toContain(
    'account number 0 is missing',
  );
  expect(problem((state) => (state.auth.accounts[0].code_hash = `0x${'00'.repeat(32)}`))).toContain(
    'code hash',
  );
  const amount = (value: unknown): string =>
    problem(({ bank }) => {
      bank.balances[0].coins[0].amount = value;
      bank.supply[0].amount = value;
    });
  const most = 2n ** 256n - 1n;
  for (const good of [7, 0, most.toString()]) expect(amount(good)).toBe('accepted');
  for (const bad of [1.5, 2 ** 53, -1, '01', '', '1e3', true])
    expect(amount(bad)).toContain('expected a whole number in decimal digits');
  expect(amount((most + 1n).toString())).toBe(
    `app_state.bank.balances[0].coins[0].amount: larger than ${most}`,
  );
  const coins = (count: number): string =>
    problem(({ bank }) => {
      bank.balances[0].coins = Array.from({ length: count }, () => ({ denom: 'achain', amount: '1' }));
      bank.supply[0].amount = count.toString();
    });
  expect([coins(64), coins(65)]).toEqual([
    'accepted',
    'app_state.bank.balances[0].coins: more than 64 entries',
  ]);
  expect(problem((state) => (state.evm.params.fork = 'amsterdam'))).toContain('expected one of');
  expect(problem((state) => (state.evm.preinstalls[0].code = '0xzz'))).toContain('invalid hex digit');
  expect(problem((state) => (state.feemarket.params.elasticity_multiplier = '0'))).toContain(
    'must not be zero',
  );
  expect(problem((state) => (state.feemarket = []))).toBe(
    'app_state.feemarket: expected an object, got an array',
  );
});

test('a chain whose addresses and denom are as long as they may be starts, and longer ones are refused', async () => {
  const accounts = [{ address: alice.address, balance: COIN }];
  const [hrp, denom] = ['h'.repeat(76), 'd'.repeat(116)];
  const chain = await TestChain.open(testGenesis({ accounts, hrp, denom }));
  expect(chain.state.lastBlockHeight).toBe(0);
  expect(formatAddress('cons', hrp, alice.address)).toMatch(/^h{76}valcons1/);
  expect(problem(({ auth }) => (auth.bech32_prefix = `${hrp}h`))).toContain('expected a Bech32 prefix');
  expect(problem(({ evm }) => (evm.params.evm_denom = `${denom}d`))).toContain(
    'expected a denom of at most 116 characters',
  );
});

test('a node does not start on a broken genesis or on the database of another chain', async () => {
  const genesis = testGenesis({ accounts: [] });
  await expect(TestChain.open({ ...genesis, appState: 5 })).rejects.toThrow(StartError);
  const chain = await TestChain.open(genesis);
  await expect(TestChain.open({ ...genesis, chainId: 'other_1-1' }, chain.kv)).rejects.toThrow(
    'the database is of chain "chain_9000-1", genesis is of "other_1-1"',
  );
});

test('the same genesis gives the same app hash, another one another', async () => {
  const genesis = testGenesis({ accounts: [{ address: alice.address, balance: COIN }] });
  const [first, second] = [await TestChain.open(genesis), await TestChain.open(genesis)];
  expect(first.state.appHash).toEqual(second.state.appHash);
  const other = await TestChain.open(testGenesis({ accounts: [{ address: alice.address, balance: 1n }] }));
  expect(other.state.appHash).not.toEqual(first.state.appHash);
});
