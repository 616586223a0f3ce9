/** The debug_trace… methods; tracing.ts runs them. */
import { to0xHex } from '../../../lib/bytes.ts';
import { err, ok } from '../../../lib/result.ts';
import { fieldOf, isObject, type Json, JsonNumber, type JsonObject } from '../../jsonText.ts';
import { invalidParams, serverError } from '../../rpcError.ts';
import { type BlockId, LATEST } from '../blockId.ts';
import { readBlockOverrides, readStateOverrides, toCallArgs } from '../callArgs.ts';
import { type Decoded, goKind, goTypeError, readQuantity } from '../goHex.ts';
import { type EthMethod, method, optional, type Param, required } from '../method.ts';
import { BLOCK, BLOCK_HASH, BLOCK_NUMBER, DATA, HASH, TRANSACTION } from '../params.ts';
import { heavily } from '../services.ts';
import { stateBefore } from '../stateWithin.ts';
import { traceGivenBlock } from '../traceGivenBlock.ts';
import { callTracerOf, knownBlock, traceBlock, traceOverridesOf, traceTransaction } from '../tracing.ts';
import { type Kind, subscribing } from './subscribing.ts';
import { askState, cappedGas } from './transactions.ts';

const NO_CONFIG: JsonObject = new Map();

/** Types of the members of TraceConfig and of the struct logger's config, which geth embeds in it. */
const CONFIG_TYPES = {
  tracer: 'string',
  timeout: 'string',
  disableStack: 'bool',
  disableStorage: 'bool',
  enableMemory: 'bool',
  enableReturnData: 'bool',
  limit: 'int',
} as const;

function typeFault(value: Json, type: 'string' | 'bool' | 'int', name: string): string | undefined {
  const kind = goKind(value);
  const fits = type === 'int' ? value instanceof JsonNumber && /^-?[0-9]+$/.test(value.text) : kind === type;
  if (value === null || fits) return undefined;
  const what = value instanceof JsonNumber && type === 'int' ? `number ${value.text}` : kind;
  return goTypeError(what, type, `TraceConfig.${name}`);
}

const CONFIG = optional(
  required('config', { type: 'object' }, (value): Decoded<JsonObject> => {
    if (!isObject(value)) return err(goTypeError(goKind(value), 'tracers.TraceConfig', undefined));
    for (const [name, type] of Object.entries(CONFIG_TYPES)) {
      const fault = typeFault(fieldOf(value, name), type, name);
      if (fault !== undefined) return err(fault);
    }
    return ok(value);
  }),
  NO_CONFIG,
);

/** Trace config with the overrides of a call. */
const CALL_CONFIG: Param<JsonObject> = {
  ...CONFIG,
  decode: (value): Decoded<JsonObject> => {
    const config = CONFIG.decode(value);
    if (!config.ok) return config;
    const state = fieldOf(config.value, 'stateOverrides');
    const block = fieldOf(config.value, 'blockOverrides');
    const readState = state === null ? config : readStateOverrides(state);
    const readBlock = block === null ? config : readBlockOverrides(block);
    if (!readState.ok) return readState;
    return readBlock.ok ? config : readBlock;
  },
};

/** Transaction index in the block: the call runs before that transaction instead of after all of them. */
function txIndexOf(config: JsonObject): number | undefined {
  const value = fieldOf(config, 'txIndex');
  if (value === null) return undefined;
  const index = readQuantity(value, 64, 'TraceCallConfig.TxIndex');
  if (!index.ok) throw invalidParams(`invalid argument 2: ${index.error}`);
  return Number(index.value);
}

/** Traces the blocks after `start` up to `end`. */
const TRACE_CHAIN: Kind = {
  params: [{ ...BLOCK_NUMBER, name: 'start' }, { ...BLOCK_NUMBER, name: 'end' }, CONFIG],
  request: ([start, end, config], { ctx }) => {
    const [first, last] = [start as BlockId, end as BlockId].map((id) => knownBlock(ctx, id).header.number);
    if (first === undefined || last === undefined || first >= last)
      throw serverError(`end block (#${last}) needs to come after start block (#${first})`);
    // Refuses an unknown tracer before the subscription exists.
    callTracerOf(ctx, config as JsonObject);
    return { kind: 'traceChain', start: first, end: last, config: config as JsonObject };
  },
};

export const traceMethods: readonly EthMethod[] = [
  ...subscribing(
    'debug',
    new Map([['traceChain', TRACE_CHAIN]]),
    'traceChain with start, end and a trace config: the traces of the blocks after start to end; websocket only.',
  ),
  method({
    method: 'debug_traceTransaction',
    params: [HASH, CONFIG],
    result: 'trace',
    doc: 'Runs a committed transaction again under a tracer. Unknown: -32000 `transaction not found`.',
    run: ({ ctx }, hash, config) => heavily(ctx, () => traceTransaction(ctx, hash, config)),
  }),
  method({
    method: 'debug_traceBlockByNumber',
    params: [BLOCK_NUMBER, CONFIG],
    result: '{txHash, result}[]',
    doc: 'Traces every transaction of a block, failed ones too.',
    run: ({ ctx }, id, config) => heavily(ctx, () => traceBlock(ctx, id, config)),
  }),
  method({
    method: 'debug_traceBlockByHash',
    params: [BLOCK_HASH, CONFIG],
    result: '{txHash, result}[]',
    doc: 'Traces every transaction of a block, failed ones too.',
    run: ({ ctx }, id, config) => heavily(ctx, () => traceBlock(ctx, id, config)),
  }),
  method({
    method: 'debug_traceBlock',
    params: [{ ...DATA, name: 'blockRlp' }, CONFIG],
    result: '{txHash, result}[]',
    doc: "Traces a block given as RLP. One that is not the chain's runs on its parent under the chain's own rules for base fee and PREVRANDAO.",
    run: ({ ctx }, raw, config) => heavily(ctx, () => traceGivenBlock(ctx, raw, config)),
  }),
  method({
    method: 'debug_traceBadBlock',
    params: [HASH, CONFIG],
    result: 'never',
    doc: 'There are no bad blocks: always -32000 `bad block … not found`.',
    run: (_call, hash) => {
      throw serverError(`bad block ${to0xHex(hash)} not found`);
    },
  }),
  method({
    method: 'debug_traceCall',
    params: [TRANSACTION, { ...BLOCK, fallback: LATEST }, CALL_CONFIG],
    result: 'trace',
    doc: 'Runs a call under a tracer; stateOverrides, blockOverrides and txIndex (run before that transaction of the block) stand in the config.',
    run: (request, args, id, config) =>
      heavily(request.ctx, async () => {
        const { ctx } = request;
        const tracer = callTracerOf(ctx, config);
        const call = toCallArgs(args, cappedGas(ctx, args.gas));
        const asked = { ...traceOverridesOf(config), trace: tracer };
        const within = txIndexOf(config);
        const at = within === undefined ? undefined : await stateBefore(ctx, id, within);
        const outcome = await askState(request, args, id, asked, (view, options) =>
          ctx.evm.call(at ?? view, call, options),
        );
        if (outcome.kind === 'refused') throw serverError(`tracing failed: ${outcome.reason}`);
        return tracer.result();
      }),
  }),
];
