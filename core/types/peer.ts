/** What peers say of themselves, and what operators see of a connection. */
import type { Bytes } from '../lib/bytes.ts';
import type { PeerId } from './ids.ts';

/** CometBFT's DefaultNodeInfo. */
export interface NodeInfo {
  readonly protocol: { readonly p2p: number; readonly block: number; readonly app: number };
  /** Lower-case hex of the node key's address. */
  readonly id: PeerId;
  readonly listenAddress: string;
  /** Chain id. */
  readonly network: string;
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
  /** Bytes, halved every few seconds. */
  readonly recentlySent: number;
}
