/** Log search, polling filters and subscriptions. */

import type { Bytes } from '../../../lib/bytes.ts';
import { ok } from '../../../lib/result.ts';
import { fieldOf, isObject } from '../../jsonText.ts';
import { type BlockId, readBlockNumber } from '../blockId.ts';
import { type Decoded, readHash } from '../goHex.ts';
import { searchLogs } from '../logSearch.ts';
import { arrayOf, type EthMethod, method, optional, required } from '../method.ts';
import { FULL_PENDING, LOG_FILTER, text } from '../params.ts';
import { type Kind, type Kinds, subscribing } from './subscribing.ts';

const FILTER_ID = text('filterId', 'rpc.ID');

/** Wallets send an object such as `{}` after the subscription kind; it is ignored. */
const IGNORED = optional(
  required('options', { type: 'object' }, () => ok(undefined)),
  undefined,
);

/**
 * `{fromBlock}` after the parameters of a kind requests history (an extension). It differs from the fromBlock of a log
 * filter, which go-ethereum's client always sends.
 */
const HISTORY = optional(
  required('options', { type: 'object' }, (value): Decoded<BlockId | undefined> => {
    const from = isObject(value) ? fieldOf(value, 'fromBlock') : null;
    return from === null ? ok(undefined) : readBlockNumber(from);
  }),
  undefined,
);

const HASHES_MAX = 200;
const RECEIPTS = optional(
  required('filter', { type: 'object' }, (value): Decoded<readonly Bytes[]> => {
    const hashes = isObject(value) ? fieldOf(value, 'transactionHashes') : null;
    return hashes === null ? ok([]) : arrayOf((item) => readHash(item), HASHES_MAX, '[]common.Hash')(hashes);
  }),
  [],
);

const KINDS: Kinds = new Map<string, Kind>([
  ['newHeads', { params: [HISTORY], request: ([from]) => ({ kind: 'newHeads', fromBlock: from as never }) }],
  [
    'logs',
    {
      params: [LOG_FILTER, HISTORY],
      request: ([filter, from]) => ({ kind: 'logs', filter: filter as never, fromBlock: from as never }),
    },
  ],
  [
    'transactionReceipts',
    {
      params: [RECEIPTS, HISTORY],
      request: ([hashes, from]) => ({
        kind: 'transactionReceipts',
        hashes: hashes as never,
        fromBlock: from as never,
      }),
    },
  ],
  [
    'newPendingTransactions',
    {
      params: [FULL_PENDING],
      request: ([full]) => ({ kind: 'newPendingTransactions', full: full === true }),
    },
  ],
  ['syncing', { params: [IGNORED], request: () => ({ kind: 'syncing' }) }],
]);

export const filterMethods: readonly EthMethod[] = [
  method({
    method: 'eth_getLogs',
    params: [LOG_FILTER],
    result: 'log[]',
    doc: 'Logs by address, topics and range, ordered by block and log index.',
    run: ({ ctx }, filter) => searchLogs(ctx, filter),
  }),
  method({
    method: 'eth_newFilter',
    params: [LOG_FILTER],
    result: 'filter id',
    doc: 'A filter for new logs.',
    run: ({ services }, filter) => services.filters.installLogs(filter),
  }),
  method({
    method: 'eth_newBlockFilter',
    params: [],
    result: 'filter id',
    doc: 'A filter for the hashes of new blocks: each once, none missed.',
    run: ({ services }) => services.filters.installBlocks(),
  }),
  method({
    method: 'eth_newPendingTransactionFilter',
    params: [FULL_PENDING],
    result: 'filter id',
    doc: 'A filter for transactions as they enter the pool.',
    run: ({ services }, full) => services.filters.installPending(full),
  }),
  method({
    method: 'eth_getFilterChanges',
    params: [FILTER_ID],
    result: 'array',
    doc: 'Everything since the last poll. Unknown or expired: -32000 `filter not found`.',
    run: ({ services }, id) => services.filters.changes(id),
  }),
  method({
    method: 'eth_getFilterLogs',
    params: [FILTER_ID],
    result: 'log[]',
    doc: 'The whole search of a log filter.',
    run: ({ services }, id) => services.filters.logs(id),
  }),
  method({
    method: 'eth_uninstallFilter',
    params: [FILTER_ID],
    result: 'boolean',
    doc: 'True once, then false.',
    run: ({ services }, id) => services.filters.uninstall(id),
  }),
  ...subscribing(
    'eth',
    KINDS,
    'newHeads, logs, transactionReceipts, newPendingTransactions or syncing; websocket only.',
  ),
];
