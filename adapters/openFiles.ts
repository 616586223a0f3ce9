/**
 * Clients must not take the file descriptors that the validator lives on: without one left for its state, its log or its
 * database a node has to stop.
 */
import { readFileSync } from 'node:fs';
import type { NodeConfig } from './config/nodeConfig.ts';

const LIMITS_FILE = '/proc/self/limits';
/** Tables of the database, log, journal, listeners, libraries; and modules, which are loaded many at a time. */
const OWN_MAX = 400;
/** Of a server, however little is left: an operator must be able to look. */
const CLIENTS_MIN = 4;

const SERVERS = ['consensusRpc', 'jsonRpc', 'evmWs', 'rest', 'grpc', 'metrics'] as const;
type ServerName = (typeof SERVERS)[number];
type Served = Pick<NodeConfig, 'p2p' | ServerName>;

/** Files and sockets that this process may have open; undefined where the system does not say. */
export function openFilesMax(
  read: () => string = () => readFileSync(LIMITS_FILE, 'utf8'),
): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(read())?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    // No Linux: there the limits that a process starts with are high.
    return undefined;
  }
}

/** The same with fewer connections for each server that is on, where all of them together would leave too little. */
export function withinOpenFiles<C extends Served>(
  config: C,
  max: number | undefined,
  warn: (text: string) => void,
): C {
  const on = SERVERS.filter((name) => config[name].listen !== undefined);
  const wanted = on.reduce((sum, name) => sum + config[name].connectionsMax, 0);
  const left = (max ?? Number.POSITIVE_INFINITY) - OWN_MAX - config.p2p.inboundMax - config.p2p.outboundMax;
  if (wanted <= left) return config;
  warn(
    `no more than ${max} files may be open at once, and clients may want ${wanted}: each server takes fewer ` +
      'connections; raise the limit (ulimit -n, LimitNOFILE) or lower the max-open-connections',
  );
  const share = Math.max(0, left) / wanted;
  const fewer = on.map((name) => {
    const { connectionsMax } = config[name];
    const fitting = Math.max(CLIENTS_MIN, Math.floor(connectionsMax * share));
    return [name, { ...config[name], connectionsMax: Math.min(connectionsMax, fitting) }] as const;
  });
  return { ...config, ...Object.fromEntries(fewer) };
}
