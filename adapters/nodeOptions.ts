/** The interface between the command line and the running node. */
import type { EvmService } from '../core/app/evmService.ts';
import type { Bytes } from '../core/lib/bytes.ts';
import type { RpcContext } from '../core/rpc/context.ts';
import type { Genesis } from '../core/types/genesis.ts';
import type { Address, Hash, Height, Timestamp } from '../core/types/ids.ts';
import type { NodeConfig } from './config/nodeConfig.ts';
import type { Logger } from './log/logger.ts';
import type { ValidatorKey } from './signer/keyFile.ts';

/** A key the node may sign with on behalf of JSON-RPC clients (eth_sendTransaction). */
export interface UnlockedKey {
  readonly address: Address;
  /** 32 bytes. */
  readonly secret: Bytes;
}

/** One committed block, for the terminal. */
export interface BlockSummary {
  readonly height: Height;
  /** The round that decided the block. */
  readonly round: number;
  /** Consensus block hash. */
  readonly hash: Hash;
  /** Ethereum block hash. */
  readonly ethHash: Hash;
  readonly time: Timestamp;
  readonly txs: number;
  readonly gasUsed: bigint;
}

export interface StartOptions {
  readonly config: NodeConfig;
  readonly genesis: Genesis;
  /** Lower-case hex of the node key's address. */
  readonly nodeId: string;
  /** 32-byte seed of the node key. */
  readonly nodeSeed: Bytes;
  /** undefined: this node is not a validator and never signs. */
  readonly validatorKey: ValidatorKey | undefined;
  readonly unlocked: readonly UnlockedKey[];
  /** Version of Orrery, for status and web3_clientVersion. */
  readonly version: string;
  readonly log: Logger;
  /** Called once a block is durable and readable, in order of height. */
  readonly onBlock: (block: BlockSummary) => void;
  /** Wraps the EVM service of readers, to watch executions. */
  readonly watchedEvm?: (evm: EvmService) => EvmService;
  /** Called once, before anything is committed, with the RPC context of the node. */
  readonly onReadable?: (rpc: RpcContext) => void;
}

/** Listen addresses as URLs with the actual ports; undefined where a server is off. */
export interface Endpoints {
  /** `http://127.0.0.1:26657`; its websocket is at `/websocket`. */
  readonly consensusRpc: string | undefined;
  /** `http://127.0.0.1:8545` */
  readonly jsonRpc: string | undefined;
  /** `ws://127.0.0.1:8546` */
  readonly evmWs: string | undefined;
  /** `http://127.0.0.1:10337` */
  readonly rest: string | undefined;
  /** `127.0.0.1:9090` */
  readonly grpc: string | undefined;
  /** `http://127.0.0.1:26660/metrics` */
  readonly metrics: string | undefined;
  /** `id@0.0.0.0:26656`; undefined if the node has no p2p listener. */
  readonly p2p: string | undefined;
}

export interface RunningNode {
  readonly endpoints: Endpoints;
  /** Refuses new work, finishes running work, closes the files. Resolves when the process may exit. */
  stop(): Promise<void>;
  /** Resolves after `stop`; rejects if the node failed (OperatingError, or an internal error). */
  readonly stopped: Promise<void>;
}
