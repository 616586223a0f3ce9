/** What peers say about themselves, and what operators see of a connection. */
import type { Bytes } from '../lib/bytes.ts';
import type { PeerId } from './ids.ts';

/**
 * The CometBFT release whose interfaces a node implements, and the `version` that it reports. Clients (CosmJS,
 * tendermint-rs, relayers) choose by it how to read answers; they take any other value for a 0.34 release, whose events
 * are in base64. `abci_info` reports the release of this software.
 */
export const COMETBFT_VERSION = '0.38.26';

/** CometBFT's DefaultNodeInfo. */
export interface NodeInfo {
  readonly protocol: { readonly p2p: number; readonly block: number; readonly app: number };
  /** Lower-case hex of the node key's address. */
  readonly id: PeerId;
  readonly listenAddress: string;
  /** Chain id. */
  readonly network: string;
  /** {@link COMETBFT_VERSION}. */
  readonly version: string;
  readonly channels: Bytes;
  readonly moniker: string;
  readonly other: { readonly txIndex: string; readonly rpcAddress: string };
}

/** One channel of one connection. */
export interface ChannelState {
  readonly id: number;
  readonly priority: number;
  readonly queueMax: number;
  readonly queued: number;
  /** Bytes, reduced by a fifth every two seconds. */
  readonly recentlySent: number;
}
