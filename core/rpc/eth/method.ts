import type { Bytes } from '../../lib/bytes.ts';
import { err, ok } from '../../lib/result.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { isArray, type Json, type JsonObject } from '../jsonText.ts';
import { invalidParams } from '../rpcError.ts';
import type { BlockId } from './blockId.ts';
import { type Decoded, goKind, goTypeError } from './goHex.ts';
import type { LogFilter } from './logFilter.ts';
import type { EthServices } from './services.ts';

/** JSON Schema of a parameter, for OpenRPC. */
export type Schema = Readonly<Record<string, unknown>>;

/** One positional parameter: its decoder and its documentation. */
export interface Param<T> {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  decode(value: Json): Decoded<T>;
  /** Value used when an optional parameter is absent or null. */
  readonly fallback: T | undefined;
}

/** Manages the subscriptions of a connection; absent over HTTP. */
export interface Notifier {
  /** Returns the new subscription's id. Notifications follow only after the response to the request. */
  subscribe(subscription: SubscriptionRequest): string;
  /** False when no subscription has this id. */
  unsubscribe(id: string): boolean;
}

export type SubscriptionRequest =
  /** `fromBlock` is an Orrery extension: blocks from there on come first. */
  | { readonly kind: 'newHeads'; readonly fromBlock: BlockId | undefined }
  | { readonly kind: 'logs'; readonly filter: LogFilter; readonly fromBlock: BlockId | undefined }
  | {
      readonly kind: 'transactionReceipts';
      readonly hashes: readonly Bytes[];
      readonly fromBlock: BlockId | undefined;
    }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  | { readonly kind: 'syncing' }
  | TraceChainRequest;

/** Traces of the blocks after `start` up to and including `end`. */
export interface TraceChainRequest {
  readonly kind: 'traceChain';
  readonly start: Height;
  readonly end: Height;
  /** Trace config for each transaction. */
  readonly config: JsonObject;
}

export interface EthCall {
  readonly ctx: RpcContext;
  readonly transport: 'http' | 'ws';
  readonly notifier: Notifier | undefined;
  readonly services: EthServices;
}

type Values<P extends readonly Param<unknown>[]> = {
  readonly [I in keyof P]: P[I] extends Param<infer T> ? T : never;
};

/** A row of the method table, from which documentation and OpenRPC are generated. */
export interface EthMethod {
  /** `namespace_name`. */
  readonly method: string;
  readonly namespace: string;
  readonly params: readonly Param<unknown>[];
  readonly result: string;
  /** What the result means, and which errors are specific to the method. */
  readonly doc: string;
  /** Throws RpcError. */
  run(call: EthCall, params: Json | undefined): unknown;
}

interface Definition<P extends readonly Param<unknown>[]> {
  readonly method: string;
  readonly params: P;
  readonly result: string;
  readonly doc: string;
  run(call: EthCall, ...args: Values<P>): unknown;
}

/** Declares a row. `run` receives decoded arguments. */
export function method<const P extends readonly Param<unknown>[]>(definition: Definition<P>): EthMethod {
  const { method: name, params, result, doc } = definition;
  return {
    method: name,
    namespace: name.slice(0, name.indexOf('_')),
    params,
    result,
    doc,
    run: (call, raw) => definition.run(call, ...(decodeParams(params, raw) as unknown as Values<P>)),
  };
}

/** geth's parsePositionalArguments: `params` may be absent or null, and trailing optional arguments may be omitted. */
export function decodeParams(params: readonly Param<unknown>[], raw: Json | undefined): readonly unknown[] {
  if (raw !== undefined && raw !== null && !isArray(raw)) throw invalidParams('non-array args');
  const given = raw ?? [];
  const args: unknown[] = [];
  for (const [i, value] of given.entries()) {
    const param = params[i];
    if (param === undefined) throw invalidParams(`too many arguments, want at most ${params.length}`);
    if (value === null) {
      if (param.required) throw invalidParams(`missing value for required argument ${i}`);
      args.push(param.fallback);
      continue;
    }
    const decoded = param.decode(value);
    if (!decoded.ok) throw invalidParams(`invalid argument ${i}: ${decoded.error}`);
    args.push(decoded.value);
  }
  for (let i = args.length; i < params.length; i++) {
    const param = params[i] as Param<unknown>;
    if (param.required) throw invalidParams(`missing value for required argument ${i}`);
    args.push(param.fallback);
  }
  return args;
}

export const required = <T>(name: string, schema: Schema, decode: (value: Json) => Decoded<T>): Param<T> => ({
  name,
  schema,
  required: true,
  decode,
  fallback: undefined,
});

/** Makes a parameter optional; `fallback` is its value when absent or null. */
export const optional = <T, F extends T | undefined>(param: Param<T>, fallback: F): Param<T | F> => ({
  ...param,
  required: false,
  fallback,
});

/** Decoder of an array with bounded length. `type` is Go's type name; null counts as an empty list. */
export const arrayOf =
  <T>(item: (value: Json) => Decoded<T>, itemsMax: number, type: string) =>
  (value: Json, place?: string): Decoded<readonly T[]> => {
    if (value === null) return ok([]);
    if (!isArray(value)) return err(goTypeError(goKind(value), type, place));
    if (value.length > itemsMax) return err(`more than ${itemsMax} items`);
    const out: T[] = [];
    for (const entry of value) {
      const decoded = item(entry);
      if (!decoded.ok) return decoded;
      out.push(decoded.value);
    }
    return ok(out);
  };
