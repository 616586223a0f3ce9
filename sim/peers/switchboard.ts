/**
 * Peers in the simulated world. Each node runs the peer manager of the real node (core/p2p/peers.ts) over simulated
 * sockets. So addresses, limits, dials and bans decide who is connected with whom, and not the network.
 *
 * A dial takes one trip to arrive and another to shake hands. Then both ends decide, as they do over TCP. The handshake
 * itself (keys, sealed frames) is not simulated: the identity of the other end is always true here.
 */
import { present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { KnownAddress } from '../../core/p2p/addressBook.ts';
import type { LinkId, PeerLink } from '../../core/p2p/links.ts';
import { BLOCK_PROTOCOL, checkNodeInfo, P2P_PROTOCOL } from '../../core/p2p/nodeInfo.ts';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import type { PeerId } from '../../core/types/ids.ts';
import type { NodeInfo } from '../../core/types/peer.ts';
import { CHAIN_ID } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import type { Steering } from '../port.ts';
import type { PeersSpec } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { idOf, ipOf, P2P_PORT } from './addresses.ts';
import { PeerHost } from './peerHost.ts';
import { Saved } from './saved.ts';
import { type End, other, Socket } from './socket.ts';

/** As `dial_timeout` sets it. */
export const DIAL_MICROS = 3_000_000;
/** Bytes of a dial and of a handshake, for links with a rate. */
const HANDSHAKE_BYTES = 1000;
/** A kernel repeats what is not acknowledged. */
const AGAIN_MICROS = 1_000_000;
/** How often a paused process is looked at again. */
const PAUSED_MICROS = 100_000;

export class Switchboard implements Steering {
  readonly #world: World;
  readonly #spec: PeersSpec;
  readonly #saved: readonly Saved[];
  readonly #hosts: (PeerHost | undefined)[];
  readonly #byIp: ReadonlyMap<string, number>;
  readonly #byId: ReadonlyMap<string, number>;

  constructor(world: World, spec: PeersSpec) {
    this.#world = world;
    this.#spec = spec;
    this.#saved = world.processes.map(() => new Saved());
    this.#hosts = world.processes.map(() => undefined);
    this.#byIp = new Map(world.processes.map(({ index }) => [ipOf(index), index]));
    this.#byId = new Map(world.processes.map(({ index, name }) => [idOf(name), index]));
    for (const process of world.processes) {
      process.peerCounts = {
        connected: () => this.establishedOf(process.index).length,
        banned: () => this.bannedBy(process.index).length,
      };
    }
  }

  get spec(): PeersSpec {
    return this.#spec;
  }

  /** The operators named it, so no limit of another node counts it or keeps it out, and its bans are short. */
  isNeeded(name: string): boolean {
    return this.#spec.persistent.includes(name) || this.#spec.unconditional.includes(name);
  }

  /** Connections of a node that both ends keep: the node at the other end, and who dialled. */
  establishedOf(node: number): readonly { readonly node: number; readonly isOutbound: boolean }[] {
    return (this.#hosts[node]?.ends() ?? [])
      .filter((end) => end.isTold)
      .map((end) => ({ node: other(end).node, isOutbound: end.socket.dialler === end }));
  }

  /** Nodes whose ban is in force at this one. */
  bannedBy(node: number): readonly number[] {
    const bans = this.#hosts[node]?.peers.bans(this.#world.now) ?? [];
    return bans.flatMap(({ peer }) => this.#byId.get(peer) ?? []);
  }

  /** How often in a row the node's peer manager was woken for nothing. */
  vainWakesOf(node: number): number {
    return this.#hosts[node]?.vainWakes ?? 0;
  }

  /** Peers that a node has dialled, as it believes, whatever became of the dials. */
  calledBy(node: number): readonly PeerId[] {
    const ends = this.#hosts[node]?.ends() ?? [];
    return ends.filter((end) => end.socket.dialler === end).map(({ socket }) => socket.calledAs);
  }

  /** When the last dial of a node to this peer ended, as it believes, or the connection that the dial led to. */
  dialEndedAt(node: number, peer: string): number | undefined {
    return this.#hosts[node]?.dialEndedAt(idOf(peer));
  }

  /** Connections that a node keeps, whatever the other ends do; nothing while it is down. */
  keptBy(node: number): readonly Readonly<PeerLink>[] {
    return this.#hosts[node]?.peers.connected() ?? [];
  }

  /** What the address book of a node holds; nothing while it is down. */
  bookOf(node: number): readonly Readonly<KnownAddress>[] {
    return this.#hosts[node]?.peers.book.entries() ?? [];
  }

  /** Until when a node bans another; undefined when it does not. */
  banEnd(node: number, peer: string): number | undefined {
    return this.#hosts[node]?.peers.bans(this.#world.now).find((ban) => ban.peer === idOf(peer))?.until;
  }

  nodeUp(node: number): void {
    const process = this.#process(node);
    const host = new PeerHost({
      process,
      spec: this.#spec,
      world: this.#world,
      saved: present(this.#saved[node], 'saved'),
      dial: (link, address) => this.#dial(host, link, address),
      closed: (end) => this.#onClosed(end),
      left: (end) => this.#untell(end),
      sendPex: (end, bytes) => this.#sendPex(end, bytes),
    });
    this.#hosts[node] = host;
    host.start();
  }

  nodeDown(node: number): void {
    const host = this.#hosts[node];
    if (host === undefined) return;
    this.#hosts[node] = undefined;
    host.stop();
    // The kernel closes what the process had open; a cut or a power loss is noticed later, by keep-alive.
    for (const end of host.ends()) if (!end.isTold) this.#onClosed(end);
  }

  /** The connection of `node` with `peer` is gone. */
  lost(node: number, peer: number): void {
    const end = this.#hosts[node]?.endWith(peer);
    if (end !== undefined) this.#ended(end, 'the connection is closed');
  }

  heard(node: number, peer: number): void {
    const host = this.#hosts[node];
    const end = host?.endWith(peer);
    if (end !== undefined) host?.peers.onHeard(this.#world.now, end.link);
  }

  drop(node: number, peer: number, reason: string): void {
    const host = this.#hosts[node];
    host?.act((out) => host.peers.onDrop(this.#world.now, idOf(this.#process(peer).name), reason, out));
  }

  #process(node: number): Process {
    return present(this.#world.processes[node], 'process');
  }

  /** When a segment would arrive between these two; undefined when nothing passes. */
  #arrival(from: number, to: number, bytes: number): number | undefined {
    const link = this.#world.network.link(from, to);
    return link.cut ? undefined : link.arrival(this.#world.now, bytes);
  }

  /** Runs `act` at that time in this life of the node, or later if the node is paused. */
  #at(at: number, host: PeerHost, act: () => void): void {
    this.#world.schedule(at, () => {
      if (this.#hosts[host.node] !== host) return undefined;
      if (host.isPaused) this.#at(this.#world.now + PAUSED_MICROS, host, act);
      else act();
      return undefined;
    });
  }

  #dial(host: PeerHost, link: LinkId, address: PeerAddress): void {
    this.#world.witness({ kind: 'called', node: host.process, address });
    const target = address.port === P2P_PORT ? this.#byIp.get(address.host) : undefined;
    const at =
      target === undefined || target === host.node
        ? undefined
        : this.#arrival(host.node, target, HANDSHAKE_BYTES);
    const socket = new Socket(host.node, target ?? host.node, link, address.id);
    host.open(socket.dialler);
    if (at === undefined || target === undefined) {
      this.#at(this.#world.now + DIAL_MICROS, host, () =>
        this.#ended(socket.dialler, 'the dial takes too long'),
      );
      return;
    }
    this.#world.schedule(at, () => {
      this.#accept(socket, host, address);
      return undefined;
    });
  }

  /** The dial has arrived. */
  #accept(socket: Socket, dialler: PeerHost, address: PeerAddress): void {
    const { acceptor } = socket;
    const host = this.#hosts[acceptor.node];
    const back = this.#arrival(acceptor.node, dialler.node, HANDSHAKE_BYTES);
    if (host === undefined || back === undefined) {
      const reason = host === undefined ? 'connection refused' : 'the dial takes too long';
      const at = back ?? this.#world.now + DIAL_MICROS;
      this.#at(at, dialler, () => this.#ended(socket.dialler, reason));
      return;
    }
    let isAccepted = false;
    host.act((out) => {
      const link = host.peers.onInbound(this.#world.now, ipOf(dialler.node), out);
      if (!link.ok) return;
      isAccepted = true;
      acceptor.link = link.value;
      host.open(acceptor);
    });
    this.#at(back, dialler, () => {
      if (isAccepted) this.#shakeHands(socket, dialler, host, address);
      else this.#ended(socket.dialler, 'the peer closed the connection');
    });
  }

  /** Both ends know now who the other is, and each decides for itself. */
  #shakeHands(socket: Socket, a: PeerHost, b: PeerHost, address: PeerAddress): void {
    const { dialler, acceptor } = socket;
    const isCut = this.#world.network.link(a.node, b.node).cut;
    if (isCut || this.#hosts[b.node] !== b || !dialler.isOpen || !acceptor.isOpen) {
      this.#ended(dialler, 'the connection is closed');
      return;
    }
    const [infoA, infoB] = [infoOf(a.process), infoOf(b.process)];
    a.peers.onDialled(dialler.link, ipOf(b.node));
    const fits =
      infoB.id === address.id
        ? checkNodeInfo(infoA, infoB, infoB.id)
        : ({ ok: false, error: `the peer is ${infoB.id}, not ${address.id}` } as const);
    if (!fits.ok) {
      this.#ended(dialler, fits.error);
      this.#onClosed(dialler);
      return;
    }
    a.act((out) => a.peers.onReady(this.#world.now, dialler.link, infoB.id, infoB, out));
    b.act((out) => b.peers.onReady(this.#world.now, acceptor.link, infoA.id, infoA, out));
    for (const [end, host] of [
      [dialler, a],
      [acceptor, b],
    ] as const)
      if (end.isOpen) end.keptAt = this.#world.now;
      else
        this.#world.witness({
          kind: 'refused',
          node: host.process,
          peer: this.#process(other(end).node),
          isOutbound: end === dialler,
        });
    if (!dialler.isOpen || !acceptor.isOpen) return;
    this.#world.network.establish(a.node, b.node);
    for (const end of [dialler, acceptor]) {
      end.isTold = true;
      this.#process(end.node).peerUp(this.#process(other(end).node).name);
      this.#world.witness({
        kind: 'connected',
        node: this.#process(end.node),
        peer: this.#process(other(end).node),
      });
    }
    a.onEstablished(dialler);
    b.onEstablished(acceptor);
  }

  /** One end has closed. The other hears of it a trip later. */
  #onClosed(end: End): void {
    end.isOpen = false;
    const far = other(end);
    const host = this.#hosts[far.node];
    if (host === undefined || !far.isOpen || end.node === far.node) return;
    const at = this.#arrival(end.node, far.node, 1);
    if (at === undefined) {
      // Once both have told their nodes, the network's keep-alive handles it. Before that the kernel sends it again.
      if (!far.isTold) this.#at(this.#world.now + AGAIN_MICROS, host, () => this.#onClosed(end));
      return;
    }
    this.#at(at, host, () => {
      // An end left open by a power loss belongs to a life that is over. The next life counts its links from one again.
      if (host.holds(far)) this.#ended(far, 'the peer closed the connection');
    });
  }

  #ended(end: End, reason: string): void {
    if (!end.isOpen) return;
    end.isOpen = false;
    const host = this.#hosts[end.node];
    host?.act((out) => host.peers.onEnded(this.#world.now, end.link, reason, false, out));
    if (host !== undefined && end.keptAt !== undefined && !end.isTold)
      this.#world.witness({
        kind: 'closedByPeer',
        node: host.process,
        peer: this.#process(other(end).node),
        micros: this.#world.now - end.keptAt,
      });
    this.#untell(end);
    host?.forget(end);
  }

  /** The node above hears that the peer is gone, if it knew it. */
  #untell(end: End): void {
    if (!end.isTold) return;
    end.isTold = false;
    this.#world.network.leave(end.node, other(end).node);
    if (this.#hosts[end.node] === undefined) return;
    this.#process(end.node).peerDown(this.#process(other(end).node).name);
  }

  #sendPex(end: End, bytes: Bytes): void {
    const far = other(end);
    const [from, to] = [this.#process(end.node), this.#process(far.node)];
    this.#world.witness({ kind: 'pexSaid', node: from, link: end.link, bytes });
    const host = this.#hosts[far.node];
    const sentAt = this.#world.now;
    const at = this.#arrival(end.node, far.node, bytes.length);
    if (host === undefined || at === undefined) return;
    this.#at(at, host, () => {
      // An end left open by a power loss belongs to a life that is over.
      if (!far.isOpen || !host.holds(far)) return;
      this.#world.remarkFrame(to, from, { channel: CHANNELS.pex, bytes, sentAt });
      this.#world.witness({ kind: 'pexHeard', node: to, link: far.link, bytes });
      host.act((out) => host.peers.onPex(this.#world.now, far.link, bytes, out));
      this.#world.witness({ kind: 'pexHandled', node: to, peer: from });
    });
  }
}

const infoOf = ({ name, version }: Process): NodeInfo => ({
  protocol: { p2p: P2P_PROTOCOL, block: BLOCK_PROTOCOL, app: 0 },
  id: idOf(name),
  listenAddress: `tcp://0.0.0.0:${P2P_PORT}`,
  network: CHAIN_ID,
  version,
  channels: new Uint8Array([0x00, 0x20, 0x21, 0x22, 0x23, 0x30, 0x38, 0x40]),
  moniker: name,
  other: { txIndex: 'on', rpcAddress: '' },
});
