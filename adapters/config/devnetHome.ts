import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseAppState } from '../../core/app/appState.ts';
import { keccak256 } from '../../core/crypto/hash.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import type { Micros } from '../../core/types/ids.ts';
import type { UnlockedKey } from '../nodeOptions.ts';
import { OperatingError } from '../operatingError.ts';
import { DEV_BALANCE } from './devAccounts.ts';
import { newGenesis } from './genesisFile.ts';
import { initHome } from './initHome.ts';

export const DEVNET_CHAIN_ID = 'chain_9000-1';

/**
 * Settings of a devnet: a block as soon as there is a transaction, and after `blockTime` without one; no p2p listener;
 * the explorer on; only warnings in the log, as the terminal already shows the blocks.
 */
export const devnetSettings = (moniker: string, blockTime: string): ReadonlyMap<string, string> =>
  new Map([
    ['moniker', moniker],
    ['log_level', 'warn'],
    ['p2p.laddr', ''],
    ['explorer.enable', 'true'],
    ['consensus.timeout_commit', '0s'],
    ['consensus.skip_timeout_commit', 'true'],
    ['consensus.create_empty_blocks_interval', blockTime],
    // Scripts send hundreds of transactions of one account over many connections, in no particular order.
    ['evm.mempool.account-queue', '5000'],
    ['evm.mempool.global-queue', '5000'],
  ]);

export interface DevnetHomeOptions {
  readonly home: string;
  readonly chainId: string;
  readonly moniker: string;
  /** Go notation, e.g. `1s`. */
  readonly blockTime: string;
  readonly accounts: readonly UnlockedKey[];
  readonly suite: CryptoSuite;
  readonly randomSeed: () => Bytes;
  readonly now: Micros;
}

/** Makes the home of a one-validator chain with funded accounts, unless the folder holds a chain already. */
export function prepareDevnetHome(options: DevnetHomeOptions): void {
  const { home, chainId, moniker, suite, accounts } = options;
  if (existsSync(path.join(home, 'config', 'genesis.json'))) return;
  initHome({
    home,
    chainId,
    suite,
    settings: devnetSettings(moniker, options.blockTime),
    overwrite: false,
    randomSeed: options.randomSeed,
    genesis: ({ address, publicKey }) =>
      newGenesis({
        chainId,
        hrp: undefined,
        denom: undefined,
        now: options.now,
        validators: [{ address, pubKey: { type: 'ed25519', bytes: publicKey }, power: 10n, name: moniker }],
        accounts: accounts.map((account) => ({ address: account.address, balance: DEV_BALANCE })),
      }),
  });
}

/** The dev accounts that this home's genesis funds. A chain that funds none is not a devnet and is refused. */
export function fundedDevAccounts(
  genesis: Genesis,
  accounts: readonly UnlockedKey[],
  home: string,
): readonly UnlockedKey[] {
  const state = parseAppState(genesis.appState, genesis.chainId, keccak256);
  if (!state.ok) throw new OperatingError(`genesis file of ${home} is not usable: ${state.error.message}`);
  const funded = new Set(state.value.accounts.map((account) => toHex(account.address)));
  const found = accounts.filter((account) => funded.has(toHex(account.address)));
  if (found.length === 0)
    throw new OperatingError(
      `${home} holds the chain ${genesis.chainId}, which is not a devnet; use orrery start, or another --home`,
    );
  return found;
}
