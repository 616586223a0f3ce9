/** cosmos.tx.v1beta1.Service: submits, simulates, finds and decodes transactions. */

import { BLOCK } from '../../../codec/block.ts';
import {
  bytes,
  int64,
  optional,
  repeated,
  repeatedString,
  string,
  uint32,
  uint64Big,
} from '../../../codec/fields.ts';
import { BLOCK_ID } from '../../../codec/header.ts';
import { encode, table } from '../../../codec/proto.ts';
import { compileQuery } from '../../../events/query/query.ts';
import { toBase64 } from '../../../lib/base64.ts';
import { type Bytes, parseHex, toUpperHex } from '../../../lib/bytes.ts';
import type { Block, BlockId } from '../../../types/block.ts';
import type { TxResult } from '../../../types/result.ts';
import { PageRoom } from '../../answerRoom.ts';
import { mapPaused } from '../../mapPaused.ts';
import { refuseBelowBase } from '../belowBase.ts';
import { blockBody, blockIdJson } from '../blockJson.ts';
import {
  listPage,
  PAGE_REQUEST,
  PAGE_RESPONSE,
  type PageRequest,
  type PageResponse,
  refusePageBeyond,
} from '../paging.ts';
import { protoJson } from '../protoJson.ts';
import { refusalText } from '../refusal.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';
import { EMPTY_RESPONSE, openTx, responseAt } from '../txResponse.ts';
import { EVENT, FULL_TX, type FullTx, TEXT_MAX, TX_RESPONSE, type TxResponse } from '../txTables.ts';
import { txCodingMethods } from './txCoding.ts';

const SERVICE = 'cosmos.tx.v1beta1.Service';
const ROOT = '/cosmos/tx/v1beta1';
const PACKAGE = 'cosmos.tx.v1beta1';
const TX_MAX = TEXT_MAX;
const ORDER_DESC = 2;
const MODE = { sync: 2, async: 3 } as const;
const LIST_MAX = 10_000;

async function broadcast({ ctx }: QueryScope, tx: Bytes): Promise<TxResponse> {
  const { hash, ...answer } = await ctx.submit(tx);
  const txhash = toUpperHex(hash);
  if (answer.kind === 'refused') {
    const { code, log } = refusalText(answer.refusal);
    return { ...EMPTY_RESPONSE, txhash, code, codespace: 'sdk', rawLog: log };
  }
  const { result } = answer;
  if (result.kind === 'accepted') return { ...EMPTY_RESPONSE, txhash };
  return { ...EMPTY_RESPONSE, txhash, code: result.code, codespace: result.codespace, rawLog: result.log };
}

interface SimulateResponse {
  readonly gasInfo: { readonly gasWanted: bigint; readonly gasUsed: bigint } | undefined;
  readonly result: Pick<TxResult, 'data' | 'log' | 'events'> | undefined;
}
const GAS_INFO = table<{ readonly gasWanted: bigint; readonly gasUsed: bigint }>(
  'cosmos.base.abci.v1beta1.GasInfo',
  [uint64Big(1, 'gasWanted'), uint64Big(2, 'gasUsed')],
);
const RESULT = table<Pick<TxResult, 'data' | 'log' | 'events'>>('cosmos.base.abci.v1beta1.Result', [
  bytes(1, 'data', TX_MAX),
  string(2, 'log', TEXT_MAX),
  repeated(3, 'events', EVENT, LIST_MAX),
]);

function simulate({ ctx }: QueryScope, tx: FullTx | undefined, txBytes: Bytes): SimulateResponse {
  const raw = txBytes.length > 0 || tx === undefined ? txBytes : encode(FULL_TX, tx);
  if (raw.length === 0) throw new GrpcError(GRPC.invalidArgument, 'empty txBytes is not allowed');
  if (ctx.simulate === undefined) throw new GrpcError(GRPC.unimplemented, 'this node does not simulate');
  const answer = ctx.simulate(raw);
  if (answer.code !== 0)
    throw new GrpcError(GRPC.unknown, `${answer.log} [codespace ${answer.codespace}, code ${answer.code}]`);
  return { gasInfo: { gasWanted: answer.gasWanted, gasUsed: answer.gasUsed }, result: answer };
}

const TX_BYTES_REQUEST = [bytes(1, 'txBytes', TX_MAX)] as const;

const sendingMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Simulate',
    verb: 'POST',
    path: `${ROOT}/simulate`,
    doc: 'What a transaction would use; its signature does not count.',
    request: table<{ readonly tx: FullTx | undefined; readonly txBytes: Bytes }>(
      `${PACKAGE}.SimulateRequest`,
      [optional(1, 'tx', FULL_TX), bytes(2, 'txBytes', TX_MAX)],
    ),
    response: table<SimulateResponse>(`${PACKAGE}.SimulateResponse`, [
      optional(1, 'gasInfo', GAS_INFO),
      optional(2, 'result', RESULT),
    ]),
    run: (scope, { tx, txBytes }) => simulate(scope, tx, txBytes),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'BroadcastTx',
    verb: 'POST',
    path: `${ROOT}/txs`,
    doc: 'Submits a transaction. SYNC answers with the verdict of CheckTx, ASYNC with the hash alone.',
    request: table<{ readonly txBytes: Bytes; readonly mode: number }>(`${PACKAGE}.BroadcastTxRequest`, [
      ...TX_BYTES_REQUEST,
      uint32(2, 'mode'),
    ]),
    response: table<{ readonly txResponse: TxResponse | undefined }>(`${PACKAGE}.BroadcastTxResponse`, [
      optional(1, 'txResponse', TX_RESPONSE),
    ]),
    run: async (scope, { txBytes, mode }) => {
      if (txBytes.length === 0) throw new GrpcError(GRPC.invalidArgument, 'invalid empty tx');
      if (mode !== MODE.sync && mode !== MODE.async) {
        const text = 'unsupported return type unspecified; supported types: sync, async';
        throw new GrpcError(GRPC.unknown, text);
      }
      const answer = await broadcast(scope, txBytes);
      return { txResponse: mode === MODE.async ? { ...EMPTY_RESPONSE, txhash: answer.txhash } : answer };
    },
  }),
];

interface TxsAnswer {
  readonly txs: readonly FullTx[];
  readonly txResponses: readonly TxResponse[];
  readonly pagination: PageResponse | undefined;
  readonly total: bigint;
}

interface TxsRequest {
  readonly events: readonly string[];
  readonly pagination: PageRequest | undefined;
  readonly orderBy: number;
  readonly page: bigint;
  readonly limit: bigint;
  readonly query: string;
}

async function search(scope: QueryScope, request: TxsRequest): Promise<TxsAnswer> {
  const text = request.query !== '' ? request.query : request.events.join(' AND ');
  if (text === '') throw new GrpcError(GRPC.invalidArgument, 'query cannot be empty');
  const { indexing } = scope.ctx;
  if (indexing?.kind !== 'kv') throw new GrpcError(GRPC.unavailable, 'transaction indexing is disabled');
  const query = compileQuery(text);
  if (!query.ok) throw new GrpcError(GRPC.invalidArgument, query.error);
  const found = await indexing.search.txs(query.value);
  if (!found.ok) throw new GrpcError(GRPC.resourceExhausted, found.error.message);
  // Blocks may have been pruned since the search began.
  const kept = found.value.filter(({ height }) => height >= scope.ctx.chain.base());
  const places = request.orderBy === ORDER_DESC ? kept.reverse() : kept;
  const limit = request.limit === 0n ? 100n : request.limit > 100n ? 100n : request.limit;
  const page = request.page === 0n ? 1n : request.page;
  refusePageBeyond(GRPC.internal, page, places.length, limit);
  const from = Number((page - 1n) * limit);
  const room = new PageRoom(scope.ctx.limits, (text) => new GrpcError(GRPC.resourceExhausted, text));
  const wanted = places.slice(from, from + Number(limit));
  const rows = await mapPaused(scope.ctx, wanted, (place) => responseAt(scope, place, room));
  return {
    txs: rows.flatMap(({ tx }) => (tx === undefined ? [] : [tx])),
    txResponses: rows.map(({ response }) => response),
    pagination: undefined,
    total: BigInt(places.length),
  };
}

/** The error of Go's encoding/hex for a text that is not hex. */
function goHexError(text: string): string {
  const wrong = /[^0-9a-fA-F]/u.exec(text)?.[0];
  if (wrong === undefined) return 'encoding/hex: odd length hex string';
  const code = (wrong.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return `encoding/hex: invalid byte: U+${code} '${wrong}'`;
}

const findingMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'GetTxsEvent',
    path: `${ROOT}/txs`,
    doc: 'Transactions with events that meet a query.',
    request: table<TxsRequest>(`${PACKAGE}.GetTxsEventRequest`, [
      repeatedString(1, 'events', 1024, 64),
      optional(2, 'pagination', PAGE_REQUEST),
      uint32(3, 'orderBy'),
      uint64Big(4, 'page'),
      uint64Big(5, 'limit'),
      string(6, 'query', 1024),
    ]),
    response: table<TxsAnswer>(`${PACKAGE}.GetTxsEventResponse`, [
      repeated(1, 'txs', FULL_TX, LIST_MAX),
      repeated(2, 'txResponses', TX_RESPONSE, LIST_MAX),
      optional(3, 'pagination', PAGE_RESPONSE),
      uint64Big(4, 'total'),
    ]),
    run: search,
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetBlockWithTxs',
    path: `${ROOT}/txs/block/{height}`,
    doc: 'A block with its transactions opened.',
    request: table<{ readonly height: number; readonly pagination: PageRequest | undefined }>(
      `${PACKAGE}.GetBlockWithTxsRequest`,
      [int64(1, 'height'), optional(2, 'pagination', PAGE_REQUEST)],
    ),
    response: table<{
      readonly txs: readonly FullTx[];
      readonly blockId: BlockId | undefined;
      readonly block: Block | undefined;
      readonly pagination: PageResponse | undefined;
    }>(`${PACKAGE}.GetBlockWithTxsResponse`, [
      repeated(1, 'txs', FULL_TX, LIST_MAX),
      optional(2, 'blockId', BLOCK_ID),
      optional(3, 'block', BLOCK),
      optional(4, 'pagination', PAGE_RESPONSE),
    ]),
    run: ({ ctx }, { height, pagination }) => {
      const head = ctx.chain.head();
      if (height < 1 || height > head) {
        const text = `requested height ${height} but height must not be less than 1 or greater than the current height ${head}: invalid height`;
        throw new GrpcError(GRPC.unknown, text);
      }
      refuseBelowBase(ctx.chain, height);
      const block = ctx.chain.block(height);
      const meta = ctx.chain.blockMeta(height);
      if (block === undefined || meta === undefined) {
        throw new GrpcError(GRPC.invalidArgument, `requested block height ${height} is not available`);
      }
      const total = BigInt(block.txs.length);
      const { offset = 0n, limit = 0n } = pagination ?? {};
      if (total > 0n && offset >= total) {
        const text = `out of range: cannot paginate ${total} txs with offset ${offset} and limit ${limit}: invalid request`;
        throw new GrpcError(GRPC.unknown, text);
      }
      const { items, page } = listPage(pagination, block.txs);
      const txs = items.flatMap((raw) => openTx(raw) ?? []);
      // The SDK always returns the total here.
      return { txs, blockId: meta.blockId, block, pagination: { ...page, total } };
    },
    renderRest: ({ txs, blockId, block, pagination }) => ({
      txs: txs.map((tx) => protoJson(FULL_TX as never, tx)),
      block_id: blockId === undefined ? null : blockIdJson(blockId),
      block: block === undefined ? null : blockBody(block, toBase64(block.header.proposerAddress)),
      pagination: pagination === undefined ? null : protoJson(PAGE_RESPONSE as never, pagination),
    }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetTx',
    path: `${ROOT}/txs/{hash}`,
    doc: 'A transaction by the hash of its bytes.',
    request: table<{ readonly hash: string }>(`${PACKAGE}.GetTxRequest`, [string(1, 'hash', 128)]),
    response: table<{ readonly tx: FullTx | undefined; readonly txResponse: TxResponse | undefined }>(
      `${PACKAGE}.GetTxResponse`,
      [optional(1, 'tx', FULL_TX), optional(2, 'txResponse', TX_RESPONSE)],
    ),
    run: (scope, { hash }) => {
      if (hash === '') throw new GrpcError(GRPC.invalidArgument, 'tx hash cannot be empty');
      const parsed = parseHex(hash);
      if (!parsed.ok) throw new GrpcError(GRPC.unknown, goHexError(hash));
      const location = parsed.value.length === 32 ? scope.ctx.chain.txLocation(parsed.value) : undefined;
      if (location === undefined) throw new GrpcError(GRPC.notFound, `tx not found: ${hash}`);
      const { tx, response } = responseAt(scope, location);
      return { tx, txResponse: response };
    },
  }),
];

export const txMethods: readonly ServiceMethod[] = [...sendingMethods, ...findingMethods, ...txCodingMethods];
