import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startCometServer } from '../../../adapters/http/cometServer.ts';
import type { HttpServer } from '../../../adapters/http/httpServer.ts';
import { startJsonRpcServer } from '../../../adapters/http/jsonRpcServer.ts';
import { refuseUpgrade } from '../../../adapters/http/refuseUpgrade.ts';
import { WsEndpoint } from '../../../adapters/ws/wsEndpoint.ts';
import { readUntil } from './rawHttp.ts';

const onError = (error: unknown): void => {
  throw error;
};

const BASE = { listen: { host: '127.0.0.1', port: 0 }, bodyBytesMax: 1000, connectionsMax: 10, onError };

/** A server that takes websockets on another path only. */
function serverWithWebsockets(): Promise<HttpServer> {
  const ws = new WsEndpoint({
    path: '/websocket',
    origins: ['*'],
    open: () => ({ message() {}, close() {} }),
    onError,
  });
  onTestFinished(() => ws.close('test over'));
  const nothing = async () => ({ status: 200, headers: {}, body: '' });
  return startCometServer({ ...BASE, ws, post: nothing, get: nothing });
}

const serverWithoutWebsockets = (): Promise<HttpServer> =>
  startJsonRpcServer({ ...BASE, handle: (body) => Promise.resolve(body) });

/** A client that does not hang up by itself, and the node's end of its connection. */
async function stubbornClient({ address }: HttpServer): Promise<{ client: Socket; ours: Socket }> {
  const accepted = new Promise<Socket>((resolve) => {
    const onSocket = (message: unknown): void => {
      unsubscribe('net.server.socket', onSocket);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe('net.server.socket', onSocket);
  });
  const client = connect({ ...address, allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  client.on('error', () => {});
  return { client, ours: await accepted };
}

const UPGRADE = 'GET /other HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n';

describe('a refused upgrade', () => {
  test.each([
    ['404 Not Found', serverWithWebsockets],
    ['400 Bad Request', serverWithoutWebsockets],
  ])(
    'is answered with %s, and lets go of a client that neither hangs up nor stops sending',
    async (status, start) => {
      const server = await start();
      onTestFinished(() => server.close(0));
      const { client, ours } = await stubbornClient(server);
      client.write(`${UPGRADE}unread`);
      expect(await readUntil(client, (text) => text.endsWith('\r\n\r\n'))).toBe(
        `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      if (!ours.closed) await once(ours, 'close');
    },
  );

  /** A connection whose kernel takes no bytes. */
  const stuck = (): Duplex => new Duplex({ read() {}, write() {} });

  test('ends with the connection when the client resets it', async () => {
    const socket = stuck();
    refuseUpgrade(socket, '400 Bad Request');
    socket.emit('error', new Error('read ECONNRESET'));
    expect(socket.destroyed).toBe(true);
    await once(socket, 'close');
  });

  test('does not wait for ever for a client that reads nothing', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = stuck();
    refuseUpgrade(socket, '400 Bad Request');
    vi.runAllTimers();
    expect(socket.destroyed).toBe(true);
  });
});
