import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadGenesis } from '../../../adapters/config/genesisFile.ts';
import { loadNodeConfig } from '../../../adapters/config/nodeConfig.ts';
import { lockSigner } from '../../../adapters/signer/signerLock.ts';
import { runCli } from '../../support/cli.ts';

let dir = '';
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-testnet-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const init = (...more: string[]) =>
  runCli('testnet', 'init-files', '--validator-count', '3', '-o', dir, ...more);
const homes = (): string[] => [0, 1, 2].map((i) => path.join(dir, `node${i}`));

describe('orrery testnet init-files', () => {
  test('writes homes with one genesis, own keys, own ports, and everyone as a peer of everyone', async () => {
    expect(await init('--single-host', '--base-port', '21000')).toEqual({
      code: 0,
      out: 'Successfully initialized 3 node directories\n',
      err: '',
    });
    const texts = homes().map((home) => fs.readFileSync(path.join(home, 'config', 'genesis.json'), 'utf8'));
    expect(new Set(texts).size).toBe(1);
    const genesis = loadGenesis(path.join(dir, 'node0', 'config', 'genesis.json'));
    expect(genesis.validators.map(({ name, power }) => [name, power])).toEqual([
      ['node0', 10n],
      ['node1', 10n],
      ['node2', 10n],
    ]);
    const configs = homes().map((home) => loadNodeConfig(home, new Map(), {}));
    const ports = configs.flatMap((config) =>
      [config.p2p, config.consensusRpc, config.jsonRpc, config.evmWs, config.rest].map(
        (server) => server.listen?.port,
      ),
    );
    expect(new Set(ports).size).toBe(15);
    const ids = await Promise.all(
      homes().map(async (home) => (await runCli('--home', home, 'comet', 'show-node-id')).out.trim()),
    );
    for (const [i, config] of configs.entries()) {
      const others = ids.flatMap((id, j) =>
        j === i ? [] : [{ id, host: '127.0.0.1', port: 21000 + 10 * j }],
      );
      expect(config.p2p.persistentPeers).toEqual(others);
      expect(config.p2p.allowDuplicateIp).toBe(true);
    }
  });

  test('on hosts of their own the nodes have addresses in a row and the usual ports', async () => {
    expect((await init('--starting-ip-address', '10.0.0.9', '--validator-powers', '1,2,3')).code).toBe(0);
    const { p2p } = loadNodeConfig(path.join(dir, 'node2'), new Map(), {});
    expect(p2p.persistentPeers.map(({ host, port }) => `${host}:${port}`)).toEqual([
      '10.0.0.9:26656',
      '10.0.0.10:26656',
    ]);
    const genesis = loadGenesis(path.join(dir, 'node0', 'config', 'genesis.json'));
    expect(genesis.validators.map(({ power }) => power)).toEqual([1n, 2n, 3n]);
  });

  test('refuses a folder that holds a network, and numbers that make no sense, in one line', async () => {
    await init('--single-host');
    expect((await init('--single-host')).err).toMatch(
      /^Error: genesis\.json file already exists: .*node0.*\n$/,
    );
    const bad: readonly [string[], RegExp][] = [
      [
        ['--validator-count', '0'],
        /^Error: --validator-count: expected a whole number from 1 to 100, found "0"\n$/,
      ],
      [['--validator-powers', '1,2'], /^Error: --validator-powers: 2 powers for 3 validators\n$/],
      [
        ['--starting-ip-address', '10.0.0.254'],
        /^Error: --starting-ip-address: there are no 2 addresses after/,
      ],
      [['--single-host', '--base-port', '65529'], /^Error: node 1 would need port 65539/],
      [['--commit-timeout', 'soon'], /^Error: --commit-timeout: expected a duration/],
    ];
    for (const [flags, message] of bad) {
      fs.rmSync(dir, { recursive: true, force: true });
      const { code, err } = await init(...flags);
      expect([code, err]).toEqual([1, expect.stringMatching(message)]);
    }
  });
});

describe('orrery comet', () => {
  test('shows the id, the key and the address of a node', async () => {
    await init();
    const comet = async (...args: string[]) =>
      (await runCli('--home', path.join(dir, 'node1'), 'comet', ...args)).out.trim();
    expect(await comet('show-node-id')).toMatch(/^[0-9a-f]{40}$/);
    expect(JSON.parse(await comet('show-validator'))).toEqual({
      '@type': '/cosmos.crypto.ed25519.PubKey',
      key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
    expect(await comet('show-address')).toMatch(/^chainvalcons1[0-9a-z]{38}$/);
    expect(JSON.parse(await comet('version'))).toMatchObject({ block_protocol: 11, p2p_protocol: 8 });
  });

  test('a genesis is found where the settings say it is', async () => {
    const home = path.join(dir, 'home');
    const config = (file: string): string => path.join(home, 'config', file);
    await runCli('--home', home, 'init', 'me', '--bech32-prefix', 'other');
    fs.renameSync(config('genesis.json'), path.join(home, 'mine.json'));
    const settings = fs.readFileSync(config('config.toml'), 'utf8');
    fs.writeFileSync(config('config.toml'), settings.replace('config/genesis.json', 'mine.json'));
    const { out } = await runCli('--home', home, 'comet', 'show-address');
    expect(out).toMatch(/^othervalcons1[0-9a-z]{38}\n$/);
    const checked = await runCli('--home', home, 'genesis', 'validate');
    expect(checked.err + checked.out).toBe(`File at ${home}/mine.json is a valid genesis file\n`);
  });

  test('unsafe-reset-all deletes blocks and addresses, and keeps keys', async () => {
    await init();
    const home = path.join(dir, 'node0');
    const file = (...names: string[]): string => path.join(home, ...names);
    fs.mkdirSync(file('data', 'cs.wal'));
    fs.writeFileSync(file('config', 'addrbook.json'), '{}');
    fs.writeFileSync(file('data', 'transactions.rlp'), 'of a chain that is no more');
    const key = fs.readFileSync(file('config', 'priv_validator_key.json'), 'utf8');
    fs.writeFileSync(file('data', 'priv_validator_state.json'), '{"height":"9","round":0,"step":3}');
    // As a node that runs on another database than the settings name.
    const free = await lockSigner(file('data', 'priv_validator_state.json'), home);
    const refused = await runCli('--home', home, 'comet', 'unsafe-reset-all');
    expect(refused.err).toMatch(/^Error: validator state .* is locked by another process/);
    expect(fs.existsSync(file('config', 'addrbook.json'))).toBe(true);
    await free();
    expect((await runCli('--home', home, 'comet', 'unsafe-reset-all', '--keep-addr-book')).code).toBe(0);
    expect(fs.existsSync(file('config', 'addrbook.json'))).toBe(true);
    for (const gone of ['cs.wal', 'transactions.rlp']) expect(fs.existsSync(file('data', gone))).toBe(false);
    expect((await runCli('--home', home, 'comet', 'unsafe-reset-all')).code).toBe(0);
    expect(fs.existsSync(file('config', 'addrbook.json'))).toBe(false);
    expect(fs.readFileSync(file('config', 'priv_validator_key.json'), 'utf8')).toBe(key);
    expect(JSON.parse(fs.readFileSync(file('data', 'priv_validator_state.json'), 'utf8'))).toMatchObject({
      height: '0',
    });
  });
});

test('orrery status prints what the node says on one line, and why there is no answer', async () => {
  const server = createServer((_, answer) =>
    answer.end('{"result":{"sync_info":{"latest_block_height":"7"}}}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const asked = await runCli('--home', dir, 'status', '--node', `tcp://127.0.0.1:${port}`);
  expect(asked).toEqual({ code: 0, out: '{"sync_info":{"latest_block_height":"7"}}\n', err: '' });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const silent = await runCli('--home', dir, 'status', '--node', `tcp://127.0.0.1:${port}`);
  expect(silent).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Error: cannot ask .*is the node running\?\n$/),
  });
});
