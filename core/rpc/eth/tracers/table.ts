import { fieldOf, isObject, type Json, JsonNumber, type JsonObject } from '../../jsonText.ts';
import { invalidParams, serverError } from '../../rpcError.ts';
import { goKind, goTypeError } from '../goHex.ts';
import { CallTracer } from './callTracer.ts';
import { flatCalls } from './flatCalls.ts';
import { FourByteTracer } from './fourByteTracer.ts';
import { MuxTracer } from './muxTracer.ts';
import { PreimageTracer } from './preimageTracer.ts';
import { PrestateTracer } from './prestateTracer.ts';
import { StructLogger } from './structLogger.ts';
import type { Tracer, TracerContext, TracerMaker } from './tracer.ts';
import { durationFault, flagsOf } from './tracerConfig.ts';

/** Maximum tracers in one mux. */
const MUX_MAX = 16;

const flag = (config: JsonObject, name: string): boolean => fieldOf(config, name) === true;

function mux(config: Json, context: TracerContext): Tracer {
  const own = config ?? new Map();
  if (!isObject(own)) throw serverError(goTypeError(goKind(own), 'map[string]json.RawMessage', undefined));
  if (own.size > MUX_MAX) throw serverError(`more than ${MUX_MAX} tracers`);
  if (own.has('muxTracer')) throw serverError('muxTracer cannot hold itself');
  const tracers = [...own].map(([name, inner]): readonly [string, Tracer] => [
    name,
    makerOf(name)(inner, context),
  ]);
  return new MuxTracer(tracers);
}

function call(config: Json, { logs }: TracerContext): Tracer {
  const { onlyTopCall, withLog } = flagsOf(config, 'callTracerConfig', ['onlyTopCall', 'withLog']);
  return new CallTracer({ onlyTopCall, logs: withLog ? logs : undefined });
}

function flat(config: Json, context: TracerContext): Tracer {
  const calls = new CallTracer({ onlyTopCall: false });
  const options = flagsOf(config, 'flatCallTracerConfig', ['convertParityErrors', 'includePrecompiles']);
  return {
    start: (tx) => calls.start(tx),
    enter: (frame) => calls.enter(frame),
    exit: (end) => calls.exit(end),
    end: (end) => calls.end(end),
    get size() {
      return calls.size;
    },
    result: () => {
      const root = calls.result();
      return 'type' in root ? flatCalls(root as Parameters<typeof flatCalls>[0], options, context) : [];
    },
  };
}

const PRESTATE_FLAGS = ['diffMode', 'disableCode', 'disableStorage', 'includeEmpty'] as const;

function prestate(config: Json): Tracer {
  const options = flagsOf(config, 'PrestateTracerConfig', PRESTATE_FLAGS);
  if (options.diffMode && options.includeEmpty) throw serverError('cannot use diffMode with includeEmpty');
  return new PrestateTracer(options);
}

const TRACERS: Readonly<Record<string, TracerMaker>> = {
  callTracer: call,
  flatCallTracer: flat,
  prestateTracer: prestate,
  '4byteTracer': (_config, context) => new FourByteTracer(context),
  keccak256PreimageTracer: (_config, context) => new PreimageTracer(context),
  muxTracer: mux,
  noopTracer: () => ({ size: 0, result: () => ({}) }),
};

export const TRACER_NAMES: readonly string[] = Object.keys(TRACERS);

function makerOf(name: string): TracerMaker {
  const maker = Object.hasOwn(TRACERS, name) ? TRACERS[name] : undefined;
  if (maker === undefined)
    throw serverError(`unknown tracer ${JSON.stringify(name)}: one of ${TRACER_NAMES.join(', ')}`);
  return maker;
}

function limitOf(config: JsonObject): number {
  const limit = fieldOf(config, 'limit');
  return limit instanceof JsonNumber ? Math.max(0, Math.floor(Number(limit.text))) : 0;
}

/**
 * The tracer that a TraceConfig requests. Its timeout must be valid but is ignored: the node's own limit applies.
 * Throws RpcError.
 */
export function tracerOf(config: JsonObject, context: TracerContext): Tracer {
  const tracer = namedTracer(config, context);
  const timeout = fieldOf(config, 'timeout');
  const fault = typeof timeout === 'string' ? durationFault(timeout) : undefined;
  if (fault !== undefined) throw serverError(fault);
  return tracer;
}

function namedTracer(config: JsonObject, context: TracerContext): Tracer {
  const name = fieldOf(config, 'tracer');
  if (name === null || name === '') {
    return new StructLogger({
      disableStack: flag(config, 'disableStack'),
      disableStorage: flag(config, 'disableStorage'),
      enableMemory: flag(config, 'enableMemory'),
      enableReturnData: flag(config, 'enableReturnData'),
      limit: limitOf(config),
    });
  }
  if (typeof name !== 'string') throw invalidParams('invalid argument 1: tracer must be a string');
  return makerOf(name)(fieldOf(config, 'tracerConfig'), context);
}
