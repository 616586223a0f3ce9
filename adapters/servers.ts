/** All servers that the configuration enables, on one RpcContext. */
import { handleCometGet, handleCometPost } from '../core/rpc/comet/http.ts';
import { CometSession } from '../core/rpc/comet/session.ts';
import type { RpcContext } from '../core/rpc/context.ts';
import { handleGrpcWeb } from '../core/rpc/cosmos/grpcWeb.ts';
import { handleRest } from '../core/rpc/cosmos/rest.ts';
import { handleEthRequest } from '../core/rpc/eth/jsonrpc.ts';
import { EthSession } from '../core/rpc/eth/session.ts';
import type { NodeConfig, ServerConfig } from './config/nodeConfig.ts';
import { loadExplorer } from './explorer/explorer.ts';
import { startCometServer } from './http/cometServer.ts';
import { ANY_ORIGIN } from './http/cors.ts';
import type { HttpServer } from './http/httpServer.ts';
import { startJsonRpcServer } from './http/jsonRpcServer.ts';
import { startRestServer } from './http/restServer.ts';
import type { Endpoints } from './nodeOptions.ts';
import { WsEndpoint } from './ws/wsEndpoint.ts';

export interface Servers {
  readonly endpoints: Omit<Endpoints, 'p2p'>;
  /** Finishes running requests, then closes. */
  stop(): Promise<void>;
}

type OnError = (error: unknown) => void;

interface Started {
  readonly name: keyof Servers['endpoints'];
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one server; undefined if it is off. */
type Start = (ctx: RpcContext, config: NodeConfig, onError: OnError) => Promise<Started | undefined>;

const corsOf = (server: ServerConfig) => ({
  origins: server.corsOrigins,
  methods: ['HEAD', 'GET', 'POST'],
  headers: ['Origin', 'Accept', 'Content-Type', 'X-Requested-With', 'X-Server-Time'],
});

/** Starts all servers or none: if one cannot listen, the others are stopped again. */
export async function startServers(ctx: RpcContext, config: NodeConfig, onError: OnError): Promise<Servers> {
  const started: Started[] = [];
  try {
    for (const start of [startConsensusRpc, startJsonRpc, startEvmWs, startRest, startGrpc, startMetrics]) {
      const server = await start(ctx, config, onError);
      if (server !== undefined) started.push(server);
    }
  } catch (error) {
    await Promise.all(started.map((server) => server.stop()));
    throw error;
  }
  const url = (name: keyof Servers['endpoints']): string | undefined =>
    started.find((one) => one.name === name)?.url;
  return {
    endpoints: {
      consensusRpc: url('consensusRpc'),
      jsonRpc: url('jsonRpc'),
      evmWs: url('evmWs'),
      rest: url('rest'),
      grpc: url('grpc'),
      metrics: url('metrics'),
    },
    stop: async () => {
      await Promise.all(started.map((server) => server.stop()));
    },
  };
}

const urlOf = (scheme: string, server: HttpServer): string => `${scheme}://${server.label}`;

/** Passes what happens to a websocket on to its session. */
const handlersOf = (session: CometSession | EthSession) => ({
  message: (text: string) => session.receive(text),
  drained: () => session.drained(),
  close: () => session.closed(),
});

const startGrpc: Start = async (ctx, config, onError) => {
  const { listen, messageBytesMax, connectionsMax } = config.grpc;
  if (listen === undefined) return undefined;
  // Loaded only if enabled: the library is large.
  const { startGrpcServer } = await import('./grpc/grpcServer.ts');
  const server = await startGrpcServer(ctx, { listen, messageBytesMax, limits: { connectionsMax }, onError });
  return { name: 'grpc', url: server.label, stop: () => server.close() };
};

const startMetrics: Start = async (ctx, config, onError) => {
  const { listen, connectionsMax, namespace } = config.metrics;
  if (listen === undefined) return undefined;
  const { startMetricsServer } = await import('./metrics/metricsServer.ts');
  const server = await startMetricsServer(ctx, { listen, connectionsMax, namespace, onError });
  return {
    name: 'metrics',
    url: `${urlOf('http', server)}/metrics`,
    stop: () => server.close(),
  };
};

const startConsensusRpc: Start = async (ctx, config, onError) => {
  const { listen, bodyBytesMax, connectionsMax } = config.consensusRpc;
  if (listen === undefined) return undefined;
  const explorer = config.explorer ? loadExplorer(ctx) : undefined;
  const ws = new WsEndpoint({
    path: '/websocket',
    origins: ['*'],
    onError,
    limits: { connectionsMax, frameBytesMax: bodyBytesMax },
    open: (out, remote) => handlersOf(new CometSession(ctx, out, remote)),
  });
  const server = await startCometServer({
    listen,
    ws,
    post: (body) => handleCometPost(ctx, body),
    get: async (path, query) =>
      (await explorer?.answer(path, query)) ?? (await handleCometGet(ctx, path, query)),
    bodyBytesMax,
    connectionsMax,
    cors: corsOf(config.consensusRpc),
    onError,
  });
  return {
    name: 'consensusRpc',
    url: urlOf('http', server),
    async stop() {
      ws.close('the node stops');
      await server.close();
    },
  };
};

const startJsonRpc: Start = async (ctx, config, onError) => {
  const { listen, bodyBytesMax, connectionsMax, corsOrigins } = config.jsonRpc;
  if (listen === undefined) return undefined;
  const server = await startJsonRpcServer({
    listen,
    handle: async (body) => (await handleEthRequest(ctx, body, 'http')) ?? '',
    bodyBytesMax,
    connectionsMax,
    cors: { ...ANY_ORIGIN, origins: corsOrigins },
    onError,
  });
  return { name: 'jsonRpc', url: urlOf('http', server), stop: () => server.close() };
};

const startEvmWs: Start = async (ctx, config, onError) => {
  const { listen, bodyBytesMax, connectionsMax, corsOrigins } = config.evmWs;
  if (listen === undefined) return undefined;
  const ws = new WsEndpoint({
    path: undefined,
    origins: corsOrigins,
    onError,
    limits: { frameBytesMax: bodyBytesMax },
    open: (out) => handlersOf(new EthSession(ctx, out)),
  });
  const server = await startJsonRpcServer({
    name: 'evm websocket',
    listen,
    ws,
    handle: async (body) => (await handleEthRequest(ctx, body, 'http')) ?? '',
    bodyBytesMax,
    connectionsMax,
    onError,
  });
  return {
    name: 'evmWs',
    url: urlOf('ws', server),
    async stop() {
      ws.close('the node stops');
      await server.close();
    },
  };
};

const startRest: Start = async (ctx, config, onError) => {
  const { listen, bodyBytesMax, connectionsMax } = config.rest;
  if (listen === undefined) return undefined;
  const server = await startRestServer({
    listen,
    handle: (request) => handleRest(ctx, request),
    grpcWeb: config.grpcWeb.isOn ? (request) => handleGrpcWeb(ctx, request) : undefined,
    bodyBytesMax,
    connectionsMax,
    cors: { ...corsOf(config.rest), headers: ['*'] },
    onError,
  });
  return { name: 'rest', url: urlOf('http', server), stop: () => server.close() };
};
