import { type AppState, parseAppState } from '../../core/app/appState.ts';
import { renderGenesis } from '../../core/codec/genesis.ts';
import { keccak256 } from '../../core/crypto/hash.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import { loadGenesis } from '../config/genesisFile.ts';
import { loadNodeConfig, type NodeConfig } from '../config/nodeConfig.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

/** The settings of a home and its genesis, which is being edited. */
export interface GenesisDoc {
  readonly config: NodeConfig;
  readonly file: string;
  readonly genesis: Genesis;
  readonly state: AppState;
}

export function checkedState(genesis: Genesis, file: string): AppState {
  const state = parseAppState(genesis.appState, genesis.chainId, keccak256);
  if (!state.ok)
    throw new OperatingError(
      `error validating genesis file ${file}: ${state.error.path}: ${state.error.message}`,
    );
  return state.value;
}

/** Throws OperatingError if there is no genesis or if it is invalid. */
export function openGenesis(options: GlobalOptions, world: World): GenesisDoc {
  const config = loadNodeConfig(homeFrom(options, world), new Map(), world.env);
  const file = config.files.genesis;
  const genesis = loadGenesis(file);
  return { config, file, genesis, state: checkedState(genesis, file) };
}

/** Checks the genesis before it replaces the old file. */
export function saveGenesis({ file }: GenesisDoc, genesis: Genesis): void {
  checkedState(genesis, file);
  onFile('write', file, () => replaceFile(file, Buffer.from(renderGenesis(genesis)), 0o644));
}
