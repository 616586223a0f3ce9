/**
 * Keeps clients from taking the file descriptors that the validator needs: a node must stop if none is left for its
 * state, its WAL or its database.
 */
import { readFileSync } from 'node:fs';
import type { NodeConfig } from './config/nodeConfig.ts';

const LIMITS_FILE = '/proc/self/limits';
/**
 * Descriptors for database tables, WAL, journal, listeners and libraries, and for modules, many of which load at once.
 */
const OWN_MAX = 400;
/** Minimum connections per server, however few remain: an operator must be able to connect. */
const CLIENTS_MIN = 4;

const SERVERS = ['consensusRpc', 'jsonRpc', 'evmWs', 'rest', 'grpc', 'metrics'] as const;
type ServerName = (typeof SERVERS)[number];
type Served = Pick<NodeConfig, 'p2p' | ServerName>;

/** Maximum open files and sockets of this process; undefined if the system does not tell. */
export function openFilesMax(
  read: () => string = () => readFileSync(LIMITS_FILE, 'utf8'),
): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(read())?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    // Not Linux: the default limits of other systems are high.
    return undefined;
  }
}

/** The config with fewer connections per enabled server, if all of them together would leave too few descriptors. */
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
