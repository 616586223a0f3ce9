import type { View } from '../../app/chain.ts';
import type { Bytes } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';

/** What a query runs on: a node and one frozen height. */
export interface QueryScope {
  readonly ctx: RpcContext;
  readonly view: View;
}

/** Fields of a REST request by name: those of the path first, then those of the query string. */
export type RestFields = ReadonlyMap<string, string>;

/** The protobuf form of a query, for gRPC and for ABCI queries. */
export interface ProtoForm<Q, R> {
  /** Throws GrpcError when the bytes are no request. */
  decodeRequest(data: Bytes): Q;
  encodeResponse(response: R): Bytes;
}

interface Definition<Q, R> {
  /** `package.Service`. */
  readonly service: string;
  readonly name: string;
  readonly verb: 'GET' | 'POST';
  /** REST path with `{field}` where a field of the request stands. */
  readonly path: string;
  readonly doc: string;
  /** Throws GrpcError. */
  readRest(fields: RestFields): Q;
  run(scope: QueryScope, request: Q): R;
  /** Proto JSON: snake_case names, defaults written. */
  renderRest(response: R): unknown;
  /** Absent while only REST serves the row. */
  readonly proto?: ProtoForm<Q, R>;
}

/** A row of the one service table that REST, gRPC and ABCI queries share. */
export interface ServiceMethod {
  /** `/package.Service/Method`. */
  readonly grpcPath: string;
  readonly verb: 'GET' | 'POST';
  readonly segments: readonly string[];
  readonly path: string;
  readonly doc: string;
  rest(scope: QueryScope, fields: RestFields): unknown;
  /** undefined while the row has no protobuf form. */
  readonly proto: ((scope: QueryScope, data: Bytes) => Bytes) | undefined;
}

export function serviceMethod<Q, R>(definition: Definition<Q, R>): ServiceMethod {
  const { service, name, verb, path, doc, proto } = definition;
  return {
    grpcPath: `/${service}/${name}`,
    verb,
    segments: path.slice(1).split('/'),
    path,
    doc,
    rest: (scope, fields) => definition.renderRest(definition.run(scope, definition.readRest(fields))),
    proto:
      proto === undefined
        ? undefined
        : (scope, data) => proto.encodeResponse(definition.run(scope, proto.decodeRequest(data))),
  };
}
