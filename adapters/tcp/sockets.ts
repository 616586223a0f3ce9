/** Opens sockets. Errors become one line that an operator can act on. */
import { connect, type Server, type Socket } from 'node:net';
import { reasonOf } from '../disk/files.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { OperatingError } from '../operatingError.ts';
import { startTimer } from '../system.ts';

function socketReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'ECONNREFUSED') return 'connection refused';
  return reasonOf(error);
}

/** Listens and returns the address with the actual port. Throws OperatingError; `onError` gets later failures. */
export async function listenOn(
  server: Server,
  { host, port }: ListenAddress,
  onError: (reason: string) => void,
): Promise<ListenAddress> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const where = showAddress({ host, port });
      reject(new OperatingError(`p2p cannot listen on ${where}: ${socketReason(error)}`));
    });
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error');
  server.on('error', (error) => onError(reasonOf(error)));
  const at = server.address();
  return { host, port: typeof at === 'object' && at !== null ? at.port : port };
}

/** Dials. Exactly one of the callbacks is called, unless the returned socket is destroyed before. */
export function dialSocket(
  { host, port }: ListenAddress,
  timeoutMs: number,
  onOpen: (socket: Socket) => void,
  onFail: (reason: string) => void,
): Socket {
  const socket = connect({ host, port });
  let isOver = false;
  const once = (work: () => void): void => {
    clearTimeout(timeout);
    if (!isOver) work();
    isOver = true;
  };
  const fail = (reason: string): void =>
    once(() => {
      socket.destroy();
      onFail(reason);
    });
  const timeout = startTimer(() => fail('the dial takes too long'), timeoutMs);
  socket.on('error', (error) => fail(socketReason(error)));
  socket.once('close', () => once(() => {}));
  socket.once('connect', () => once(() => onOpen(socket)));
  return socket;
}
