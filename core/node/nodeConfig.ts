import { DEFAULT_EVM_TIMEOUT_MS } from '../app/guard.ts';
import { type ConsensusConfig, DEFAULT_CONSENSUS_CONFIG } from '../consensus/contract.ts';
import { DEFAULT_MEMPOOL, type MempoolConfig } from '../mempool/config.ts';
import { DEFAULT_COMET_LIMITS } from '../rpc/comet/limits.ts';
import type { RpcLimits } from '../rpc/context.ts';

/** All settings of the core. Adapters fill it from flags, environment and files. */
export interface NodeCoreConfig {
  readonly consensus: ConsensusConfig;
  readonly mempool: MempoolConfig;
  readonly rpc: RpcLimits;
  /**
   * Whether the node syncs blocks from peers before it takes part in consensus; default no. Set it only where peers are
   * expected, since the node then waits for the first of them.
   */
  readonly blocksync?: boolean;
}

const WEI_PER_ETHER = 10n ** 18n;

/** Caps of geth and of its Cosmos relatives where both have one. */
export const DEFAULT_RPC_LIMITS: RpcLimits = {
  gasCap: 50_000_000n,
  evmTimeoutMs: DEFAULT_EVM_TIMEOUT_MS,
  txFeeCapWei: WEI_PER_ETHER,
  logsMax: 10_000,
  blockRangeMax: 10_000,
  feeHistoryMax: 1024,
  batchMax: 1000,
  batchResponseBytesMax: 25_000_000,
  bodyBytesMax: 5_242_880,
  filtersMax: 10_000,
  filterTimeoutMs: 300_000,
  allowUnprotectedTxs: false,
  namespaces: ['eth', 'web3', 'net', 'txpool', 'debug', 'personal'],
  comet: DEFAULT_COMET_LIMITS,
};

export const DEFAULT_NODE_CONFIG: NodeCoreConfig = {
  consensus: DEFAULT_CONSENSUS_CONFIG,
  mempool: DEFAULT_MEMPOOL,
  rpc: DEFAULT_RPC_LIMITS,
};
