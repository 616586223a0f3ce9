/** The peer manager of one life of one node, with what the real host has around it: timer, files and sockets. */
import { present } from '../../core/lib/assert.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import type { LinkId } from '../../core/p2p/links.ts';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import { Peers } from '../../core/p2p/peers.ts';
import type { PeersOut } from '../../core/p2p/peersContract.ts';
import type { Micros, PeerId } from '../../core/types/ids.ts';
import type { Process } from '../machine/process.ts';
import type { PeersSpec } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { addressOf, idOf } from './addresses.ts';
import { liesOf, type PexLies } from './pexLies.ts';
import type { Saved } from './saved.ts';
import { type End, other } from './socket.ts';

/**
 * As in the adapter: the interval at which the book is saved, the delay of saving bans, and how long the timer sleeps.
 */
const SAVE_BOOK_MICROS = 120_000_000;
const SAVE_BANS_MICROS = 1_000_000;
const WAKE_MICROS = { min: 20_000, max: 30_000_000 };

export interface PeerHostOptions {
  readonly process: Process;
  readonly spec: PeersSpec;
  readonly world: World;
  readonly saved: Saved;
  readonly dial: (link: LinkId, address: PeerAddress) => void;
  /** This end of a socket was closed. */
  readonly closed: (end: End) => void;
  /** The peer manager has given the peer up. */
  readonly left: (end: End) => void;
  readonly sendPex: (end: End, bytes: Bytes) => void;
}

export class PeerHost {
  readonly peers: Peers;
  readonly process: Process;
  readonly #options: PeerHostOptions;
  readonly #ends = new Map<LinkId, End>();
  readonly #dialEnds = new Map<PeerId, Micros>();
  readonly #out: PeersOut;
  readonly #lies: PexLies | undefined;
  /** How often in a row it was woken and wanted to be woken again at once. */
  vainWakes = 0;
  #isStopped = false;
  #wakeAt = Number.MAX_SAFE_INTEGER;
  #savedBans = 0;
  #areBansDue = false;

  constructor(options: PeerHostOptions) {
    const { process, spec, world } = options;
    this.#options = options;
    this.process = process;
    const dice = world.choices.stream(`peers/${process.name}`);
    const addresses = (names: readonly string[]): PeerAddress[] =>
      names.map((name) => addressOf(world.network.indexOf(name), name));
    this.peers = new Peers(
      {
        self: idOf(process.name),
        persistent: addresses(spec.persistent),
        seeds: addresses(spec.seeds),
        inboundMax: spec.inboundMax,
        outboundMax: spec.outboundMax,
        unconditional: new Set(spec.unconditional.map(idOf)),
        privateIds: new Set(spec.privateNodes.map(idOf)),
        allowDuplicateIp: false,
        isStrict: true,
        pex: true,
        seedMode: spec.seedMode && spec.seeds.includes(process.name),
        persistentDialMsMax: 0,
      },
      (n) => dice.choose(n),
    );
    this.#out = this.#makeOut();
    this.#lies = liesOf(
      spec.liars.get(process.name),
      world.choices.stream(`pexLies/${process.name}`),
      world.processes.filter((one) => one !== process).map(({ name }) => idOf(name)),
    );
  }

  get node(): number {
    return this.process.index;
  }

  get isPaused(): boolean {
    return this.process.state === 'paused';
  }

  start(): void {
    const { saved, world } = this.#options;
    saved.fill(this.peers.book);
    this.peers.restoreBans(world.now, saved.bans);
    this.#saveBookLater();
    this.act((out) => this.peers.onTime(world.now, out));
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Open ends in the order of their links. */
  ends(): readonly End[] {
    return [...this.#ends.values()];
  }

  /** The end of the connection with this node that both ends keep. */
  endWith(node: number): End | undefined {
    return this.ends().find((end) => end.isTold && other(end).node === node);
  }

  holds(end: End): boolean {
    return this.#ends.get(end.link) === end;
  }

  open(end: End): void {
    this.#ends.set(end.link, end);
  }

  forget(end: End): void {
    if (!this.holds(end)) return;
    this.#ends.delete(end.link);
    const { dialler, calledAs } = end.socket;
    if (end === dialler) this.#dialEnds.set(calledAs, this.#options.world.now);
  }

  /** When its last dial to this peer ended, or the connection that it led to; undefined before. */
  dialEndedAt(peer: PeerId): Micros | undefined {
    return this.#dialEnds.get(peer);
  }

  /** Lets the peer manager work. Then updates its timer and its files. */
  act(work: (out: PeersOut) => void): void {
    if (this.#isStopped) return;
    work(this.#out);
    this.#rearm();
  }

  onEstablished(end: End): void {
    for (const bytes of this.#lies?.greeting() ?? []) this.#options.sendPex(end, this.#lie(bytes));
  }

  #lie(bytes: Bytes): Bytes {
    this.process.addressLies++;
    this.#options.world.lies.add(bytes);
    return bytes;
  }

  #makeOut(): PeersOut {
    const { dial, closed, left, sendPex, world } = this.#options;
    return {
      dial,
      close: (link) => {
        const end = this.#ends.get(link);
        if (end === undefined) return;
        this.forget(end);
        closed(end);
        left(end);
      },
      // The switchboard tells the node, once both ends have accepted.
      up: () => {},
      down: () => {},
      sendPex: (link, bytes) => {
        const end = this.#ends.get(link);
        if (end === undefined) return;
        const peer = present(world.processes[other(end).node], 'process').name;
        for (const said of this.#lies?.instead(bytes)?.map((lie) => this.#lie(lie)) ?? [bytes])
          for (const one of this.process.wrapper?.exchange(peer, said) ?? [said]) {
            if (!equalBytes(one, said)) world.lies.add(one);
            sendPex(end, one);
          }
      },
      note: (_level, text, fields) =>
        world.remark(
          'peers',
          this.process,
          `${text} ${Object.entries(fields)
            .map(([key, value]) => `${key}=${value}`)
            .join(' ')}`,
        ),
    };
  }

  #rearm(): void {
    const { world } = this.#options;
    this.#saveBansSoon();
    const wait = this.peers.wakeAt() - world.now;
    const at = world.now + Math.min(WAKE_MICROS.max, Math.max(WAKE_MICROS.min, wait));
    if (this.#wakeAt > world.now && this.#wakeAt <= at) return;
    this.#wakeAt = at;
    world.schedule(at, () => {
      if (this.#isStopped || this.#wakeAt !== at) return undefined;
      this.#wakeAt = Number.MAX_SAFE_INTEGER;
      if (this.isPaused) this.#rearm();
      else this.#onWake();
      return undefined;
    });
  }

  #onWake(): void {
    const { world } = this.#options;
    this.act((out) => this.peers.onTime(world.now, out));
    this.vainWakes = this.peers.wakeAt() <= world.now ? this.vainWakes + 1 : 0;
  }

  #saveBansSoon(): void {
    const { world, saved } = this.#options;
    if (this.peers.standings.version === this.#savedBans || this.#areBansDue) return;
    this.#areBansDue = true;
    world.schedule(world.now + SAVE_BANS_MICROS, () => {
      if (this.#isStopped) return undefined;
      this.#areBansDue = false;
      this.#savedBans = this.peers.standings.version;
      saved.keepBans(this.peers.bans(world.now));
      return undefined;
    });
  }

  #saveBookLater(): void {
    const { world, saved } = this.#options;
    world.schedule(world.now + SAVE_BOOK_MICROS, () => {
      if (this.#isStopped) return undefined;
      saved.keepBook(this.peers.book);
      this.#saveBookLater();
      return undefined;
    });
  }
}
