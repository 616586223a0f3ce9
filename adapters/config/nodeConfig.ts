import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NodeCoreConfig } from '../../core/node/nodeConfig.ts';
import { isThere, onFile } from '../disk/files.ts';
import { type ListenAddress, parseListenAddress } from '../http/listenAddress.ts';
import type { LogFormat, LogLevel } from '../log/logger.ts';
import { OperatingError } from '../operatingError.ts';
import { APP_TOML } from './appToml.ts';
import { CONFIG_TOML } from './configToml.ts';
import { appTomlPath, configTomlPath } from './home.ts';
import { type P2pConfig, p2pOf } from './p2pConfig.ts';
import { readTable, refuseUnknownEnv, type Sources, type Values } from './table.ts';

/** Absolute paths. */
export interface NodeFiles {
  readonly home: string;
  readonly genesis: string;
  readonly validatorKey: string;
  readonly validatorState: string;
  readonly nodeKey: string;
  /** Folder of the database and the WAL. */
  readonly data: string;
}

/** Settings that all HTTP servers of the node have. */
export interface ServerConfig {
  /** undefined: the server is off. */
  readonly listen: ListenAddress | undefined;
  /** Allowed browser origins; `*` allows all. */
  readonly corsOrigins: readonly string[];
  readonly connectionsMax: number;
  readonly bodyBytesMax: number;
}

/** No setting exists for this: other nodes have none either. */
const GRPC_CONNECTIONS_MAX = 1000;

export interface GrpcConfig {
  /** undefined: the server is off. */
  readonly listen: ListenAddress | undefined;
  readonly messageBytesMax: number;
  readonly connectionsMax: number;
}

export interface GrpcWebConfig {
  /** Serves gRPC-Web on REST's address. */
  readonly isOn: boolean;
}

export interface ConsensusRpcConfig extends ServerConfig {
  readonly batchMax: number;
  readonly subscriptionClientsMax: number;
  readonly subscriptionsPerClientMax: number;
  readonly broadcastCommitTimeoutMs: number;
}

/** Where events are indexed for searches. */
export interface IndexConfig {
  readonly indexer: 'kv' | 'psql' | 'null';
  /** PostgreSQL connection string. */
  readonly psqlConnection: string;
}

export interface MetricsConfig {
  /** undefined: the server is off. */
  readonly listen: ListenAddress | undefined;
  readonly connectionsMax: number;
  /** Prefix of all metric names. */
  readonly namespace: string;
}

/** The settings of a node: flags over environment over files over defaults. */
export interface NodeConfig {
  readonly moniker: string;
  readonly logLevel: LogLevel | 'none';
  readonly logFormat: LogFormat;
  readonly files: NodeFiles;
  readonly consensusRpc: ConsensusRpcConfig;
  readonly p2p: P2pConfig;
  readonly jsonRpc: ServerConfig;
  /** `corsOrigins` limits which hosts may open the websocket. */
  readonly evmWs: ServerConfig;
  readonly rest: ServerConfig;
  readonly grpc: GrpcConfig;
  readonly grpcWeb: GrpcWebConfig;
  readonly metrics: MetricsConfig;
  readonly index: IndexConfig;
  /** Serves the explorer page on the consensus RPC's address. */
  readonly explorer: boolean;
  /** Keeps transactions that were sent through this node across restarts. */
  readonly journal: boolean;
  readonly core: NodeCoreConfig;
}

export type ConfigValues = Values<typeof CONFIG_TOML>;
export type AppValues = Values<typeof APP_TOML>;

/** Reads config.toml and app.toml of `home`. Throws OperatingError. */
export function loadNodeConfig(home: string, flags: Sources['flags'], env: Sources['env']): NodeConfig {
  refuseUnknownEnv([CONFIG_TOML, APP_TOML], env);
  const config = readTable(CONFIG_TOML, { flags, env, file: readSettings(configTomlPath(home)) });
  const app = readTable(APP_TOML, { flags, env, file: readSettings(appTomlPath(home)) });
  return nodeConfigOf(home, config, app);
}

/** undefined when there is no such file. */
export function readSettings(file: string): Sources['file'] {
  if (!isThere(file)) return undefined;
  return { name: file, text: onFile('read', file, () => readFileSync(file, 'utf8')) };
}

export function nodeConfigOf(home: string, config: ConfigValues, app: AppValues): NodeConfig {
  const top = config[''];
  const inHome = (file: string): string => path.resolve(home, file);
  const node: NodeConfig = {
    moniker: top.moniker,
    logLevel: top.log_level,
    logFormat: top.log_format,
    files: {
      home,
      genesis: inHome(top.genesis_file),
      validatorKey: inHome(top.priv_validator_key_file),
      validatorState: inHome(top.priv_validator_state_file),
      nodeKey: inHome(top.node_key_file),
      data: inHome(top.db_dir),
    },
    consensusRpc: {
      listen: listenOf(config.rpc.laddr),
      corsOrigins: config.rpc.cors_allowed_origins,
      connectionsMax: config.rpc.max_open_connections,
      bodyBytesMax: config.rpc.max_body_bytes,
      batchMax: config.rpc.max_request_batch_size,
      subscriptionClientsMax: config.rpc.max_subscription_clients,
      subscriptionsPerClientMax: config.rpc.max_subscriptions_per_client,
      broadcastCommitTimeoutMs: config.rpc.timeout_broadcast_tx_commit,
    },
    p2p: p2pOf(home, config),
    ...serversOf(app),
    metrics: {
      listen: config.instrumentation.prometheus
        ? listenOf(config.instrumentation.prometheus_listen_addr)
        : undefined,
      connectionsMax: config.instrumentation.max_open_connections,
      namespace: config.instrumentation.namespace,
    },
    index: { indexer: config.tx_index.indexer, psqlConnection: config.tx_index['psql-conn'] },
    explorer: app.explorer.enable,
    journal: app['evm.mempool'].journal,
    core: coreOf(config, app),
  };
  refuseSharedPorts(node);
  if (node.index.indexer === 'psql' && node.index.psqlConnection === '')
    throw new OperatingError('tx_index.indexer is "psql", so tx_index.psql-conn must name a database');
  return node;
}

function serversOf(app: AppValues): Pick<NodeConfig, 'jsonRpc' | 'evmWs' | 'rest' | 'grpc' | 'grpcWeb'> {
  const evm = app['json-rpc'];
  const limits = { connectionsMax: evm['max-open-connections'], bodyBytesMax: evm['http-body-limit'] };
  return {
    jsonRpc: { listen: evm.enable ? listenOf(evm.address) : undefined, corsOrigins: ['*'], ...limits },
    evmWs: {
      listen: evm.enable ? listenOf(evm['ws-address']) : undefined,
      corsOrigins: evm['ws-origins'],
      ...limits,
    },
    rest: {
      listen: app.api.enable ? listenOf(app.api.address) : undefined,
      corsOrigins: app.api['enabled-unsafe-cors'] ? ['*'] : [],
      connectionsMax: app.api['max-open-connections'],
      bodyBytesMax: app.api['rpc-max-body-bytes'],
    },
    grpc: {
      listen: app.grpc.enable ? listenOf(app.grpc.address) : undefined,
      messageBytesMax: app.grpc['max-recv-msg-size'],
      connectionsMax: GRPC_CONNECTIONS_MAX,
    },
    grpcWeb: { isOn: app['grpc-web'].enable },
  };
}

function coreOf(config: ConfigValues, app: AppValues): NodeCoreConfig {
  const { consensus, mempool } = config;
  const evm = app['json-rpc'];
  return {
    consensus: {
      timeoutProposeMs: consensus.timeout_propose,
      timeoutProposeDeltaMs: consensus.timeout_propose_delta,
      timeoutPrevoteMs: consensus.timeout_prevote,
      timeoutPrevoteDeltaMs: consensus.timeout_prevote_delta,
      timeoutPrecommitMs: consensus.timeout_precommit,
      timeoutPrecommitDeltaMs: consensus.timeout_precommit_delta,
      timeoutCommitMs: consensus.timeout_commit,
      skipTimeoutCommit: consensus.skip_timeout_commit,
      createEmptyBlocks: consensus.create_empty_blocks,
      createEmptyBlocksIntervalMs: consensus.create_empty_blocks_interval,
    },
    mempool: {
      txsMax: mempool.size,
      bytesMax: mempool.max_txs_bytes,
      txBytesMax: mempool.max_tx_bytes,
      cacheMax: mempool.cache_size,
      laneQueuedMax: app['evm.mempool']['account-queue'],
      queuedMax: app['evm.mempool']['global-queue'],
      laneSlots: app['evm.mempool']['account-slots'],
      queuedLifetimeMs: app['evm.mempool'].lifetime,
      priceBumpPercent: app['evm.mempool']['price-bump'],
      maxWaitMs: mempool.max_wait,
    },
    rpc: {
      gasCap: BigInt(evm['gas-cap']),
      evmTimeoutMs: evm['evm-timeout'],
      txFeeCapWei: evm['txfee-cap'],
      logsMax: evm['logs-cap'],
      blockRangeMax: evm['block-range-cap'],
      feeHistoryMax: evm['feehistory-cap'],
      batchMax: evm['batch-request-limit'],
      batchResponseBytesMax: evm['batch-response-max-size'],
      bodyBytesMax: evm['http-body-limit'],
      filtersMax: evm['filter-cap'],
      filterTimeoutMs: evm['filter-timeout'],
      allowUnprotectedTxs: evm['allow-unprotected-txs'],
      namespaces: evm.api
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      comet: {
        batchMax: config.rpc.max_request_batch_size,
        subscriptionClientsMax: config.rpc.max_subscription_clients,
        subscriptionsPerClientMax: config.rpc.max_subscriptions_per_client,
        broadcastCommitTimeoutMs: config.rpc.timeout_broadcast_tx_commit,
        unsafe: config.rpc.unsafe,
      },
    },
  };
}

function listenOf(address: string): ListenAddress | undefined {
  const parsed = parseListenAddress(address);
  return parsed.ok ? parsed.value : undefined;
}

/** Refuses two servers on one port here, because a failed listen later would be less clear. */
function refuseSharedPorts(node: NodeConfig): void {
  const servers = [
    ['rpc.laddr', node.consensusRpc.listen],
    ['p2p.laddr', node.p2p.listen],
    ['json-rpc.address', node.jsonRpc.listen],
    ['json-rpc.ws-address', node.evmWs.listen],
    ['api.address', node.rest.listen],
    ['grpc.address', node.grpc.listen],
    ['instrumentation.prometheus_listen_addr', node.metrics.listen],
  ] as const;
  const taken = new Map<number, string>();
  for (const [name, listen] of servers) {
    if (listen === undefined || listen.port === 0) continue;
    const other = taken.get(listen.port);
    if (other !== undefined) throw new OperatingError(`${other} and ${name} both want port ${listen.port}`);
    taken.set(listen.port, name);
  }
}
