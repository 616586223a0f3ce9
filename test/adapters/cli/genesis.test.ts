import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { runCli, type Said } from '../../support/cli.ts';

const orrery = (home: string, ...args: string[]): Promise<Said> => runCli('--home', home, ...args);

const MNEMONIC = 'test test test test test test test test test test test junk';
const ALICE = 'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4';
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TEST = ['--keyring-backend', 'test'];
const UNIT = 10n ** 18n;

let dir = '';
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-genesis-'));
  fs.writeFileSync(path.join(dir, 'words'), MNEMONIC);
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** A home with the key `alice`. */
async function newHome(name: string, index = '0'): Promise<string> {
  const home = path.join(dir, name);
  await orrery(home, 'init', name);
  await orrery(home, 'keys', 'add', 'alice', '--source', path.join(dir, 'words'), '--index', index, ...TEST);
  return home;
}

const genesisFile = (home: string): string => path.join(home, 'config/genesis.json');
const readJson = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'));

describe('genesis add-genesis-account', () => {
  test('takes Bech32, hex and the name of a key; the supply follows', async () => {
    const home = await newHome('add');
    const add = (...args: string[]) => orrery(home, 'genesis', 'add-genesis-account', ...args);
    expect(await add('alice', '100achain', ...TEST)).toEqual({ code: 0, out: '', err: '' });
    expect(await add(BOB, '5achain')).toEqual({ code: 0, out: '', err: '' });
    const { auth, bank } = readJson(genesisFile(home)).app_state;
    expect(auth.accounts.map((one: { base_account: object }) => one.base_account)).toEqual([
      { address: ALICE, pub_key: null, account_number: '0', sequence: '0' },
      {
        address: 'chain1wzvhjux9rqfdcwspp37srdgwp5tac7wg75tx5n',
        pub_key: null,
        account_number: '1',
        sequence: '0',
      },
    ]);
    expect(bank.balances[0]).toEqual({ address: ALICE, coins: [{ denom: 'achain', amount: '100' }] });
    expect(bank.supply).toEqual([{ denom: 'achain', amount: '105' }]);
    expect(await add(ALICE, '1achain')).toEqual({
      code: 1,
      out: '',
      err: `Error: cannot add account at existing address ${ALICE}\n`,
    });
    expect((await add('alice', '7achain', '--append', ...TEST)).code).toBe(0);
    expect(readJson(genesisFile(home)).app_state.bank.balances[0].coins[0].amount).toBe('107');
    expect((await orrery(home, 'genesis', 'validate')).out).toBe(
      `File at ${genesisFile(home)} is a valid genesis file\n`,
    );
  });

  test('a key that is not the account’s own is found', async () => {
    const home = await newHome('foreign');
    await orrery(home, 'genesis', 'add-genesis-account', 'alice', '100achain', ...TEST);
    const doc = readJson(genesisFile(home));
    doc.app_state.auth.accounts[0].base_account.pub_key = {
      '@type': '/chain.crypto.v1.ethsecp256k1.PubKey',
      key: Buffer.alloc(33, 2).toString('base64'),
    };
    fs.writeFileSync(genesisFile(home), JSON.stringify(doc));
    const { code, err } = await orrery(home, 'genesis', 'validate');
    expect([code, err]).toEqual([1, expect.stringContaining('pubkey address of 0xf39fd6e5')]);
  });

  test.each([
    [['nobody', '1achain', ...TEST], /failed to get address from Keyring: nobody: key not found/],
    [[ALICE, 'much'], /failed to parse coins: invalid decimal coin expression: much/],
    [[ALICE, '1other'], /bank\.balances\[0\]\.coins\[0\]\.denom: expected "achain"/],
    [[ALICE.replace('chain1', 'mars1'), '1achain', ...TEST], /is neither an address/],
  ])('%j is refused and changes nothing', async (args, message) => {
    const home = await newHome(`refused-${args[0]}-${args[1]}`);
    const before = fs.readFileSync(genesisFile(home), 'utf8');
    const { code, err } = await orrery(home, 'genesis', 'add-genesis-account', ...args);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(fs.readFileSync(genesisFile(home), 'utf8')).toBe(before);
  });

  test('bulk-add-genesis-account takes a list, all or nothing', async () => {
    const home = await newHome('bulk');
    const file = path.join(home, 'accounts.json');
    const list = Array.from({ length: 300 }, (_, i) => ({
      address: `0x${(i + 1).toString(16).padStart(40, '0')}`,
      coins: [{ denom: 'achain', amount: String(i) }],
    }));
    fs.writeFileSync(file, JSON.stringify(list));
    expect((await orrery(home, 'genesis', 'bulk-add-genesis-account', file)).code).toBe(0);
    const { auth, bank } = readJson(genesisFile(home)).app_state;
    expect(auth.accounts).toHaveLength(300);
    expect(bank.supply[0].amount).toBe(String((299 * 300) / 2));
    const before = fs.readFileSync(genesisFile(home), 'utf8');
    expect((await orrery(home, 'genesis', 'bulk-add-genesis-account', file)).err).toMatch(
      /^Error: cannot add account at existing address chain1/,
    );
    fs.writeFileSync(file, '[{"address":"chain1x","coins":[]}]');
    expect((await orrery(home, 'genesis', 'bulk-add-genesis-account', file)).err).toMatch(/\[0\]\.address: /);
    expect(fs.readFileSync(genesisFile(home), 'utf8')).toBe(before);
  });
});

describe('gentx and collect-gentxs', () => {
  const amount = `${5n * UNIT}achain`;

  /** Two homes with one genesis, each with a signed genesis transaction. */
  async function twoHomes(name: string): Promise<readonly [string, string]> {
    const [one, two] = [await newHome(`${name}1`), await newHome(`${name}2`, '1')];
    await orrery(one, 'genesis', 'add-genesis-account', 'alice', amount, ...TEST);
    await orrery(one, 'genesis', 'add-genesis-account', BOB, `${9n * UNIT}achain`);
    fs.copyFileSync(genesisFile(one), genesisFile(two));
    return [one, two];
  }
  const gentxs = (home: string): string => path.join(home, 'config/gentx');

  test('make the validators of a genesis, and peers of each other', async () => {
    const [one, two] = await twoHomes('collect');
    for (const home of [one, two]) {
      const made = await orrery(home, 'genesis', 'gentx', 'alice', amount, '--ip', '10.0.0.7', ...TEST);
      expect(made.err).toMatch(
        /^Genesis transaction written to ".*\/config\/gentx\/gentx-[0-9a-f]{40}\.json"\n$/,
      );
    }
    const [file = ''] = fs.readdirSync(gentxs(two));
    const tx = readJson(path.join(gentxs(two), file));
    expect(tx.body.memo).toMatch(/^[0-9a-f]{40}@10\.0\.0\.7:26656$/);
    expect(tx.body.messages[0]).toMatchObject({
      '@type': '/cosmos.staking.v1beta1.MsgCreateValidator',
      description: { moniker: 'collect2' },
      commission: { rate: '0.100000000000000000', max_rate: '0.200000000000000000' },
      delegator_address: 'chain1wzvhjux9rqfdcwspp37srdgwp5tac7wg75tx5n',
      value: { denom: 'achain', amount: (5n * UNIT).toString() },
    });
    fs.copyFileSync(path.join(gentxs(two), file), path.join(gentxs(one), file));
    const { code, err } = await orrery(one, 'genesis', 'collect-gentxs');
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(err))).toEqual([
      'moniker',
      'chain_id',
      'node_id',
      'gentxs_dir',
      'app_message',
    ]);
    const { validators } = readJson(genesisFile(one));
    expect(
      validators.map(({ name, power }: { name: string; power: string }) => [name, power]).sort(),
    ).toEqual([
      ['collect1', '5'],
      ['collect2', '5'],
    ]);
    const config = fs.readFileSync(path.join(one, 'config/config.toml'), 'utf8');
    expect(config).toContain(`persistent_peers = "${tx.body.memo}"`);
    expect(config).toContain('moniker = "collect1"');
    expect((await orrery(one, 'genesis', 'validate-genesis')).code).toBe(0);
  });

  test('refuse gentxs that are not signed for this chain, cannot be paid, or are duplicates', async () => {
    const [one, two] = await twoHomes('bad');
    const make = (...args: string[]) => orrery(two, 'genesis', 'gentx', 'alice', ...args, ...TEST);
    expect((await make(`${10n * UNIT}achain`)).err).toMatch(
      /failed to validate account in genesis: .* it only has/,
    );
    expect((await make('5achain')).err).toMatch(/less than one unit of power/);
    expect((await orrery(one, 'genesis', 'collect-gentxs')).err).toMatch(
      /there must be at least one genesis tx/,
    );
    fs.mkdirSync(gentxs(one));
    const file = path.join(gentxs(one), 'a.json');
    await make(amount, '--chain-id', 'other_1-1', '--output-document', file);
    expect((await orrery(one, 'genesis', 'collect-gentxs')).err).toMatch(/signature verification failed/);
    await make(amount, '--output-document', file);
    const good = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, good.replace('"moniker":"bad2"', '"moniker":"bad3"'));
    expect((await orrery(one, 'genesis', 'collect-gentxs')).err).toMatch(/signature verification failed/);
    fs.writeFileSync(file, good);
    fs.writeFileSync(path.join(gentxs(one), 'b.json'), good);
    expect((await orrery(one, 'genesis', 'collect-gentxs')).err).toMatch(/are of the same validator/);
    fs.writeFileSync(path.join(gentxs(one), 'b.json'), '{}');
    expect((await orrery(one, 'genesis', 'collect-gentxs')).err).toMatch(/b\.json is not usable/);
  });
});

describe('init --recover', () => {
  const cli = (home: string, input: string, ...args: string[]): Promise<{ code: number; err: string }> =>
    new Promise((resolve) => {
      const child: ChildProcess = spawn(process.execPath, ['bin/orrery.js', '--home', home, ...args]);
      let err = '';
      child.stderr?.on('data', (data) => {
        err += data;
      });
      child.on('close', (code) => resolve({ code: code ?? 1, err }));
      child.stdin?.end(input);
    });

  test("makes the validator's key of the words, as the SDK does, and never loses another one", async () => {
    const home = path.join(dir, 'recover');
    expect((await cli(home, 'bad words\n', 'init', 'node', '--recover')).err).toContain(
      'Error: invalid mnemonic',
    );
    expect((await cli(home, `${MNEMONIC}\n`, 'init', 'node', '--recover')).code).toBe(0);
    const key = readJson(path.join(home, 'config/priv_validator_key.json'));
    const seed = Buffer.from(key.priv_key.value, 'base64').subarray(0, 32).toString('hex');
    expect(seed).toBe(toHex(nobleSuite.sha256(new TextEncoder().encode(MNEMONIC))));
    expect((await cli(home, `${MNEMONIC}\n`, 'init', 'node', '--recover')).err).toContain('already exists');
    expect((await cli(home, `${MNEMONIC}\n`, 'init', 'node', '--recover', '-o')).code).toBe(0);
    const other = path.join(dir, 'recover-other');
    await orrery(other, 'init', 'node');
    const { err } = await cli(other, `${MNEMONIC}\n`, 'init', 'node', '--recover', '-o');
    expect(err).toContain('another validator key already exists');
  });
});
