/** What a scenario says about the chain and the settings of its nodes, read, with defaults filled in. */
import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import type { ConsensusParams } from '../../core/types/params.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';

/** The genesis of the chain. */
export interface GenesisSpec {
  readonly initialHeight: number;
  /** Time from the beginning of the run to genesis, in µs. */
  readonly startsIn: number;
  readonly params: ConsensusParams;
  readonly feeMarket: FeeMarket;
}

/** What the application returns for the block of a height. */
export interface UpdateSpec {
  readonly height: number;
  /** New powers of validators by name; 0 removes a validator. */
  readonly powers: ReadonlyMap<string, number>;
  /** All parameters, if any of them changes. */
  readonly params: ConsensusParams | undefined;
}

/** Settings of the nodes and of the run. */
export interface EngineSpec {
  readonly crypto: 'ed25519' | 'keyed-hash';
  /** Virtual µs after which an unfinished run has failed. */
  readonly timeMax: number;
  /** Consensus settings of every node. */
  readonly consensus: ConsensusConfig;
  /** Nodes use block sync at their start to fetch missing blocks, as nodes with peers do. */
  readonly blockSync?: boolean;
  /** Nodes keep the event index. Without it they search their blocks. */
  readonly isIndexed: boolean;
  /** Gas limit of a block; practically none if left out. */
  readonly blockGas?: number | undefined;
  /** Transactions that a pool takes; the node's own default when left out. */
  readonly poolTxs?: number | undefined;
  /** Bytes of transactions that it takes. */
  readonly poolBytes?: number | undefined;
  /**
   * How long transactions wait in the pool for an earlier nonce, and how long a client's may have to wait for a block.
   * In µs; the node's defaults if left out.
   */
  readonly poolLifetime?: number | undefined;
  readonly poolMaxWait?: number | undefined;
  /** Upper limit of everything that nodes remember or do at once: values, items, kilobytes. */
  readonly sizesMax?: number | undefined;
}
