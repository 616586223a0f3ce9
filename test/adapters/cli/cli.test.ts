import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { banner, blockLine } from '../../../adapters/cli/banner.ts';
import { toYaml } from '../../../adapters/cli/yaml.ts';
import { devAccounts } from '../../../adapters/config/devAccounts.ts';
import { newGenesis } from '../../../adapters/config/genesisFile.ts';
import { runCli, type Said } from '../../support/cli.ts';

let home = '';
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-cli-'));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const orrery = (...args: string[]): Promise<Said> => runCli('--home', home, ...args);

const MNEMONIC = 'test test test test test test test test test test test junk';
const words = (): string => {
  const file = path.join(home, 'words');
  fs.writeFileSync(file, `${MNEMONIC}\n`);
  return file;
};

describe('errors are one line on stderr and a non-zero exit', () => {
  test.each([
    [['bogus'], `Error: unknown command 'bogus'\n`],
    [['version', '--bogus'], `Error: unknown option '--bogus'\n`],
    [['version', '-o', 'xml'], 'Error: --output: expected text or json, found xml\n'],
    [
      ['debug', 'addr', 'xyz'],
      /^Error: expected a valid hex or bech32 address \(acc prefix chain\), got 'xyz': .*\n$/,
    ],
    [['start'], /^Error: .*genesis\.json does not exist; orrery init makes a home\n$/],
    [['index', 'rebuild'], /^Error: .*node\.db does not exist: there is nothing to index\n$/],
    [
      ['devnet', '--block-time', 'soon'],
      /^Error: flag --block-time: expected a duration .*, found "soon"\n$/,
    ],
    [['devnet', '--chain-id', 'nine'], /^Error: invalid chain-id 'nine': expected name_EVMID-EPOCH.*\n$/],
    ...['2147483648', '99999999999'].map((index): [string[], string] => [
      ['keys', 'add', 'new', '--index', index],
      `Error: --index: expected a whole number 0..2147483647, found ${index}\n`,
    ]),
    [['keys', 'show', 'nobody'], 'Error: nobody is not a valid name or address: nobody: key not found\n'],
    [['q', 'auth', 'accounts', '--page', '0'], 'Error: --page: expected a whole number from 1, found 0\n'],
    [
      ['q', 'txs', '--query', 'a=1', '--limit', 'x'],
      /^Error: --limit: expected a whole number from 1, found x\n$/,
    ],
    [['keys', 'list', '--keyring-backend', 'os'], /^Error: keyring backend "os" is not available here.*\n$/],
  ])('%j', async (args, message) => {
    const { code, out, err } = await orrery(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    if (typeof message === 'string') expect(err).toBe(message);
    else expect(err).toMatch(message);
  });

  test.each([['start'], ['export'], ['rollback'], ['index', 'rebuild']])(
    '%s tells a home that cannot be read from one that is missing',
    async (...args) => {
      fs.writeFileSync(path.join(home, 'file'), '');
      const { code, err } = await runCli('--home', path.join(home, 'file'), ...args);
      expect([code, err]).toEqual([1, expect.stringMatching(/^Error: cannot read .*: not a directory\n$/)]);
      expect(fs.readdirSync(home)).toEqual(['file']);
    },
  );

  test('a corrupt genesis stops start', async () => {
    await orrery('init', 'node');
    fs.writeFileSync(path.join(home, 'config/genesis.json'), '{"chain_id":');
    const { code, err } = await orrery('start');
    expect(code).toBe(1);
    expect(err).toMatch(/^Error: genesis file .*genesis\.json is not usable: .*\n$/);
  });
});

describe('init', () => {
  test('writes a home and prints its content', async () => {
    const { code, out, err } = await orrery(
      'init',
      'node',
      '--chain-id',
      'mars_77-1',
      '--default-denom',
      'adust',
    );
    expect({ code, out }).toEqual({ code: 0, out: '' });
    const told = JSON.parse(err);
    expect(Object.keys(told)).toEqual(['moniker', 'chain_id', 'node_id', 'gentxs_dir', 'app_message']);
    expect(told).toMatchObject({ moniker: 'node', chain_id: 'mars_77-1' });
    expect(told.app_message.evm.params.evm_denom).toBe('adust');
    for (const file of [
      'genesis.json',
      'config.toml',
      'app.toml',
      'client.toml',
      'node_key.json',
      'priv_validator_key.json',
    ])
      expect(fs.existsSync(path.join(home, 'config', file))).toBe(true);
    expect(fs.existsSync(path.join(home, 'data/priv_validator_state.json'))).toBe(true);
    expect(fs.readFileSync(path.join(home, 'config/config.toml'), 'utf8')).toContain('moniker = "node"');
    expect(fs.readFileSync(path.join(home, 'config/client.toml'), 'utf8')).toContain(
      'chain-id = "mars_77-1"',
    );
  });

  test('does not overwrite a genesis unless told, and then keeps the keys', async () => {
    await orrery('init', 'node');
    const key = fs.readFileSync(path.join(home, 'config/priv_validator_key.json'), 'utf8');
    const again = await orrery('init', 'node');
    expect(again).toMatchObject({
      code: 1,
      err: `Error: genesis.json file already exists: ${home}/config/genesis.json\n`,
    });
    expect((await orrery('init', 'other', '-o', '--chain-id', 'mars_77-1')).code).toBe(0);
    expect(fs.readFileSync(path.join(home, 'config/genesis.json'), 'utf8')).toContain('mars_77-1');
    expect(fs.readFileSync(path.join(home, 'config/priv_validator_key.json'), 'utf8')).toBe(key);
  });
});

describe('keys', () => {
  test('a recovered key is listed and shown in every form', async () => {
    const added = await orrery('keys', 'add', 'dev0', '--source', words(), '--output', 'json');
    expect(JSON.parse(added.out)).toEqual({
      name: 'dev0',
      type: 'local',
      address: 'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4',
      pubkey:
        '{"@type":"/chain.crypto.v1.ethsecp256k1.PubKey","key":"A4MYU1tUEF1Keq5gwI/EX5aHGBtP38YlvRp1P6c5f+11"}',
    });
    expect(added.err).toBe('');
    const listed = await orrery('keys', 'list');
    expect(listed.out).toBe(
      '- address: chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4\n  name: dev0\n' +
        `  pubkey: '{"@type":"/chain.crypto.v1.ethsecp256k1.PubKey","key":"A4MYU1tUEF1Keq5gwI/EX5aHGBtP38YlvRp1P6c5f+11"}'\n` +
        '  type: local\n',
    );
    for (const which of [
      'dev0',
      'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4',
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    ])
      expect((await orrery('keys', 'show', which, '-a')).out).toBe(
        'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4\n',
      );
    expect((await orrery('keys', 'show', 'dev0', '-a', '--bech', 'val')).out).toMatch(
      /^chainvaloper17w0adeg/,
    );
    expect((await orrery('keys', 'show', 'dev0', '-p')).out).toContain('"key":"A4MY');
    expect((await orrery('keys', 'list', '-n')).out).toBe('dev0\n');
  });

  test('the same words under another name, or bad words, are refused and nothing is lost', async () => {
    const file = words();
    await orrery('keys', 'add', 'dev0', '--source', file);
    expect(await orrery('keys', 'add', 'twin', '--source', file)).toMatchObject({
      code: 1,
      err: 'Error: duplicated address created\n',
    });
    fs.writeFileSync(file, MNEMONIC.replace('junk', 'test'));
    expect(await orrery('keys', 'add', 'bad', '--source', file)).toMatchObject({
      code: 1,
      err: 'Error: invalid mnemonic\n',
    });
    expect((await orrery('keys', 'list', '-n')).out).toBe('dev0\n');
  });

  test('another index is another account; a new key prints its words once', async () => {
    const second = await orrery('keys', 'add', 'dev1', '--source', words(), '--index', '1');
    expect(second.out).toContain('address: chain1wzvhjux9rqfdcwspp37srdgwp5tac7wg75tx5n');
    const fresh = await orrery('keys', 'add', 'fresh');
    expect(fresh.err).toMatch(/^\n\*\*Important\*\* write this mnemonic phrase .*\n.*\n\n(\w+ ){23}\w+\n$/);
    expect((await orrery('keys', 'add', 'quiet', '--no-backup')).err).toBe('');
    const dry = await orrery('keys', 'add', 'dry', '--dry-run', '--output', 'json');
    expect(JSON.parse(dry.out).mnemonic.split(' ')).toHaveLength(24);
    expect((await orrery('keys', 'list', '-n')).out).toBe('dev1\nfresh\nquiet\n');
  });

  test('a damaged key file is reported and hides no other key', async () => {
    await orrery('keys', 'add', 'whole');
    for (const [name, index] of [
      ['bitten', 1],
      ['cut', 2],
    ])
      await orrery('keys', 'add', `${name}`, '--source', words(), '--index', `${index}`);
    const fileOf = (name: string): string => path.join(home, 'keyring-test', `${name}.info`);
    fs.truncateSync(fileOf('cut'), 100);
    fs.writeFileSync(fileOf('bitten'), '');
    const listed = await orrery('keys', 'list', '-n');
    expect(listed).toMatchObject({ code: 0, out: 'whole\n' });
    expect(listed.err.match(/cannot read key (bitten|cut): /g)).toHaveLength(2);
  });

  test('an empty keyring says so', async () => {
    expect((await orrery('keys', 'list')).out).toBe('No records were found in keyring\n');
    expect((await orrery('keys', 'list', '--output', 'json')).out).toBe('[]\n');
  });
});

describe('keys that move', () => {
  test('go by hex, get another name, are shown in every form and deleted', async () => {
    const secret = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
    await orrery('keys', 'import-hex', 'a', `0x${secret}`);
    expect((await orrery('keys', 'import-hex', 'a', secret)).err).toContain('cannot overwrite key');
    expect((await orrery('keys', 'rename', 'a', 'b', '-y')).err).toBe(
      'Key was successfully renamed from a to b\n',
    );
    expect((await orrery('keys', 'export', 'b', '--unsafe')).err).toContain('must be used together');
    expect((await orrery('keys', 'export', 'b', '--unsafe', '--unarmored-hex', '-y')).out).toBe(
      `${secret}\n`,
    );
    expect((await orrery('keys', 'unsafe-export-eth-key', 'b')).out).toBe(`${secret.toUpperCase()}\n`);
    expect((await orrery('keys', 'delete', 'b', '-y')).err).toBe('Key deleted forever (uh oh!)\n');
    expect((await orrery('keys', 'list', '-n')).out).toBe('');
  });

  test('are parsed from hex and Bech32', async () => {
    const hex = '7CB61D4117AE31A12E393A1CFA3BAC666481D02E';
    const { out } = await orrery(
      'keys',
      'parse',
      'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv',
      '--output',
      'json',
    );
    expect(JSON.parse(out)).toEqual({ human: 'cosmos', bytes: hex });
    const forms = JSON.parse((await orrery('keys', 'parse', hex, '--output', 'json')).out).formats;
    expect(forms.map((text: string) => text.slice(0, text.lastIndexOf('1')))).toEqual([
      'chain',
      'chainpub',
      'chainvaloper',
      'chainvaloperpub',
      'chainvalcons',
      'chainvalconspub',
    ]);
    expect((await orrery('keys', 'parse', 'zz')).err).toContain("couldn't find valid bech32 nor hex data");
    expect((await orrery('keys', 'mnemonic')).out.trim().split(' ')).toHaveLength(24);
  });
});

describe('debug addr', () => {
  test.each([
    '7cB61D4117AE31a12E393a1Cfa3BaC666481D02E',
    '0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E',
    'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv',
  ])('%s is shown in every form', async (text) => {
    const { out } = await orrery('debug', 'addr', text, '--prefix', 'cosmos');
    expect(out.split('\n')).toEqual([
      'Address: [124 182 29 65 23 174 49 161 46 57 58 28 250 59 172 102 100 129 208 46]',
      'Address (hex): 7CB61D4117AE31A12E393A1CFA3BAC666481D02E',
      'Bech32 Acc: cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv',
      expect.stringMatching(/^Bech32 Val: cosmosvaloper1/),
      '',
    ]);
  });

  test("takes the prefix of the home's chain", async () => {
    await orrery('init', 'node', '--bech32-prefix', 'mars');
    expect((await orrery('debug', 'addr', '7cB61D4117AE31a12E393a1Cfa3BaC666481D02E')).out).toContain(
      'Bech32 Acc: mars1',
    );
  });
});

describe('debug', () => {
  const PUB_KEY =
    '{"@type":"/chain.crypto.v1.ethsecp256k1.PubKey","key":"A4MYU1tUEF1Keq5gwI/EX5aHGBtP38YlvRp1P6c5f+11"}';

  test('shows the EIP-55 form of an address when asked', async () => {
    const { out } = await orrery('debug', 'addr', '0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E', '--eip55');
    expect(out).toContain('Address (EIP-55): 0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E\n');
  });

  test('shows the address of a public key, bytes as hex, and the prefixes', async () => {
    expect((await orrery('debug', 'pubkey', PUB_KEY)).out).toContain(
      'Address (EIP-55): 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n',
    );
    expect((await orrery('debug', 'raw-bytes', '[72 101 255]')).out).toBe('4865FF\n');
    expect((await orrery('debug', 'raw-bytes', '[256]')).code).toBe(1);
    expect((await orrery('debug', 'prefixes')).out).toBe(
      'Bech32 Acc: chain\nBech32 Val: chainvaloper\nBech32 Con: chainvalcons\n',
    );
  });
});

describe('query auth account', () => {
  const account = {
    '@type': '/chain.types.v1.EthAccount',
    base_account: { address: 'chain1x', pub_key: null, account_number: '3', sequence: '0' },
    code_hash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  };

  async function asking(status: number, body: unknown, ...args: string[]) {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const rest = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = await orrery('query', 'auth', 'account', ...args, '--rest', rest);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return { ...answer, asked };
  }

  test('prints YAML with sorted keys, and JSON in the order of the fields', async () => {
    const text = await asking(200, { account }, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    expect(text.asked).toEqual([
      '/cosmos/auth/v1beta1/accounts/chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4',
    ]);
    expect(text.out).toBe(
      `'@type': /chain.types.v1.EthAccount
base_account:
  account_number: "3"
  address: chain1x
  pub_key: null
  sequence: "0"
code_hash: 0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470
`,
    );
    const json = await asking(200, { account }, 'chain1x', '-o', 'json');
    expect(json.out).toBe(`${JSON.stringify(account)}\n`);
  });

  test('a node that serves no REST is asked over its consensus RPC', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      return Promise.reject(new Error('nobody is there'));
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const params = ['q', 'auth', 'params'];
    expect((await orrery(...params)).code).toBe(1);
    fs.mkdirSync(path.join(home, 'config'));
    fs.writeFileSync(path.join(home, 'config', 'app.toml'), '[api]\nenable = false\n');
    await orrery(...params);
    await orrery(...params, '--rest', 'localhost:1');
    expect(asked).toEqual([
      'http://127.0.0.1:10337/cosmos/auth/v1beta1/params',
      'http://localhost:26657',
      'http://localhost:1/cosmos/auth/v1beta1/params',
    ]);
  });

  test('a node that is not there is one line', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { code, err } = await orrery('q', 'auth', 'account', 'x', '--rest', `http://127.0.0.1:${port}`);
    expect(code).toBe(1);
    expect(err).toMatch(/^Error: cannot ask http.*: connection refused; is the node running\?\n$/);
  });

  test('an error of the node is one line', async () => {
    const { code, err } = await asking(
      404,
      { code: 5, message: 'account chain1x not found', details: [] },
      'chain1x',
    );
    expect(code).toBe(1);
    expect(err).toBe('Error: rpc error: code = NotFound desc = account chain1x not found\n');
  });
});

test('YAML quotes what would read as another type and leaves the rest bare', () => {
  expect(toYaml({ b: '3', a: 'x', c: null, n: ['true', '{"k":"v"}'], '@type': '/u' })).toBe(
    `'@type': /u\na: x\nb: "3"\nc: null\nn:\n- "true"\n- '{"k":"v"}'\n`,
  );
});

test('version prints the package version, and JSON on request', async () => {
  const { version } = JSON.parse(
    fs.readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8'),
  );
  expect((await orrery('version')).out).toBe(`${version}\n`);
  expect(await orrery('--version')).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
  expect(JSON.parse((await orrery('version', '--long', '-o', 'json')).out)).toMatchObject({
    name: 'orrery',
    version,
    node: process.version,
  });
});

test('help lists every command, and a command its flags, without failing', async () => {
  const help = await orrery('--help');
  expect(help.code).toBe(0);
  for (const command of ['devnet', 'start', 'init', 'keys', 'query|q', 'sim', 'debug', 'version'])
    expect(help.out).toContain(`\n  ${command}`);
  const start = await orrery('start', '--help');
  for (const flag of [
    '--rpc.laddr',
    '--json-rpc.enable',
    '--json-rpc.ws-address',
    '--evm.rpc.api',
    '--p2p.laddr',
  ])
    expect(start.out).toContain(flag);
  // A line of help may be broken anywhere between words.
  const plain = (text: string): string => text.replace(/\s+/g, ' ');
  expect(plain(start.out)).toContain('(default "tcp://127.0.0.1:26657")');
  expect(plain(start.out)).toContain('(default "1s")');
  const devnet = await orrery('devnet', '--help');
  expect(plain(devnet.out)).toContain('Name of this node, shown to peers and in status. (default "devnet")');
  for (const { out } of [start, devnet]) expect(out).not.toContain('preset');
});

test('the banner names endpoints, both forms of each account, the keys, the warning and how to stop', () => {
  const accounts = devAccounts();
  const genesis = newGenesis({
    chainId: 'chain_9000-1',
    hrp: undefined,
    denom: undefined,
    now: 0,
    validators: [],
    accounts: accounts.map(({ address }) => ({ address, balance: 1n })),
  });
  const endpoints = {
    consensusRpc: 'http://127.0.0.1:26657',
    jsonRpc: 'http://127.0.0.1:8545',
    evmWs: 'ws://127.0.0.1:8546',
    rest: undefined,
    grpc: undefined,
    metrics: 'http://127.0.0.1:26660/metrics',
    p2p: undefined,
  };
  const text = banner({ version: '1.2.3', genesis, home: '/h', endpoints, accounts });
  for (const part of [
    'chain_9000-1 (EVM chain id 9000)',
    'http://127.0.0.1:26657',
    'http://127.0.0.1:8545',
    'ws://127.0.0.1:8546',
    'http://127.0.0.1:26660/metrics',
    '(0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4',
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    '(9) 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    'WARNING',
    'Ctrl-C stops',
  ])
    expect(text).toContain(part);
});

test('a block is one line', () => {
  const block = {
    height: 7,
    round: 0,
    hash: new Uint8Array(32),
    ethHash: new Uint8Array(32),
    time: { seconds: 0, nanos: 0 },
  };
  const hash = `0x${'0'.repeat(64)}`;
  expect(blockLine({ ...block, txs: 0, gasUsed: 0n })).toBe(`block 7  empty  ${hash}\n`);
  expect(blockLine({ ...block, txs: 1, gasUsed: 21000n })).toBe(`block 7  1 tx  21000 gas  ${hash}\n`);
  expect(blockLine({ ...block, txs: 2, gasUsed: 42000n })).toBe(`block 7  2 txs  42000 gas  ${hash}\n`);
});
