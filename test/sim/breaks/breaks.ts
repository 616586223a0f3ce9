import type { Break } from './broken.ts';
import { APP_APPLICATION } from './core/app/application.ts';
import { APP_COSMOS_CHECKING } from './core/app/cosmos/checking.ts';
import { APP_COSMOS_DECODING } from './core/app/cosmos/decoding.ts';
import { APP_COSMOS_EXECUTION } from './core/app/cosmos/execution.ts';
import { APP_EVM_ADMISSION } from './core/app/evm/admission.ts';
import { APP_EVM_BLOCKS } from './core/app/evm/blocks.ts';
import { APP_EVM_CALLS } from './core/app/evm/calls.ts';
import { APP_EVM_EXECUTION } from './core/app/evm/execution.ts';
import { APP_EVM_SIMULATION } from './core/app/evm/simulation.ts';
import { APP_FEEMARKET } from './core/app/feemarket.ts';
import { APP_TX } from './core/app/tx.ts';
import { CODEC } from './core/codec.ts';
import { CONSENSUS_DECIDING } from './core/consensus/deciding.ts';
import { CONSENSUS_INTAKE } from './core/consensus/intake.ts';
import { CONSENSUS_MACHINE } from './core/consensus/machine.ts';
import { CONSENSUS_PROPOSING } from './core/consensus/proposing.ts';
import { CONSENSUS_ROUNDS } from './core/consensus/rounds.ts';
import { CONSENSUS_RULES } from './core/consensus/rules.ts';
import { CONSENSUS_VOTES } from './core/consensus/votes.ts';
import { EVENTS_INDEX } from './core/events/index.ts';
import { EVENTS_QUERIES } from './core/events/queries.ts';
import { EVENTS_SUBSCRIPTIONS } from './core/events/subscriptions.ts';
import { EVIDENCE_POOL } from './core/evidence/pool.ts';
import { EVIDENCE_VERIFYING } from './core/evidence/verifying.ts';
import { GOSSIP } from './core/gossip.ts';
import { MEMPOOL_LANES } from './core/mempool/lanes.ts';
import { MEMPOOL_POOL } from './core/mempool/pool.ts';
import { NODE_MACHINE } from './core/node/machine.ts';
import { NODE_SIGNING } from './core/node/signing.ts';
import { P2P_CONNECTIONS } from './core/p2p/connections.ts';
import { P2P_PEERS } from './core/p2p/peers.ts';
import { RPC_COMET_METHODS } from './core/rpc/comet/methods.ts';
import { RPC_COMET_SESSIONS } from './core/rpc/comet/sessions.ts';
import { RPC_COMMON } from './core/rpc/common.ts';
import { RPC_COSMOS_REQUESTS } from './core/rpc/cosmos/requests.ts';
import { RPC_COSMOS_SERVICES } from './core/rpc/cosmos/services.ts';
import { RPC_ETH_CALLS } from './core/rpc/eth/calls.ts';
import { RPC_ETH_FEES } from './core/rpc/eth/fees.ts';
import { RPC_ETH_FILTERS } from './core/rpc/eth/filters.ts';
import { RPC_ETH_METHODS } from './core/rpc/eth/methods.ts';
import { RPC_ETH_REQUESTS } from './core/rpc/eth/requests.ts';
import { RPC_ETH_TRACERS } from './core/rpc/eth/tracers.ts';
import { STATE } from './core/state.ts';
import { STORE } from './core/store.ts';
import { SYNC } from './core/sync.ts';
import { TYPES } from './core/types.ts';

/**
 * Breaks of the core, a line each: the scenario and seed that show it, and the checkers of which one must notice first.
 * They lie where the core's files lie; a large room's are in several files.
 */
export const BREAKS: readonly Break[] = [
  ...APP_APPLICATION,
  ...APP_COSMOS_CHECKING,
  ...APP_COSMOS_DECODING,
  ...APP_COSMOS_EXECUTION,
  ...APP_EVM_ADMISSION,
  ...APP_EVM_BLOCKS,
  ...APP_EVM_CALLS,
  ...APP_EVM_EXECUTION,
  ...APP_EVM_SIMULATION,
  ...APP_FEEMARKET,
  ...APP_TX,
  ...CODEC,
  ...CONSENSUS_DECIDING,
  ...CONSENSUS_INTAKE,
  ...CONSENSUS_MACHINE,
  ...CONSENSUS_PROPOSING,
  ...CONSENSUS_ROUNDS,
  ...CONSENSUS_RULES,
  ...CONSENSUS_VOTES,
  ...EVENTS_INDEX,
  ...EVENTS_QUERIES,
  ...EVENTS_SUBSCRIPTIONS,
  ...EVIDENCE_POOL,
  ...EVIDENCE_VERIFYING,
  ...GOSSIP,
  ...MEMPOOL_LANES,
  ...MEMPOOL_POOL,
  ...NODE_MACHINE,
  ...NODE_SIGNING,
  ...P2P_CONNECTIONS,
  ...P2P_PEERS,
  ...RPC_COMET_METHODS,
  ...RPC_COMET_SESSIONS,
  ...RPC_COMMON,
  ...RPC_COSMOS_REQUESTS,
  ...RPC_COSMOS_SERVICES,
  ...RPC_ETH_CALLS,
  ...RPC_ETH_FEES,
  ...RPC_ETH_FILTERS,
  ...RPC_ETH_METHODS,
  ...RPC_ETH_REQUESTS,
  ...RPC_ETH_TRACERS,
  ...STATE,
  ...STORE,
  ...SYNC,
  ...TYPES,
];
