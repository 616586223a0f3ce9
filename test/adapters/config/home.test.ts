import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEV_BALANCE, DEV_MNEMONIC, devAccounts } from '../../../adapters/config/devAccounts.ts';
import {
  DEVNET_CHAIN_ID,
  fundedDevAccounts,
  prepareDevnetHome,
} from '../../../adapters/config/devnetHome.ts';
import { checkChainId, loadGenesis } from '../../../adapters/config/genesisFile.ts';
import { homeOf } from '../../../adapters/config/home.ts';
import { loadNodeConfig } from '../../../adapters/config/nodeConfig.ts';
import { loadNodeKey, nodeIdOf, saveNodeKey } from '../../../adapters/config/nodeKey.ts';
import { loadValidatorKey } from '../../../adapters/signer/keyFile.ts';
import { toEip55 } from '../../../core/address/eip55.ts';
import { parseAppState } from '../../../core/app/appState.ts';
import { ethAddress } from '../../../core/crypto/addresses.ts';
import { keccak256 } from '../../../core/crypto/hash.ts';
import { deriveSecret, ethHdPath, mnemonicToSeed } from '../../../core/crypto/hd.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toHex } from '../../../core/lib/bytes.ts';

let home = '';
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-home-'));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

/** Seeds 1, 2, … so that a test's home is always the same. */
function prepare(chainId = DEVNET_CHAIN_ID): void {
  let seeds = 0;
  prepareDevnetHome({
    home,
    chainId,
    moniker: 'devnet',
    blockTime: '1s',
    accounts: devAccounts(),
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(32).fill(++seeds),
    now: 1_700_000_000_000_000,
  });
}

const modeOf = (file: string): string => (fs.statSync(path.join(home, file)).mode & 0o777).toString(8);

test('the development accounts are the first ten of the mnemonic', () => {
  const seed = mnemonicToSeed(DEV_MNEMONIC);
  const derived = Array.from({ length: 10 }, (_, index) => {
    const secret = deriveSecret(seed, ethHdPath(0, index));
    if (!secret.ok) throw new Error(secret.error.message);
    return {
      address: ethAddress(nobleSuite.secp256k1PublicKey(secret.value, false)),
      secret: secret.value,
    };
  });
  expect(devAccounts()).toEqual(derived);
});

describe('the home of a devnet', () => {
  test('has one validator and ten accounts with 10000 coins each, as anvil and hardhat have them', () => {
    prepare();
    const { genesis: file, validatorKey } = loadNodeConfig(home, new Map(), {}).files;
    const genesis = loadGenesis(file);
    expect(genesis.chainId).toBe('chain_9000-1');
    expect(genesis.validators.map(({ power, name }) => ({ power, name }))).toEqual([
      { power: 10n, name: 'devnet' },
    ]);
    expect(genesis.validators[0]?.address).toEqual(loadValidatorKey(validatorKey, nobleSuite).address);
    const accounts = fundedDevAccounts(genesis, devAccounts(), home);
    expect(accounts).toHaveLength(10);
    expect(accounts.slice(0, 2).map(({ address, secret }) => [toEip55(address), toHex(secret)])).toEqual([
      [
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
      ],
      [
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
      ],
    ]);
    const state = parseAppState(genesis.appState, genesis.chainId, keccak256);
    const balances = state.ok
      ? accounts.map(
          (dev) => state.value.accounts.find((one) => toHex(one.address) === toHex(dev.address))?.balance,
        )
      : [];
    expect(balances).toEqual(accounts.map(() => DEV_BALANCE));
    expect(state.ok && state.value.evmChainId).toBe(9000n);
  });

  test('lets a transaction in at once and an idle block after the block time', () => {
    prepare();
    const { core, p2p } = loadNodeConfig(home, new Map(), {});
    expect(core.consensus.timeoutCommitMs).toBe(0);
    expect(core.consensus.skipTimeoutCommit).toBe(true);
    expect(core.consensus.createEmptyBlocksIntervalMs).toBe(1000);
    expect(p2p.listen).toBeUndefined();
  });

  test('keeps secrets to its owner', () => {
    prepare();
    expect(modeOf('config')).toBe('700');
    expect(modeOf('data')).toBe('700');
    for (const file of [
      'config/node_key.json',
      'config/priv_validator_key.json',
      'data/priv_validator_state.json',
    ])
      expect(modeOf(file)).toBe('600');
  });

  test('is left unchanged if it exists', () => {
    prepare();
    const genesis = fs.readFileSync(path.join(home, 'config/genesis.json'), 'utf8');
    prepare('chain_1-1');
    expect(fs.readFileSync(path.join(home, 'config/genesis.json'), 'utf8')).toBe(genesis);
  });

  test('is completed with its existing keys after an interrupted init', () => {
    prepare();
    const key = path.join(home, 'config/priv_validator_key.json');
    const address = loadValidatorKey(key, nobleSuite).address;
    fs.rmSync(path.join(home, 'config/genesis.json'));
    fs.rmSync(path.join(home, 'config/node_key.json'));
    prepare();
    expect(loadGenesis(path.join(home, 'config/genesis.json')).validators[0]?.address).toEqual(address);
  });

  test('that funds none of the well-known accounts is not a devnet', () => {
    prepare();
    const genesis = loadGenesis(path.join(home, 'config/genesis.json'));
    expect(() => fundedDevAccounts({ ...genesis, appState: {} }, devAccounts(), home)).toThrow(
      'is not a devnet',
    );
  });
});

describe('files an operator can break', () => {
  test('an invalid genesis is refused with the reason', () => {
    const file = path.join(home, 'genesis.json');
    fs.writeFileSync(file, '{"chain_id":');
    expect(() => loadGenesis(file)).toThrow(`genesis file ${file} is not usable: `);
    fs.writeFileSync(file, '{"genesis_time": 3}');
    expect(() => loadGenesis(file)).toThrow(/not usable: .*genesis_time/);
    expect(() => loadGenesis(path.join(home, 'none.json'))).toThrow(
      `cannot read ${home}/none.json: no such file or directory`,
    );
  });

  test('a node key is read back, and a damaged one refused', () => {
    const file = path.join(home, 'node_key.json');
    const seed = new Uint8Array(32).fill(7);
    saveNodeKey(file, seed, nobleSuite);
    expect(loadNodeKey(file, nobleSuite)).toEqual(seed);
    expect(nodeIdOf(seed, nobleSuite)).toMatch(/^[0-9a-f]{40}$/);
    const good = fs.readFileSync(file, 'utf8');
    for (const bad of ['', 'null', '{}', good.replace('Ed25519', 'Bls'), good.replace('Bwc', 'Bwd')]) {
      fs.writeFileSync(file, bad);
      expect(() => loadNodeKey(file, nobleSuite)).toThrow('is not usable');
    }
  });
});

test("the home is the flag's, else ORRERY_HOME, else ~/.orrery", () => {
  expect(homeOf('/a', { ORRERY_HOME: '/b' })).toBe('/a');
  expect(homeOf(undefined, { ORRERY_HOME: '/b' })).toBe('/b');
  for (const env of [{}, { ORRERY_HOME: '' }])
    expect(homeOf(undefined, env)).toBe(path.join(os.homedir(), '.orrery'));
  expect(() => homeOf('', {})).toThrow('--home: expected a folder, found ""');
});

test('a chain id must carry an EVM chain id', () => {
  expect(checkChainId('chain_9000-1')).toBe('chain_9000-1');
  for (const bad of ['', 'chain', 'chain-1', 'chain_0-1', 'Chain_1-1', `chain_1-${'1'.repeat(48)}`])
    expect(() => checkChainId(bad)).toThrow('expected name_EVMID-EPOCH');
});
