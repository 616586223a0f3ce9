import { fieldOf, isObject, JsonNumber, type JsonObject } from '../../jsonText.ts';
import { invalidParams, serverError } from '../../rpcError.ts';
import { CallTracer } from './callTracer.ts';
import { flatCalls } from './flatCalls.ts';
import { FourByteTracer } from './fourByteTracer.ts';
import { MuxTracer } from './muxTracer.ts';
import { PrestateTracer } from './prestateTracer.ts';
import { StructLogger } from './structLogger.ts';
import type { Tracer, TracerContext, TracerMaker } from './tracer.ts';

/** Tracers in one mux. */
const MUX_MAX = 16;

const flag = (config: JsonObject, name: string): boolean => fieldOf(config, name) === true;

function mux(config: JsonObject, context: TracerContext): Tracer {
  if (config.size > MUX_MAX) throw serverError(`more than ${MUX_MAX} tracers`);
  if (config.has('muxTracer')) throw serverError('muxTracer cannot hold itself');
  const tracers = [...config].map(([name, own]): readonly [string, Tracer] => [
    name,
    makerOf(name)(isObject(own) ? own : new Map(), context),
  ]);
  return new MuxTracer(tracers);
}

function flat(config: JsonObject, context: TracerContext): Tracer {
  const calls = new CallTracer({ onlyTopCall: false });
  const options = {
    convertParityErrors: flag(config, 'convertParityErrors'),
    includePrecompiles: flag(config, 'includePrecompiles'),
  };
  return {
    start: (tx) => calls.start(tx),
    enter: (frame) => calls.enter(frame),
    exit: (end) => calls.exit(end),
    end: (end) => calls.end(end),
    result: () => {
      const root = calls.result();
      return 'type' in root ? flatCalls(root as Parameters<typeof flatCalls>[0], options, context) : [];
    },
  };
}

function prestate(config: JsonObject): Tracer {
  const [diffMode, includeEmpty] = [flag(config, 'diffMode'), flag(config, 'includeEmpty')];
  if (diffMode && includeEmpty) throw serverError('cannot use diffMode with includeEmpty');
  const [disableCode, disableStorage] = [flag(config, 'disableCode'), flag(config, 'disableStorage')];
  return new PrestateTracer({ diffMode, includeEmpty, disableCode, disableStorage });
}

const TRACERS: Readonly<Record<string, TracerMaker>> = {
  callTracer: (config, { logs }) =>
    new CallTracer({
      onlyTopCall: flag(config, 'onlyTopCall'),
      logs: flag(config, 'withLog') ? logs : undefined,
    }),
  flatCallTracer: flat,
  prestateTracer: prestate,
  '4byteTracer': (_config, context) => new FourByteTracer(context),
  muxTracer: mux,
  noopTracer: () => ({ result: () => ({}) }),
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

/** The tracer that a request's TraceConfig asks for. Throws RpcError. */
export function tracerOf(config: JsonObject, context: TracerContext): Tracer {
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
  const own = fieldOf(config, 'tracerConfig');
  return makerOf(name)(isObject(own) ? own : new Map(), context);
}
