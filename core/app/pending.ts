/** The block after the head, before anybody has decided it. */
import type { Bytes } from '../lib/bytes.ts';
import type { Pause } from '../types/app.ts';
import type { Address } from '../types/ids.ts';
import type { EthBlock, View } from './chain.ts';

/** What a block that this node proposed now would be made of. */
export interface PendingSource {
  /** Consensus transactions in the order of a proposal. */
  readonly txs: readonly Bytes[];
  /** Unix seconds. */
  readonly seconds: number;
  /** Who would earn the tips. */
  readonly coinbase: Address;
  readonly pause?: Pause | undefined;
}

/** The block after the head as it would be if this node proposed it now. */
export interface PendingBlock {
  readonly block: EthBlock;
  /** The state after it; calls on it run in the block. */
  readonly view: View;
  /** Base fee of the block after it. */
  readonly nextBaseFee: bigint;
}
