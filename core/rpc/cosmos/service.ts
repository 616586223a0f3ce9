import type { View } from '../../app/chain.ts';
import { encode, type Table } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';
import { looseRead } from './looseRead.ts';
import { protoJson } from './protoJson.ts';
import { fieldsRequest, type RestFields } from './restRequest.ts';
import { GRPC, GrpcError } from './status.ts';

/** What a query runs on: a node and the state of one height. */
export interface QueryScope {
  readonly ctx: RpcContext;
  readonly view: View;
  /** The height that the client asked for. Undefined: it asked for the latest state, and `view` is the newest. */
  readonly asked: Height | undefined;
}

/** One method as a service module defines it. Handlers throw GrpcError. */
interface Definition<Q, R> {
  /** `package.Service`. */
  readonly service: string;
  readonly name: string;
  readonly verb?: 'GET' | 'POST';
  /** REST path. `{field}` stands for a field of the request; `{field=**}` takes the rest of the path. */
  readonly path: string;
  /** When two methods share a path, whether this one accepts these fields; absent means always. */
  takes?(fields: ReadonlyMap<string, string>): boolean;
  readonly doc: string;
  readonly request: Table<Q>;
  readonly response: Table<R>;
  run(scope: QueryScope, request: Q): R | Promise<R>;
  /** Set where the REST response differs from the fields of the message. */
  renderRest?(response: R): unknown;
}

/** A row of the service table, which REST, gRPC, ABCI queries, reflection and the API document share. */
export interface ServiceMethod {
  readonly service: string;
  readonly name: string;
  /** `/package.Service/Method`. */
  readonly grpcPath: string;
  readonly verb: 'GET' | 'POST';
  readonly segments: readonly string[];
  readonly path: string;
  readonly doc: string;
  readonly request: Table<unknown>;
  readonly response: Table<unknown>;
  takes?(fields: ReadonlyMap<string, string>): boolean;
  rest(scope: QueryScope, fields: RestFields, body: string): Promise<unknown>;
  /** Renders a response for REST. */
  render(response: unknown): unknown;
  proto(scope: QueryScope, data: Bytes): Promise<Bytes>;
}

export function serviceMethod<Q, R>(definition: Definition<Q, R>): ServiceMethod {
  const { service, name, verb = 'GET', path, doc, request, response } = definition;
  const render = (answer: R): unknown =>
    definition.renderRest?.(answer) ?? protoJson(response as Table<unknown>, answer);
  return {
    service,
    name,
    grpcPath: `/${service}/${name}`,
    verb,
    segments: path.slice(1).split('/'),
    path,
    doc,
    request: request as Table<unknown>,
    response: response as Table<unknown>,
    ...(definition.takes === undefined ? {} : { takes: definition.takes }),
    async rest(scope, fields, body) {
      const asked = fieldsRequest(request as Table<unknown>, fields, verb === 'POST' ? body : '');
      return render(await definition.run(scope, asked as Q));
    },
    render: (answer) => render(answer as R),
    async proto(scope, data) {
      const asked = looseRead(request, data);
      if (!asked.ok) throw new GrpcError(GRPC.invalidArgument, `invalid request: ${asked.error}`);
      return encode(response, await definition.run(scope, asked.value));
    },
  };
}
