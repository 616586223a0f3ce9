import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_HRP, evmChainIdOf, parseAppState } from '../../core/app/appState.ts';
import { defaultAppState } from '../../core/app/defaultAppState.ts';
import { parseGenesis } from '../../core/codec/genesis.ts';
import { keccak256 } from '../../core/crypto/hash.ts';
import type { Genesis, GenesisValidator } from '../../core/types/genesis.ts';
import { type Address, type Micros, timestampOf } from '../../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../../core/types/params.ts';
import { onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

/** Block gas limit of new chains; Ethereum tools expect a finite one. */
const BLOCK_GAS_MAX = 30_000_000;

export interface NewGenesis {
  readonly chainId: string;
  /** Bech32 prefix of accounts; undefined means the default. */
  readonly hrp: string | undefined;
  readonly denom: string | undefined;
  readonly now: Micros;
  readonly validators: readonly GenesisValidator[];
  readonly accounts: readonly { readonly address: Address; readonly balance: bigint }[];
}

/** The genesis of a new chain. */
export function newGenesis(options: NewGenesis): Genesis {
  const { chainId, hrp, denom, accounts } = options;
  return {
    genesisTime: timestampOf(options.now),
    chainId,
    initialHeight: 1,
    params: { ...DEFAULT_PARAMS, block: { ...DEFAULT_PARAMS.block, maxGas: BLOCK_GAS_MAX } },
    validators: options.validators,
    appHash: new Uint8Array(0),
    appState: defaultAppState({
      accounts,
      ...(hrp === undefined ? {} : { hrp }),
      ...(denom === undefined ? {} : { denom }),
    }),
  };
}

const CHAIN_ID_CHARS_MAX = 48;

/** Throws OperatingError unless the chain id contains an EVM chain id in the expected form. */
export function checkChainId(chainId: string): string {
  if (chainId.length > CHAIN_ID_CHARS_MAX || evmChainIdOf(chainId) === undefined)
    throw new OperatingError(
      `invalid chain-id '${chainId}': expected name_EVMID-EPOCH, such as chain_9000-1, of at most ${CHAIN_ID_CHARS_MAX} characters`,
    );
  return chainId;
}

/** Reads genesis.json. Throws OperatingError with the file and the problem. */
export function loadGenesis(file: string): Genesis {
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  const parsed = parseGenesis(text);
  if (!parsed.ok) throw new OperatingError(`genesis file ${file} is not usable: ${parsed.error.message}`);
  return parsed.value;
}

/** The Bech32 prefix of the chain's accounts; the default if `app_state` cannot be read. */
export function hrpOfGenesis(genesis: Genesis): string {
  const state = parseAppState(genesis.appState, genesis.chainId, keccak256);
  return state.ok ? state.value.hrp : DEFAULT_HRP;
}

/** The prefix of the chain with this genesis file; the default if there is no such file. */
export const hrpOfFile = (file: string): string =>
  existsSync(file) ? hrpOfGenesis(loadGenesis(file)) : DEFAULT_HRP;

/** Like `hrpOfFile`, for the genesis of a home. */
export const hrpOfHome = (home: string): string => hrpOfFile(path.join(home, 'config', 'genesis.json'));
