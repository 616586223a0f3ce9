/** gRPC over HTTP/2: the service table, and reflection on it. */
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
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
import { reasonOf } from '../disk/files.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { OperatingError } from '../operatingError.ts';
import { REFLECTION_SERVICES, Reflection } from './reflection.ts';

const HEIGHT_KEY = 'x-cosmos-block-height';

export interface GrpcServerOptions {
  readonly listen: ListenAddress;
  readonly messageBytesMax: number;
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

function unary(ctx: RpcContext, row: ServiceMethod, onError: (error: unknown) => void) {
  return async (call: Call, reply: sendUnaryData<Uint8Array>): Promise<void> => {
    try {
      const scope = scopeAt(ctx, heightOf(call.metadata.get(HEIGHT_KEY)[0]?.toString()));
      const answer = await row.proto(scope, call.request);
      const metadata = new Metadata();
      metadata.set(HEIGHT_KEY, String(scope.view.height));
      call.sendMetadata(metadata);
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

function addServices(server: Server, ctx: RpcContext, onError: (error: unknown) => void): void {
  const names = new Set(SERVICE_METHODS.map(({ service }) => service));
  for (const name of names) {
    const definition: Record<string, ReturnType<typeof rawMethod>> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const row of SERVICE_METHODS.filter(({ service }) => service === name)) {
      definition[row.name] = rawMethod(row.grpcPath, false);
      handlers[row.name] = unary(ctx, row, onError);
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
            stream.write(reflection.answer(bytes));
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

/** Throws OperatingError when it cannot listen. */
export async function startGrpcServer(
  ctx: RpcContext,
  options: GrpcServerOptions,
): Promise<RunningGrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': options.messageBytesMax,
    'grpc.max_concurrent_streams': 128,
  });
  addServices(server, ctx, options.onError);
  addReflection(server);
  const asked = showAddress(options.listen);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(asked, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(new OperatingError(`grpc: cannot listen on ${asked}: ${reasonOf(error)}`));
    });
  });
  return {
    label: showAddress({ ...options.listen, port }),
    close: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), 2000);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      }),
  };
}
