import type { Evidence } from '../../types/evidence.ts';
import type { RpcContext } from '../context.ts';
import type { ArgSpec, Args, ArgType, ArgValue } from './args.ts';

type Absent<T extends ArgType> = T extends `${string}?` ? undefined : never;

type Given<T extends ArgType> = T extends 'int64' | 'int64?' | 'int?' | 'uint'
  ? bigint
  : T extends 'bool' | 'bool?'
    ? boolean
    : T extends 'string'
      ? string
      : T extends 'strings'
        ? readonly string[]
        : T extends 'evidence?'
          ? Evidence
          : Uint8Array;

type ValueOf<T extends ArgType> = Given<T> | Absent<T>;

/**
 * Whether a successful answer may be cached for a day: always, never, or only when this argument is given and not zero.
 */
export type Caching = 'always' | 'never' | { readonly whenGiven: string };

/** One method of the consensus RPC, shared by URI, JSON-RPC and websocket. */
export interface CometMethod {
  readonly method: string;
  readonly args: readonly ArgSpec[];
  readonly caching: Caching;
  readonly doc: string;
  /** Throws RpcError, whose message becomes the `data` of an internal error. */
  run(ctx: RpcContext, args: Args): unknown;
}

interface Definition<A extends Readonly<Record<string, ArgType>>> {
  readonly method: string;
  /** In the order of the positional parameters. */
  readonly args: A;
  readonly caching?: Caching;
  readonly doc: string;
  run(ctx: RpcContext, args: { readonly [N in keyof A]: ValueOf<A[N]> }): unknown;
}

export function method<const A extends Readonly<Record<string, ArgType>>>(
  definition: Definition<A>,
): CometMethod {
  const specs = Object.entries(definition.args).map(([name, type]) => ({ name, type }));
  return {
    method: definition.method,
    args: specs,
    caching: definition.caching ?? 'never',
    doc: definition.doc,
    run: (ctx, args) => definition.run(ctx, Object.fromEntries(args) as never),
  };
}

const isZero = (value: ArgValue): boolean =>
  value === undefined || value === 0n || value === false || value === '';

export const isCacheable = (row: CometMethod, args: Args): boolean =>
  row.caching === 'always' || (row.caching !== 'never' && !isZero(args.get(row.caching.whenGiven)));
