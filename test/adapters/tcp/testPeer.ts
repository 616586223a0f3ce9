import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { ed25519Address } from '../../../core/crypto/addresses.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { CHANNEL_SPECS, type ChannelSpec } from '../../../core/p2p/channels.ts';
import { Connection } from '../../../core/p2p/connection.ts';
import type { ConnectionEvent } from '../../../core/p2p/connectionContract.ts';
import type { NodeInfo } from '../../../core/types/peer.ts';

export interface TestPeerOptions {
  readonly port: number;
  readonly info?: Partial<NodeInfo>;
  readonly channels?: readonly ChannelSpec[];
  readonly seed?: Uint8Array;
  /** Once the handshake is done nothing is answered any more, a ping neither. */
  readonly isMute?: boolean;
}

/** A scripted peer: speaks the real protocol, then says whatever the test wants it to. */
export class TestPeer {
  readonly id: string;
  readonly connection: Connection;
  readonly socket: Socket;
  readonly events: ConnectionEvent[] = [];
  readonly ready: Promise<void>;
  /** Resolves when the other side has ended the connection. */
  readonly ended: Promise<void>;
  #isReady = false;

  constructor({
    port,
    info,
    channels = CHANNEL_SPECS,
    seed = new Uint8Array(randomBytes(32)),
    isMute = false,
  }: TestPeerOptions) {
    this.id = toHex(ed25519Address(nobleSuite.ed25519PublicKey(seed)));
    this.connection = new Connection(0, {
      suite: nobleSuite,
      nodeSeed: seed,
      ephemeralSecret: new Uint8Array(randomBytes(32)),
      self: {
        protocol: { p2p: 8, block: 11, app: 0 },
        id: this.id,
        listenAddress: 'tcp://127.0.0.1:1',
        network: 'chain_9000-1',
        version: '0.0.0',
        channels: Uint8Array.from(channels.map((spec) => spec.id)),
        moniker: 'tester',
        other: { txIndex: 'off', rpcAddress: '' },
        ...info,
      },
      expectedId: undefined,
      channels,
      sendRate: 1e9,
      receiveRate: 1e9,
    });
    this.socket = connect({ host: '127.0.0.1', port });
    this.ended = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('error', () => {});
    this.ready = new Promise((resolve, reject) => {
      this.socket.once('close', () => reject(new Error('the connection ended in its handshake')));
      this.socket.on('data', (chunk) => {
        this.connection.onBytes(0, new Uint8Array(chunk));
        const wasReady = this.#isReady;
        for (const event of this.connection.events()) {
          this.events.push(event);
          if (event.kind !== 'ready') continue;
          this.#isReady = true;
          resolve();
        }
        if (!isMute || !wasReady) this.flush();
      });
    });
    this.ready.catch(() => {});
    this.flush();
  }

  /** Sends one message; everything goes to the socket at once. */
  send(channel: number, bytes: Uint8Array): void {
    this.connection.send(channel, bytes);
    this.flush();
  }

  flush(): void {
    for (let bytes = this.connection.take(0, 1 << 20); bytes !== undefined; ) {
      this.socket.write(bytes);
      bytes = this.connection.take(0, 1 << 20);
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
