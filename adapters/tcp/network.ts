/** The p2p network: a listener, dials, and one TcpLink per peer. core/p2p/peers makes the decisions. */

import { randomBytes, randomInt } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { err, type Result } from '../../core/lib/result.ts';
import { CHANNELS, type ChannelId, type Input } from '../../core/node/contract.ts';
import { channelSpecs } from '../../core/p2p/channels.ts';
import { Connection } from '../../core/p2p/connection.ts';
import type { ConnectionEvent } from '../../core/p2p/connectionContract.ts';
import type { LinkId } from '../../core/p2p/links.ts';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import { Peers } from '../../core/p2p/peers.ts';
import type { DialOrder, PeersOut } from '../../core/p2p/peersContract.ts';
import type { Ban } from '../../core/p2p/standing.ts';
import type { NetworkReader, PeerStatus } from '../../core/rpc/context.ts';
import type { PeerId } from '../../core/types/ids.ts';
import type { NodeInfo } from '../../core/types/peer.ts';
import type { P2pConfig } from '../config/p2pConfig.ts';
import { nodeAead } from '../crypto/aead.ts';
import { nodeKeyExchange } from '../crypto/keyExchange.ts';
import { type ListenAddress, showAddress } from '../http/listenAddress.ts';
import { cutGreediest } from '../http/unread.ts';
import type { Logger } from '../log/logger.ts';
import { steadyNow } from '../system.ts';
import { PacedInputs } from './pacedInputs.ts';
import { PeerMemory } from './peerMemory.ts';
import { dialSocket, listenOn } from './sockets.ts';
import { TcpLink } from './tcpLink.ts';

export interface NetworkOptions {
  readonly config: P2pConfig;
  /** 32-byte seed of the node key. */
  readonly nodeSeed: Bytes;
  readonly info: NodeInfo;
  readonly suite: CryptoSuite;
  readonly log: Logger;
  /** Maximum size of a transaction that the mempool accepts. */
  readonly txBytesMax: number;
  /** Input bytes that may wait in the driver before sockets are no longer read; default 32 MiB. */
  readonly backlogBytesMax?: number;
  /** Bytes of all peers' incomplete messages; default 256 MiB. */
  readonly unfinishedBytesMax?: number;
}

/** Receives the frames. */
export interface NodeInputs {
  input(input: Input): void;
  readonly backlog: number;
}

/** Inputs that may wait in the driver before sockets are no longer read. */
const BACKLOG_MAX = 2048;
const BACKLOG_BYTES_MAX = 32 << 20;
/** Several times what block sync asks for at once. */
const UNFINISHED_BYTES_MAX = 256 << 20;
const WAKE_MS_MIN = 20;
const WAKE_MS_MAX = 30_000;

interface Entry {
  /** The socket; for a dial, even before it is open. */
  readonly socket: Socket;
  link: TcpLink | undefined;
}

export class Network implements NetworkReader {
  readonly peers: Peers;
  readonly #options: NetworkOptions;
  readonly #entries = new Map<LinkId, Entry>();
  readonly #out: PeersOut;
  readonly #server: Server;
  readonly #transactions: PacedInputs;
  readonly #memory: PeerMemory;
  #node: NodeInputs | undefined;
  #waitingBytes = 0;
  #wake: NodeJS.Timeout | undefined;
  #isStopped = false;
  #listening: ListenAddress | undefined;

  constructor(options: NetworkOptions) {
    const { config, info } = options;
    this.#options = options;
    this.peers = new Peers(
      {
        self: info.id,
        persistent: config.persistentPeers,
        seeds: config.seeds,
        inboundMax: config.inboundMax,
        outboundMax: config.outboundMax,
        unconditional: config.unconditionalIds,
        privateIds: config.privateIds,
        allowDuplicateIp: config.allowDuplicateIp,
        isStrict: config.addressBookStrict,
        pex: config.pex,
        seedMode: config.seedMode,
        persistentDialMsMax: config.persistentDialMsMax,
      },
      (n) => randomInt(n),
    );
    this.#memory = new PeerMemory(config, this.peers, options.log);
    this.#transactions = new PacedInputs((frame) => this.#input(frame));
    this.#out = this.#makeOut();
    this.#server = createServer((socket) => this.#onAccept(socket));
  }

  /** Starts to listen (if configured) and to dial. Throws OperatingError if it cannot listen. */
  async start(node: NodeInputs): Promise<void> {
    const { config } = this.#options;
    this.#node = node;
    this.#memory.start();
    if (config.listen !== undefined) {
      // A failed accept (too many open files) only loses that connection.
      this.#listening = await listenOn(this.#server, config.listen, (reason) =>
        this.#options.log.warn(`p2p listener: ${reason}`),
      );
    }
    this.#onWake();
  }

  /** Closes all connections. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#wake);
    for (const { link, socket } of this.#entries.values()) {
      if (link === undefined) socket.destroy();
      else link.close();
    }
    this.#entries.clear();
    this.#memory.stop();
    await new Promise<void>((resolve) => {
      if (this.#listening === undefined) resolve();
      else this.#server.close(() => resolve());
    });
  }

  send(to: readonly PeerId[], channel: ChannelId, bytes: Bytes): void {
    for (const peer of to) {
      const isSent = this.#linkOf(peer)?.send(channel, bytes) ?? true;
      // Only unsent transactions are reported: everything else is sent again anyway, with newer content.
      if (!isSent && channel === CHANNELS.mempool) this.#input({ kind: 'unsent', peer, channel, bytes });
    }
  }

  drop(peer: PeerId, reason: string): void {
    this.peers.onDrop(steadyNow(), peer, reason, this.#out);
    this.#rearm();
  }

  dial(order: DialOrder): Result<void, string> {
    if (this.#node === undefined || this.#isStopped) return err('the network is not running');
    const begun = this.peers.dialNow(steadyNow(), order, this.#out);
    this.#rearm();
    return begun;
  }

  bans(): readonly Ban[] {
    return this.peers.bans(steadyNow());
  }

  get listeners(): readonly string[] {
    return this.#listening === undefined ? [] : [showAddress(this.#listening)];
  }

  peerStatuses(): readonly PeerStatus[] {
    const now = steadyNow();
    return this.peers.connected().flatMap(({ id, info, ip, direction, upAt }) => {
      const link = this.#entries.get(id)?.link;
      if (link === undefined) return [];
      return [
        {
          info,
          ip,
          isOutbound: direction === 'outbound',
          upMicros: now - upAt,
          bytesSent: link.bytesSent,
          bytesReceived: link.bytesReceived,
          channels: link.connection.channelStates,
        },
      ];
    });
  }

  #makeOut(): PeersOut {
    const { log } = this.#options;
    return {
      dial: (link, address) => this.#dial(link, address),
      close: (link) => {
        const entry = this.#entries.get(link);
        this.#entries.delete(link);
        if (entry?.link !== undefined) entry.link.close();
        else entry?.socket.destroy();
      },
      up: (peer) => this.#input({ kind: 'peerUp', peer }),
      down: (peer) => this.#input({ kind: 'peerDown', peer }),
      sendPex: (link, bytes) => this.#entries.get(link)?.link?.send(CHANNELS.pex, bytes),
      note: (level, text, fields) => log[level](text, fields),
    };
  }

  #onAccept(socket: Socket): void {
    const ip = socket.remoteAddress;
    if (ip === undefined || this.#isStopped) {
      socket.destroy();
      return;
    }
    const accepted = this.peers.onInbound(steadyNow(), ip, this.#out);
    if (!accepted.ok) {
      this.#options.log.info('connection refused', { ip, reason: accepted.error });
      socket.on('error', () => {});
      socket.destroy();
      return;
    }
    const entry: Entry = { socket, link: undefined };
    this.#entries.set(accepted.value, entry);
    this.#shakeHands(accepted.value, entry, undefined);
  }

  #dial(id: LinkId, { id: peer, host, port }: PeerAddress): void {
    const socket = dialSocket(
      { host, port },
      this.#options.config.dialTimeoutMs,
      (open) => {
        this.peers.onDialled(id, open.remoteAddress ?? host);
        this.#shakeHands(id, entry, peer);
      },
      (reason) => this.#onEnded(id, reason, false),
    );
    const entry: Entry = { socket, link: undefined };
    this.#entries.set(id, entry);
  }

  #shakeHands(id: LinkId, entry: Entry, expectedId: PeerId | undefined): void {
    const { suite, nodeSeed, info, config, txBytesMax } = this.#options;
    const now = steadyNow();
    const connection = new Connection(now, {
      suite,
      nodeSeed,
      ephemeralSecret: new Uint8Array(randomBytes(32)),
      self: info,
      expectedId,
      channels: channelSpecs(txBytesMax),
      sendRate: config.sendRate,
      receiveRate: config.receiveRate,
      payloadBytesMax: config.payloadBytesMax,
      pingMs: config.pingMs,
      pongMsMax: config.pongMsMax,
      aead: nodeAead,
      keyExchange: nodeKeyExchange,
    });
    entry.link = new TcpLink({
      socket: entry.socket,
      connection,
      handshakeEnds: now + config.handshakeTimeoutMs * 1000,
      onEvent: (event) => this.#onEvent(id, event),
      onRead: () => this.#boundUnfinished(),
      onEnded: (reason, isFault) => this.#onEnded(id, reason, isFault),
      isOverloaded: () => this.#isOverloaded(this.peers.link(id)?.peer),
    });
  }

  #onEvent(id: LinkId, event: ConnectionEvent): void {
    const now = steadyNow();
    this.peers.onHeard(now, id);
    if (event.kind === 'ready') this.peers.onReady(now, id, event.peer, event.info, this.#out);
    else if (event.kind === 'message' && event.channel === CHANNELS.pex) {
      this.peers.onPex(now, id, event.bytes, this.#out);
    } else if (event.kind === 'message') {
      const { peer } = this.peers.link(id) ?? {};
      if (peer === undefined) return;
      const frame = { kind: 'frame', peer, channel: event.channel, bytes: event.bytes } as const;
      if (event.channel === CHANNELS.mempool) this.#transactions.push(frame);
      else {
        this.#waitingBytes += event.bytes.length;
        this.#input(frame);
      }
      return;
    }
    this.#rearm();
  }

  #onEnded(id: LinkId, reason: string, isFault: boolean): void {
    this.#entries.delete(id);
    if (this.#isStopped) return;
    this.peers.onEnded(steadyNow(), id, reason, isFault, this.#out);
    this.#rearm();
  }

  /** Drops the peers that have sent most of messages which they do not complete, if all have sent too much. */
  #boundUnfinished(): void {
    cutGreediest(
      this.#entries,
      ([, { link }]) => link?.connection.unfinishedBytes ?? 0,
      this.#options.unfinishedBytesMax ?? UNFINISHED_BYTES_MAX,
      ([id, { link }]) => {
        link?.close();
        this.#onEnded(id, 'most of what has arrived of incomplete messages is its own', false);
      },
    );
  }

  #isOverloaded(peer: PeerId | undefined): boolean {
    const backlog = this.#node?.backlog ?? 0;
    if (backlog === 0) this.#waitingBytes = 0;
    const { backlogBytesMax = BACKLOG_BYTES_MAX } = this.#options;
    if (backlog > BACKLOG_MAX || this.#waitingBytes > backlogBytesMax) return true;
    return peer !== undefined && this.#transactions.isFullOf(peer);
  }

  #input(input: Input): void {
    if (!this.#isStopped) this.#node?.input(input);
  }

  #linkOf(peer: PeerId): TcpLink | undefined {
    const id = this.peers.linkOf(peer);
    return id === undefined ? undefined : this.#entries.get(id)?.link;
  }

  #onWake(): void {
    this.#wake = undefined;
    this.peers.onTime(steadyNow(), this.#out);
    this.#rearm();
  }

  #rearm(): void {
    if (this.#isStopped || this.#node === undefined) return;
    this.#memory.onChange();
    clearTimeout(this.#wake);
    const waitMs = Math.ceil((this.peers.wakeAt() - steadyNow()) / 1000);
    this.#wake = setTimeout(() => this.#onWake(), Math.min(WAKE_MS_MAX, Math.max(WAKE_MS_MIN, waitMs)));
  }
}
