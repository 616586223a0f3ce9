/** chain.evm.v1, last part: traces, with the results of JSON-RPC's debug namespace. */
import { ExecutionAborted } from '../../../app/guard.ts';
import { bytes, int64, string, uint64Big } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { type Bytes, EMPTY, parseHex } from '../../../lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../lib/utf8.ts';
import type { RpcContext } from '../../context.ts';
import type { BlockId } from '../../eth/blockId.ts';
import { overridesFault } from '../../eth/callArgs.ts';
import { heavily } from '../../eth/services.ts';
import { callTracerOf, traceBlock, traceOverridesOf, traceTransaction } from '../../eth/tracing.ts';
import { goJson, isObject, type JsonObject, parseJson } from '../../jsonText.ts';
import { RpcError } from '../../rpcError.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';
import { ARGS_BYTES_MAX, asked } from './evmCalls.ts';

const SERVICE = 'chain.evm.v1.Query';
const ROOT = '/chain/evm/v1';
const PACKAGE = 'chain.evm.v1';
const TRACE_BYTES_MAX = 256 * 1_048_576;

const traceConfig = <N extends number>(number: N) => bytes(number, 'traceConfig', ARGS_BYTES_MAX);
const traceResponse = (name: string) =>
  table<{ readonly data: Bytes }>(`${PACKAGE}.${name}`, [bytes(1, 'data', TRACE_BYTES_MAX)]);

const invalid = (message: string): never => {
  throw new GrpcError(GRPC.invalidArgument, message);
};

function configOf(text: Bytes): JsonObject {
  if (text.length === 0) return new Map();
  const json = parseJson(decodeUtf8(text) ?? '');
  return json.ok && isObject(json.value) ? json.value : invalid('trace_config: expected an object in JSON');
}

function hashOf(text: string, what: string): Bytes {
  const hash = parseHex(text);
  return hash.ok && hash.value.length === 32 ? hash.value : invalid(`${what}: expected 32 bytes of hex`);
}

/** The trace as JSON. An error that JSON-RPC would return becomes a gRPC status. */
async function answered(ctx: RpcContext, trace: () => Promise<unknown>): Promise<{ readonly data: Bytes }> {
  try {
    return { data: encodeUtf8(goJson(await heavily(ctx, trace))) };
  } catch (failure) {
    if (failure instanceof ExecutionAborted) throw new GrpcError(GRPC.deadlineExceeded, 'execution timeout');
    if (!(failure instanceof RpcError)) throw failure;
    const code = / not found$/.test(failure.message) ? GRPC.notFound : GRPC.invalidArgument;
    throw new GrpcError(code, failure.message);
  }
}

async function traceCall(scope: QueryScope, request: TraceCallRequest): Promise<unknown> {
  const { ctx, view } = scope;
  const config = configOf(request.traceConfig);
  const { args } = asked(scope, { ...request, proposerAddress: EMPTY, chainId: 0n });
  const tracer = callTracerOf(ctx, config);
  const overrides = traceOverridesOf(config);
  const fault = overrides.state && overridesFault(overrides.state, (one) => ctx.evm.isPrecompile(one));
  if (fault !== undefined) return invalid(fault);
  const outcome = await ctx.evm.call(view, args, { ...overrides, trace: tracer });
  return outcome.kind === 'refused' ? invalid(`tracing failed: ${outcome.reason}`) : tracer.result();
}

interface TraceCallRequest {
  /** JSON, as the first parameter of eth_call. */
  readonly args: Bytes;
  readonly gasCap: bigint;
  /** JSON, as the config parameter of debug_traceCall. */
  readonly traceConfig: Bytes;
}
interface TraceBlockRequest {
  readonly blockNumber: number;
  /** Used instead of the number if not empty. */
  readonly blockHash: string;
  readonly traceConfig: Bytes;
}

const blockOf = ({ blockNumber, blockHash }: TraceBlockRequest): BlockId =>
  blockHash === ''
    ? { kind: 'number', number: BigInt(blockNumber) }
    : { kind: 'hash', hash: hashOf(blockHash, 'block_hash') };

export const evmTraceMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'TraceTx',
    path: `${ROOT}/trace_tx`,
    doc: 'Runs a committed Ethereum transaction again under a tracer; data is what debug_traceTransaction answers.',
    request: table<{ readonly hash: string; readonly traceConfig: Bytes }>(`${PACKAGE}.QueryTraceTxRequest`, [
      string(1, 'hash', 128),
      traceConfig(2),
    ]),
    response: traceResponse('QueryTraceTxResponse'),
    run: ({ ctx }, { hash, traceConfig: config }) =>
      answered(ctx, () => traceTransaction(ctx, hashOf(hash, 'hash'), configOf(config))),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'TraceBlock',
    path: `${ROOT}/trace_block`,
    doc: 'Runs a block again under a tracer; data is what debug_traceBlockByNumber answers.',
    request: table<TraceBlockRequest>(`${PACKAGE}.QueryTraceBlockRequest`, [
      int64(1, 'blockNumber'),
      string(2, 'blockHash', 128),
      traceConfig(3),
    ]),
    response: traceResponse('QueryTraceBlockResponse'),
    run: ({ ctx }, request) =>
      answered(ctx, () => traceBlock(ctx, blockOf(request), configOf(request.traceConfig))),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'TraceCall',
    path: `${ROOT}/trace_call`,
    doc: 'Runs a call under a tracer; data is what debug_traceCall answers.',
    request: table<TraceCallRequest>(`${PACKAGE}.QueryTraceCallRequest`, [
      bytes(1, 'args', ARGS_BYTES_MAX),
      uint64Big(2, 'gasCap'),
      traceConfig(3),
    ]),
    response: traceResponse('QueryTraceCallResponse'),
    run: (scope, request) => answered(scope.ctx, () => traceCall(scope, request)),
  }),
];
