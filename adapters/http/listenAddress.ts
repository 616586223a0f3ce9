import { err, ok, type Result } from '../../core/lib/result.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: the system chooses a port. */
  readonly port: number;
}

/** `host:port`, `tcp://host:port`, `:port` (all interfaces) or `[v6]:port`. */
export function parseListenAddress(
  text: string,
): Result<ListenAddress, { readonly code: 'listen-address'; readonly message: string }> {
  const match = /^(?:(?:tcp|http):\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/]*)):(\d{1,5})\/?$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65535) {
    return err({ code: 'listen-address', message: `"${text}" is not an address like 127.0.0.1:8545` });
  }
  return ok({ host: match[1] ?? (match[2] || '0.0.0.0'), port });
}

/** The usual text form, with IPv6 in brackets. */
export const showAddress = ({ host, port }: ListenAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
