/**
 * The simulated network: a full mesh of connections that carry bytes.
 *
 * Fault model. A connection is what core sees of a TCP connection with an authenticated transport on top: frames in
 * order, `peerUp` when it is established, `peerDown` when it is gone. Beyond what TCP allows, single frames may be
 * lost, doubled, held back or damaged while the connection lives on. Safety must not depend on the transport, and
 * gossip has to recover from a lost frame by itself.
 * - Everything that one node sends to one peer during one event travels as one segment with one delay.
 * - A cut (partition) loses what is sent into it and what would arrive during it. Each end notices after a keep-alive
 *   time and drops the peer. When no partition is between them any more, one side redials. Nobody notices a one-way
 *   cut, unless another one cuts the other direction.
 * - A crash of the process closes its connections at once (the kernel does). A power cut is noticed by keep-alive.
 * - A dropped peer (the node's own decision) is redialled after a while.
 * - A clog delays segments that are sent during it, a rate spreads them, a reset breaks the connection.
 * - On a link with a rate the queue of transactions is short. A message that finds no room comes back to the node, as
 *   on a real wire.
 */
import { AssertionError, assert, present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type ChannelId } from '../../core/node/contract.ts';
import type { NetworkStats, Port, Steering } from '../port.ts';
import { hashBytes } from '../world/rolling.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { Arrival } from './arrival.ts';
import { Connection } from './connection.ts';
import { type Frame, Link, type LinkFaults } from './link.ts';

/** Messages with transactions that may wait for one peer. A real node allows a hundred, but here there are few. */
const TXS_QUEUE_MAX = 10;

const REDIAL_MICROS = { low: 10_000, high: 300_000 };
const KEEP_ALIVE_MICROS = { low: 1_000_000, high: 10_000_000 };
const DROPPED_REDIAL_MICROS = { low: 5_000_000, high: 15_000_000 };

export class Network {
  readonly stats: NetworkStats = {
    framesSent: 0,
    bytesSent: 0,
    segmentsDelivered: 0,
    framesLost: 0,
    resets: 0,
  };
  /** Without it all nodes are connected with each other. */
  steering: Steering | undefined;
  readonly #scheduler: Scheduler;
  readonly #ports: readonly Port[];
  readonly #indexOf: ReadonlyMap<string, number>;
  /** links[from][to]; a node has no link to itself. */
  readonly #links: readonly (readonly Link[])[];
  /** One for each pair of nodes, at [smaller][larger]. */
  readonly #connections: readonly (readonly Connection[])[];
  #dirty: Link[] = [];

  constructor(scheduler: Scheduler, ports: readonly Port[], faults: LinkFaults) {
    this.#scheduler = scheduler;
    this.#ports = ports;
    this.#indexOf = new Map(ports.map((port, i) => [port.name, i]));
    const label = (from: Port, to: Port): string => `link/${from.name}>${to.name}`;
    this.#links = ports.map((from, i) =>
      ports.map((to, j) => new Link(i, j, label(from, to), faults, scheduler.choices)),
    );
    this.#connections = ports.map((a, i) =>
      ports.map((b, j) => new Connection(i, j, scheduler.choices.stream(`connection/${a.name}-${b.name}`))),
    );
  }

  indexOf(name: string): number {
    const index = this.#indexOf.get(name);
    if (index === undefined) throw new AssertionError(`no node called ${name}`);
    return index;
  }

  link(from: number, to: number): Link {
    assert(from !== to, 'a node has no link to itself');
    return present(this.#links[from]?.[to], 'link');
  }

  /**
   * Whether the two may be connected, and nothing between them is cut, clogged or always lost: now, in both directions.
   */
  joins(a: number, b: number): boolean {
    const { now } = this.#scheduler;
    return !this.#connection(a, b).isForbidden && this.link(a, b).isOpen(now) && this.link(b, a).isOpen(now);
  }

  /** When the current connection of the two was made; undefined when an end has lost it. */
  joinedSince(a: number, b: number): number | undefined {
    return this.#connection(a, b).since;
  }

  /** Queues a frame; it leaves with the others of this event at `flush`. */
  send(from: number, to: readonly string[], channel: ChannelId, bytes: Bytes): void {
    const frame: Frame = { channel, bytes, hash: hashBytes(bytes, channel), sentAt: this.#scheduler.now };
    for (const name of to) {
      const target = this.#indexOf.get(name);
      if (target === undefined || target === from) continue;
      if (!this.#connection(from, target).isUp(from)) continue;
      const link = this.link(from, target);
      if (link.isWaiting(this.#scheduler.now, frame)) continue;
      if (channel === CHANNELS.mempool && link.txsWaiting(this.#scheduler.now) >= TXS_QUEUE_MAX) {
        this.#port(from).unsent(name, channel, bytes);
        continue;
      }
      if (link.outbox.length === 0) {
        this.#dirty.push(link);
        // Most segments are one frame, and a literal takes no more memory than that.
        link.outbox = [frame];
      } else link.outbox.push(frame);
      this.stats.framesSent++;
      this.stats.bytesSent += bytes.length;
    }
  }

  /** Sends off what the present event queued. */
  flush(): void {
    if (this.#dirty.length === 0) return;
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const link of dirty) {
      const frames = link.outbox;
      link.outbox = [];
      this.#depart(link, frames);
    }
  }

  /** The process listens again: connects it with every other that listens. */
  nodeUp(node: number): void {
    this.steering?.nodeUp(node);
    for (let other = 0; other < this.#ports.length; other++)
      if (other !== node) this.#dial(node, other, REDIAL_MICROS);
  }

  /** The process is gone. `silently`: as in a power cut, its connections are not closed. */
  nodeDown(node: number, silently: boolean): void {
    for (let other = 0; other < this.#ports.length; other++) {
      if (other === node) continue;
      const connection = this.#connection(node, other);
      connection.lose(node);
      this.#clear(connection);
      if (!connection.isUp(other)) continue;
      const wait = silently ? connection.choices.between(KEEP_ALIVE_MICROS.low, KEEP_ALIVE_MICROS.high) : 1;
      this.#noticeLater(connection, other, wait, () => true);
    }
    this.steering?.nodeDown(node);
  }

  /** Both ends keep a connection that one of them has dialled. */
  establish(a: number, b: number): void {
    this.#connection(a, b).establish(this.#scheduler.now);
  }

  /** This end has given the connection up. */
  leave(node: number, other: number): void {
    this.#connection(node, other).lose(node);
  }

  /** These two never have a connection. */
  separate(a: number, b: number): void {
    this.#connection(a, b).isForbidden = true;
  }

  /**
   * Only nodes of one group hear each other. Nodes in no group form one of their own.
   * @returns A function that ends this partition only, and says whether it was still there; undefined if it separates
   * nobody.
   */
  partition(groups: readonly (readonly number[])[], oneWay: boolean): (() => boolean) | undefined {
    const own = {};
    let isSplit = false;
    const groupOf = (node: number): number => groups.findIndex((group) => group.includes(node));
    this.#eachPair((a, b) => {
      const from = groupOf(a);
      const to = groupOf(b);
      if (from === to) return;
      isSplit = true;
      const wasCut = this.#isCut(a, b);
      // One way: messages of the first group to the others are lost, and the answers arrive.
      if (!oneWay || from === 0) this.link(a, b).cuts.add(own);
      if (!oneWay || to === 0) this.link(b, a).cuts.add(own);
      if (!oneWay || (!wasCut && this.#isCut(a, b))) this.#noticeCut(a, b);
    });
    if (!isSplit) return undefined;
    return () => this.#mend((cuts) => cuts.delete(own));
  }

  /**
   * Ends all partitions.
   * @returns Whether there was one.
   */
  heal(): boolean {
    return this.#mend((cuts) => {
      const wasCut = cuts.size > 0;
      cuts.clear();
      return wasCut;
    });
  }

  /** @returns Whether `mend` has removed a cut from any link. */
  #mend(mend: (cuts: Set<object>) => boolean): boolean {
    let isMended = false;
    this.#eachPair((a, b) => {
      const links = [this.link(a, b), this.link(b, a)];
      if (links.filter(({ cuts }) => mend(cuts)).length === 0) return;
      isMended = true;
      if (links.some(({ cut }) => cut)) return;
      // Frames may have been lost in the cut, and a stream with a hole cannot go on.
      if (this.steering !== undefined) this.#break(this.#connection(a, b));
      this.#dial(a, b, REDIAL_MICROS);
    });
    return isMended;
  }

  /** Nothing sent to or by the node arrives before `until`. A clog of the other end may last longer. */
  clog(node: number, until: number): void {
    for (let other = 0; other < this.#ports.length; other++) {
      if (other === node) continue;
      for (const link of [this.link(node, other), this.link(other, node)])
        link.clogUntil = Math.max(link.clogUntil, until);
    }
  }

  /** The node no longer wants this peer. */
  drop(node: number, peer: string, reason: string): void {
    const other = this.#indexOf.get(peer);
    if (other === undefined || other === node) return;
    const connection = this.#connection(node, other);
    if (!connection.isUp(node)) return;
    if (this.steering !== undefined) {
      this.steering.drop(node, other, reason);
      return;
    }
    this.#break(connection);
    this.#dial(node, other, DROPPED_REDIAL_MICROS);
  }

  #depart(link: Link, frames: readonly Frame[]): void {
    if (link.cut) {
      this.stats.framesLost += frames.length;
      return;
    }
    const { faults } = link;
    const connection = this.#connection(link.from, link.to);
    if (link.happens('reset', faults.resetPpm)) {
      this.stats.resets++;
      this.#break(connection);
      this.#dial(link.from, link.to, REDIAL_MICROS);
      return;
    }
    const segment = this.#withFrameFaults(link, frames);
    if (segment.length === 0) return;
    const bytes = segment.reduce((sum, frame) => sum + frame.bytes.length, 0);
    let at = link.arrival(this.#scheduler.now, bytes, segment);
    if (link.happens('reorder', faults.reorderPpm)) at += link.extraDelay('reorder');
    this.#arriveAt(at, connection, link, segment);
  }

  #withFrameFaults(link: Link, frames: readonly Frame[]): readonly Frame[] {
    const { lossPpm, dupPpm, corruptPpm } = link.faults;
    if (lossPpm === 0 && dupPpm === 0 && corruptPpm === 0) return frames;
    const out: Frame[] = [];
    for (const frame of frames) {
      if (link.happens('loss', lossPpm)) {
        this.stats.framesLost++;
        continue;
      }
      const sent = link.happens('corrupt', corruptPpm) ? link.corrupted(frame) : frame;
      out.push(sent);
      if (!link.happens('dup', dupPpm)) continue;
      const at = Math.max(this.#scheduler.now, link.clogUntil) + link.extraDelay('dup');
      this.#arriveAt(at, this.#connection(link.from, link.to), link, [sent]);
    }
    return out;
  }

  #arriveAt(at: number, connection: Connection, link: Link, frames: readonly Frame[]): void {
    this.#scheduler.add(new Arrival(at, connection, link, frames, this.#arrived));
  }

  readonly #arrived = ({ connection, epoch, link, frames }: Arrival): void => {
    const port = this.#port(link.to);
    if (connection.epoch !== epoch || link.cut || !port.listening || !connection.isUp(link.to)) {
      this.stats.framesLost += frames.length;
      return;
    }
    this.stats.segmentsDelivered++;
    this.steering?.heard(link.to, link.from);
    port.frames(this.#port(link.from).name, frames);
  };

  /** Both ends learn that the connection is gone; what is in flight is lost. */
  #break(connection: Connection): void {
    connection.epoch++;
    this.#clear(connection);
    for (const end of [connection.a, connection.b]) this.#noticeLater(connection, end, 1, () => true);
  }

  #clear({ a, b }: Connection): void {
    this.link(a, b).clear();
    this.link(b, a).clear();
  }

  #isCut(a: number, b: number): boolean {
    return this.link(a, b).cut && this.link(b, a).cut;
  }

  #noticeCut(a: number, b: number): void {
    const connection = this.#connection(a, b);
    for (const end of [a, b]) {
      const wait = connection.choices.between(KEEP_ALIVE_MICROS.low, KEEP_ALIVE_MICROS.high);
      this.#noticeLater(connection, end, wait, () => this.#isCut(a, b));
    }
  }

  #noticeLater(connection: Connection, end: number, wait: number, still: () => boolean): void {
    const { epoch } = connection;
    this.#scheduler.schedule(this.#scheduler.now + wait, () => {
      if (connection.epoch === epoch && still()) this.#down(connection, end);
      return undefined;
    });
  }

  #down(connection: Connection, end: number): void {
    if (!connection.isUp(end)) return;
    connection.lose(end);
    if (this.steering !== undefined) this.steering.lost(end, connection.other(end));
    else this.#port(end).peerDown(this.#port(connection.other(end)).name);
  }

  #dial(a: number, b: number, wait: { readonly low: number; readonly high: number }): void {
    const connection = this.#connection(a, b);
    if (connection.isForbidden || this.steering !== undefined) return;
    const attempt = connection.newAttempt();
    const at = this.#scheduler.now + connection.choices.between(wait.low, wait.high);
    this.#scheduler.schedule(at, () => {
      const open =
        this.#port(a).listening && this.#port(b).listening && !this.link(a, b).cut && !this.link(b, a).cut;
      if (open && connection.isAttempt(attempt)) this.#connect(connection);
      return undefined;
    });
  }

  #connect(connection: Connection): void {
    this.#down(connection, connection.a);
    this.#down(connection, connection.b);
    this.#clear(connection);
    connection.establish(this.#scheduler.now);
    this.#port(connection.a).peerUp(this.#port(connection.b).name);
    this.#port(connection.b).peerUp(this.#port(connection.a).name);
  }

  #connection(a: number, b: number): Connection {
    return present(this.#connections[Math.min(a, b)]?.[Math.max(a, b)], 'connection');
  }

  #port(node: number): Port {
    return present(this.#ports[node], 'port');
  }

  #eachPair(visit: (a: number, b: number) => void): void {
    for (let a = 0; a < this.#ports.length; a++) for (let b = a + 1; b < this.#ports.length; b++) visit(a, b);
  }
}
