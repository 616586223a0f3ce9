/** `id@host:port`, by which operators and peers name a node. */
import { err, ok, type Result } from '../lib/result.ts';
import type { PeerId } from '../types/ids.ts';
import { isRoutable, parseIp, plainIp } from './ip.ts';

export interface PeerAddress {
  readonly id: PeerId;
  /** Name, or IP without brackets. In addresses from peers it is always an IP. */
  readonly host: string;
  readonly port: number;
}

const HOST_CHARS_MAX = 253;

export const isPeerId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

export function parsePeerAddress(text: string): Result<PeerAddress, string> {
  const match =
    /^(?:[a-z]+:\/\/)?([0-9a-fA-F]{40})@(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(
      text.trim(),
    );
  const host = match?.[2] ?? match?.[3] ?? '';
  const port = Number(match?.[4]);
  if (match === null || host.length > HOST_CHARS_MAX || port < 1 || port > 65535) {
    return err(`"${text}" is not an address like <40 hex digits>@10.0.0.1:26656`);
  }
  return ok({ id: (match[1] as string).toLowerCase(), host, port });
}

export const formatPeerAddress = ({ id, host, port }: PeerAddress): string =>
  `${id}@${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The port of `tcp://host:port`, as a NodeInfo claims it; undefined if there is none that can be dialled. */
export function portOf(listenAddress: string): number | undefined {
  const port = Number(/:(\d{1,5})$/.exec(listenAddress)?.[1] ?? 0);
  return port >= 1 && port <= 65535 ? port : undefined;
}

/** The IP of `tcp://ip:port` in a NodeInfo (`external_address`), if it can be dialled from everywhere. */
export function publicHostOf(listenAddress: string): string | undefined {
  const match = /^(?:[a-z]+:\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):\d{1,5}$/.exec(listenAddress);
  const host = match?.[1] ?? match?.[2] ?? '';
  const ip = parseIp(host);
  return ip !== undefined && isRoutable(ip) ? plainIp(host) : undefined;
}
