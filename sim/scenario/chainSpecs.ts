/** What a scenario says of the chain and of the settings of its nodes, read and with defaults filled in. */
import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import type { ConsensusParams } from '../../core/types/params.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';

/** What the chain is born with. */
export interface GenesisSpec {
  readonly initialHeight: number;
  /** From the beginning of the run to the time of genesis, µs. */
  readonly startsIn: number;
  readonly params: ConsensusParams;
  readonly feeMarket: FeeMarket;
}

/** What the application answers to the block of a height. */
export interface UpdateSpec {
  readonly height: number;
  /** Of the validators that change, by name; 0 takes one out. */
  readonly powers: ReadonlyMap<string, number>;
  /** All of them, when any changes. */
  readonly params: ConsensusParams | undefined;
}

/** How the nodes are set and the run is made. */
export interface EngineSpec {
  readonly crypto: 'ed25519' | 'keyed-hash';
  /** Virtual µs after which an unfinished run has failed. */
  readonly timeMax: number;
  /** Of every node. */
  readonly consensus: ConsensusConfig;
  /** Nodes fetch what they lack by block sync when they start, as nodes with peers do. */
  readonly blockSync?: boolean;
  /** Nodes keep the event index; without it they look through their blocks. */
  readonly isIndexed: boolean;
  /** Gas limit of a block; without it there is as good as none. */
  readonly blockGas?: number | undefined;
  /** Transactions that a pool takes; the node's own default when left out. */
  readonly poolTxs?: number | undefined;
  /** Bytes of transactions that it takes. */
  readonly poolBytes?: number | undefined;
  /** How long transactions wait there for an earlier nonce, and how long a client's may have to wait for a block; µs, the node's defaults. */
  readonly poolLifetime?: number | undefined;
  readonly poolMaxWait?: number | undefined;
  /** Nodes remember and do at most so much at once: values, things, kilobytes. */
  readonly sizesMax?: number | undefined;
}
