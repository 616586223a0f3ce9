import type { Bytes } from '../lib/bytes.ts';
import type { BlockId } from './block.ts';
import type { Hash, Height, Timestamp } from './ids.ts';
import type { ConsensusParams } from './params.ts';
import type { ValidatorSet } from './validator.ts';

/** The consensus state after `lastBlockHeight`: all that is needed to make and to check the next block. */
export interface ChainState {
  readonly chainId: string;
  readonly initialHeight: Height;
  /** 0 before the first block. */
  readonly lastBlockHeight: Height;
  readonly lastBlockId: BlockId;
  /** Genesis time before the first block. */
  readonly lastBlockTime: Timestamp;
  /** Validators of lastBlockHeight + 2. */
  readonly nextValidators: ValidatorSet;
  /** Validators of lastBlockHeight + 1. */
  readonly validators: ValidatorSet;
  /** Validators of lastBlockHeight; undefined before the first block. */
  readonly lastValidators: ValidatorSet | undefined;
  readonly lastHeightValidatorsChanged: Height;
  readonly params: ConsensusParams;
  readonly lastHeightParamsChanged: Height;
  readonly lastResultsHash: Hash;
  readonly appHash: Bytes;
}
