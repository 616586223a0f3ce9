import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { MetricsConfig } from '../config/nodeConfig.ts';
import { HttpServer } from '../http/httpServer.ts';
import type { ListenAddress } from '../http/listenAddress.ts';
import { replyAnswer, replyText } from '../http/reply.ts';
import { targetOf } from '../http/target.ts';
import { Metrics } from './metrics.ts';

export interface MetricsServerOptions extends MetricsConfig {
  readonly listen: ListenAddress;
  readonly onError: (error: unknown) => void;
}

const PATHS = ['/', '/metrics'];

/** Serves `GET /metrics` for Prometheus. */
export function startMetricsServer(rpc: RpcContext, options: MetricsServerOptions): Promise<HttpServer> {
  const metrics = new Metrics(rpc, options.namespace);
  return HttpServer.listen({
    name: 'metrics',
    listen: options.listen,
    cors: { origins: [], methods: [], headers: [] },
    connectionsMax: options.connectionsMax,
    onError: options.onError,
    route: (request, response) => answer(metrics, request, response),
  });
}

async function answer(metrics: Metrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!PATHS.includes(targetOf(request).path)) return replyText(response, 404, 'expected /metrics');
  if (request.method !== 'GET' && request.method !== 'HEAD') return replyText(response, 405, 'expected GET');
  const body = await metrics.text();
  replyAnswer(response, { status: 200, headers: { 'content-type': metrics.contentType }, body });
}
