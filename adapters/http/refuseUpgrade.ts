import type { Duplex } from 'node:stream';

/** Time for the refusal to leave: it waits behind earlier answers that the client does not read. */
const REFUSAL_MS = 5_000;

/**
 * Answers an upgrade with this status, and closes. Node has removed its own listeners: nobody else hears an error of
 * the socket, and nobody reads it, so a client that sends on or does not hang up would keep it open for ever.
 */
export function refuseUpgrade(socket: Duplex, status: string): void {
  const cut = setTimeout(() => socket.destroy(), REFUSAL_MS);
  socket.on('close', () => clearTimeout(cut));
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
