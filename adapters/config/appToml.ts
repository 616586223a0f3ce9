import { DEFAULT_EVM_TIMEOUT_MS } from '../../core/app/guard.ts';
import { DEFAULT_MEMPOOL as MEMPOOL } from '../../core/mempool/config.ts';
import { DEFAULT_RPC_LIMITS as LIMITS } from '../../core/node/nodeConfig.ts';
import { boolean, count, decimal18, duration, list, text } from './field.ts';
import { listenAt } from './listen.ts';

const NAMESPACES = ['eth', 'web3', 'net', 'txpool', 'debug', 'personal'];

const checkNamespaces = (value: string): string | undefined =>
  value.split(',').every((name) => NAMESPACES.includes(name.trim()) || value.trim() === '')
    ? undefined
    : `expected namespaces out of ${NAMESPACES.join(',')}`;

/**
 * app.toml: the node as a server for wallets and tools. Keys have the names of Cosmos EVM chains where the meaning is
 * the same.
 */
export const APP_TOML = {
  api: {
    enable: boolean('Serve REST.', true),
    address: listenAt('Where REST listens.', 'tcp://127.0.0.1:10337'),
    'enabled-unsafe-cors': boolean('Let browsers of any origin call.', false),
    'max-open-connections': count('Open connections.', 1000, 1),
    'rpc-max-body-bytes': count('Largest request body, bytes.', 1_000_000, 1),
  },
  grpc: {
    enable: boolean('Serve gRPC, with reflection.', true),
    address: listenAt('Where gRPC listens.', '127.0.0.1:9090'),
    'max-recv-msg-size': count('Largest request, bytes.', 10_485_760, 1),
  },
  'grpc-web': {
    enable: boolean('Serve gRPC to browsers (gRPC-Web), on the port of REST.', true),
  },
  explorer: {
    enable: boolean('Serve a page to look at the chain with, at /explorer/ of the consensus RPC.', false),
  },
  'json-rpc': {
    enable: boolean('Serve Ethereum JSON-RPC over HTTP and websocket.', true),
    address: listenAt('Where HTTP listens.', '127.0.0.1:8545'),
    'ws-address': listenAt('Where the websocket listens. Empty: off.', '127.0.0.1:8546'),
    'ws-origins': list('Hosts that browsers may open a websocket from; "*" allows all.', [
      '127.0.0.1',
      'localhost',
    ]),
    api: text('Namespaces, separated by commas.', LIMITS.namespaces.join(','), checkNamespaces),
    'gas-cap': count('Most gas of eth_call and eth_estimateGas.', Number(LIMITS.gasCap), 21_000),
    'evm-timeout': duration(
      'Longest that one eth_call, eth_estimateGas, simulation or trace may run; 0s is no limit.',
      DEFAULT_EVM_TIMEOUT_MS,
    ),
    'txfee-cap': decimal18(
      'Most that a sent transaction may cost in fees, coins; 0 is no cap.',
      LIMITS.txFeeCapWei,
    ),
    'filter-cap': count('Installed filters.', LIMITS.filtersMax),
    'filter-timeout': duration('A filter not polled for this long is removed.', LIMITS.filterTimeoutMs),
    'feehistory-cap': count('Blocks in one eth_feeHistory answer.', LIMITS.feeHistoryMax, 1),
    'logs-cap': count('Logs in one eth_getLogs answer.', LIMITS.logsMax, 1),
    'block-range-cap': count(
      'Blocks that one eth_getLogs may read; those that cannot match do not count where there is an index.',
      LIMITS.blockRangeMax,
      1,
    ),
    'http-body-limit': count('Largest request body, bytes.', LIMITS.bodyBytesMax, 1),
    'allow-unprotected-txs': boolean(
      'Accept transactions without a chain id (replayable elsewhere).',
      LIMITS.allowUnprotectedTxs,
    ),
    'max-open-connections': count('Open connections.', 1000, 1),
    'batch-request-limit': count('Calls in one batch.', LIMITS.batchMax, 1),
    'batch-response-max-size': count('Largest answer to a batch, bytes.', LIMITS.batchResponseBytesMax, 1),
  },
  'evm.mempool': {
    'account-slots': count(
      'A full pool first evicts from senders with more transactions than this.',
      MEMPOOL.laneSlots,
    ),
    'account-queue': count(
      'Transactions of one sender that wait for an earlier nonce.',
      MEMPOOL.laneQueuedMax,
    ),
    'global-queue': count('Transactions of all senders that wait for an earlier nonce.', MEMPOOL.queuedMax),
    lifetime: duration('How long they wait while nothing of their sender moves.', MEMPOOL.queuedLifetimeMs),
    'price-bump': count('Percent that a replacement must pay more.', MEMPOOL.priceBumpPercent),
    journal: boolean('Keep transactions that were sent through this node across restarts.', true),
  },
} as const;
