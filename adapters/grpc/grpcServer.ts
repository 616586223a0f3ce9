/** gRPC over HTTP/2: the service table and reflection. */
import type { Http2Stream } from 'node:http2';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { RpcContext } from '../../core/rpc/context.ts';
import { heightOf } from '../../core/rpc/cosmos/heightHeader.ts';
import { scopeAt } from '../../core/rpc/cosmos/scope.ts';
import type { ServiceMethod } from '../../core/rpc/cosmos/service.ts';
import { GRPC, GrpcError } from '../../core/rpc/cosmos/status.ts';
import { SERVICE_METHODS } from '../../core/rpc/cosmos/table.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { GrpcConnections, type GrpcLimits } from './grpcConnections.ts';
import { REFLECTION_SERVICES, Reflection } from './reflection.ts';

const HEIGHT_KEY = 'x-cosmos-block-height';
/** A client that does not answer a ping is disconnected. */
const KEEPALIVE = { 'grpc.keepalive_time_ms': 120_000, 'grpc.keepalive_timeout_ms': 20_000 };

export interface GrpcServerOptions {
  readonly listen: ListenAddress;
  readonly messageBytesMax: number;
  readonly limits?: Partial<GrpcLimits>;
  readonly onError: (error: unknown) => void;
}

export interface RunningGrpcServer {
  /** `host:port`. */
  readonly label: string;
  close(): Promise<void>;
}

const same = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer);

const rawMethod = (path: string, isStream: boolean) => ({
  path,
  requestStream: isStream,
  responseStream: isStream,
  requestSerialize: same,
  requestDeserialize: plain,
  responseSerialize: same,
  responseDeserialize: plain,
});

type Call = ServerUnaryCall<Uint8Array, Uint8Array>;

interface Surroundings {
  readonly ctx: RpcContext;
  readonly connections: GrpcConnections;
  readonly onError: (error: unknown) => void;
}

function unary({ ctx, connections, onError }: Surroundings, row: ServiceMethod) {
  return async (call: Call, reply: sendUnaryData<Uint8Array>): Promise<void> => {
    try {
      const scope = scopeAt(ctx, heightOf(call.metadata.get(HEIGHT_KEY)[0]?.toString()));
      const answer = await row.proto(scope, call.request);
      const metadata = new Metadata();
      metadata.set(HEIGHT_KEY, String(scope.view.height));
      call.sendMetadata(metadata);
      connections.onAnswer(call, answer.length);
      reply(null, answer);
    } catch (failure) {
      if (failure instanceof GrpcError) {
        reply({ code: failure.code, details: failure.message });
        return;
      }
      onError(failure);
      reply({ code: GRPC.internal, details: 'internal error' });
    }
  };
}

/** The stream under a call, missing from the public types: it tells of bytes before they make a message. */
const streamOf = (call: ServerInterceptingCallInterface): Http2Stream =>
  (call as unknown as { readonly stream: Http2Stream }).stream;

const LATE = { code: GRPC.deadlineExceeded, details: 'the request did not arrive in time' };

/** A client of reflection may keep its call open, and ask from time to time. */
const requestBounds =
  (connections: GrpcConnections): ServerInterceptor =>
  ({ requestStream }, call) => {
    const onLate = requestStream ? undefined : () => call.sendStatus(LATE);
    const hold = connections.onRequest(call.getPeer(), streamOf(call), onLate);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMessage(message: Uint8Array, pass) {
            hold(message.length);
            pass(message);
          },
        }),
    });
  };

function addServices(server: Server, surroundings: Surroundings): void {
  const names = new Set(SERVICE_METHODS.map(({ service }) => service));
  for (const name of names) {
    const definition: Record<string, ReturnType<typeof rawMethod>> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const row of SERVICE_METHODS.filter(({ service }) => service === name)) {
      definition[row.name] = rawMethod(row.grpcPath, false);
      handlers[row.name] = unary(surroundings, row);
    }
    server.addService(definition as ServiceDefinition, handlers);
  }
}

function addReflection(server: Server): void {
  const reflection = new Reflection(SERVICE_METHODS);
  for (const name of REFLECTION_SERVICES) {
    const definition = { ServerReflectionInfo: rawMethod(`/${name}/ServerReflectionInfo`, true) };
    server.addService(definition as ServiceDefinition, {
      ServerReflectionInfo: (stream: ServerDuplexStream<Uint8Array, Uint8Array>) => {
        stream.on('data', (bytes: Uint8Array) => {
          try {
            if (stream.write(reflection.answer(bytes))) return;
            // Requests are short and answers long: stop reading requests while the client does not read answers.
            stream.pause();
            stream.once('drain', () => stream.resume());
          } catch {
            stream.destroy(
              Object.assign(new Error('not a reflection request'), { code: GRPC.invalidArgument }),
            );
          }
        });
        stream.on('end', () => stream.end());
      },
    });
  }
}

/** Throws OperatingError if it cannot listen. */
export async function startGrpcServer(
  ctx: RpcContext,
  options: GrpcServerOptions,
): Promise<RunningGrpcServer> {
  const connections = new GrpcConnections(options.limits ?? {}, (socket) =>
    injector.injectConnection(socket),
  );
  const server = new Server({
    interceptors: [requestBounds(connections)],
    'grpc.max_receive_message_length': options.messageBytesMax,
    'grpc.max_concurrent_streams': 128,
    ...KEEPALIVE,
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  addServices(server, { ctx, connections, onError: options.onError });
  addReflection(server);
  const address = await connections.listen(options.listen, options.onError);
  return {
    label: showAddress(address),
    close: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), 2000);
        connections.close();
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      }),
  };
}
