import type { Bytes } from '../lib/bytes.ts';
import type { Address, Height, Timestamp } from './ids.ts';
import type { ConsensusParams } from './params.ts';
import type { PublicKey } from './validator.ts';

export interface GenesisValidator {
  readonly address: Address;
  readonly pubKey: PublicKey;
  readonly power: bigint;
  readonly name: string;
}

/** genesis.json, parsed and with defaults filled in (CometBFT's GenesisDoc). */
export interface Genesis {
  readonly genesisTime: Timestamp;
  readonly chainId: string;
  readonly initialHeight: Height;
  readonly params: ConsensusParams;
  readonly validators: readonly GenesisValidator[];
  readonly appHash: Bytes;
  /** The application's own section as parsed JSON, checked by app/genesis.ts. */
  readonly appState: unknown;
}
