import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ListenAddress } from '../../../adapters/http/listenAddress.ts';

export async function openSocket({ host, port }: ListenAddress): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  return socket;
}

/** Everything the server says until it closes. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

/** What the server says until `isWhole`. */
export async function readUntil(socket: Socket, isWhole: (text: string) => boolean): Promise<string> {
  let text = '';
  while (!isWhole(text)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString();
  }
  return text;
}
