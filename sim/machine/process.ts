import { assert, present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type ChannelId, type Input } from '../../core/node/contract.ts';
import { NO_LOSSES, type StaleState } from '../../core/node/silence.ts';
import type { LightBlock } from '../../core/types/evidence.ts';
import type { Wire } from '../clients/wire.ts';
import type { Disk } from '../disk/disk.ts';
import type { PowerLoss } from '../disk/powerLoss.ts';
import { consensusTopics, isPoolGossip } from '../network/frameKinds.ts';
import type { Frame } from '../network/link.ts';
import type { Port } from '../port.ts';
import type { Pace } from '../scenario/scenario.ts';
import type { Position } from '../world/facts.ts';
import type { World } from '../world/world.ts';
import type { NodeClock } from './clock.ts';
import { Life } from './life.ts';
import type { Signer, SignerState } from './signer.ts';
import type { NodeFactory, SimNode } from './simNode.ts';

/** Changes what a Byzantine node hears and says. The core inside stays what it is. */
export interface Wrapper {
  /** Inputs that the node gets instead of this one. */
  input(input: Input): readonly Input[];
  /** Called for each effect before it is performed; what comes back is performed instead. */
  effect(effect: Parameters<Life['perform']>[0]): readonly Parameters<Life['perform']>[0][];
  /** What is sent instead to this peer in the exchange of addresses, which bypasses the node. */
  exchange(peer: string, bytes: Bytes): readonly Bytes[];
}

export interface ProcessOptions {
  readonly name: string;
  readonly index: number;
  /** False for a node that the scenario declares Byzantine: no invariant covers it. */
  readonly isCorrect: boolean;
  readonly clock: NodeClock;
  readonly disk: Disk<SignerState>;
  readonly signer: Signer | undefined;
  readonly factory: NodeFactory;
}

/** What waits until a process resumes, and the life that it is meant for. */
interface Held {
  readonly life: Life;
  act(): Promise<void> | undefined;
}

export type ProcessState = 'down' | 'up' | 'paused' | 'halted';

const POSITION_ZERO: Position = { height: 0, round: 0, step: 0 };

/** One machine of the cluster: it outlives the lives of the node that runs on it. */
export class Process implements Port {
  readonly name: string;
  readonly index: number;
  readonly isCorrect: boolean;
  readonly clock: NodeClock;
  readonly disk: Disk<SignerState>;
  readonly signer: Signer | undefined;
  wrapper: Wrapper | undefined;
  state: ProcessState = 'down';
  /** Why the node stopped itself. */
  haltReason: string | undefined;
  position: Position = POSITION_ZERO;
  /** Its last step of consensus, when it was looked at last. */
  lastStep = -1;
  /** Highest height that the node has decided, stored and announced. */
  decided = 0;
  /** The highest height that it has ever decided. A hard rollback takes the block back. */
  reached = 0;
  /** The height that it has to decide before it knows again what its last disk knew; 0: nothing is forgotten. */
  forgotten = 0;
  lives = 0;
  /** How often it decided to drop a peer. */
  drops = 0;
  /** How often it lied in the exchange of addresses. */
  addressLies = 0;
  /** How often its operator emptied its pool. */
  flushes = 0;
  /** How many transactions of clients and peers its pool has taken. */
  admissions = 0;
  /** The node was told to empty its pool, and has not said yet that it did. */
  isFlushing = false;
  /** Counts of its peer manager; undefined where the network connects all nodes. */
  peerCounts: { connected(): number; banned(): number } | undefined;
  /** Websockets that clients hold open to it. */
  readonly wires = new Set<Wire>();
  /** Clients that take up a place of those who listen at it or wait for a block. */
  readonly seated = new Set<object>();
  /** Longest time, in virtual µs, that consensus waited for its turn at the application. */
  stallMicros = 0;
  pace: Pace = {};
  /** What a Byzantine node serves light clients instead of the chain's block. */
  lightLies: ((height: number) => LightBlock | undefined) | undefined;
  /** Version of the program that the next life runs. */
  version = 'simulated';
  /** Overrides what the scenario says of all nodes. */
  isIndexed: boolean | undefined;
  readonly #world: World;
  readonly #factory: NodeFactory;
  readonly #peers = new Set<string>();
  /**
   * Peers with connections of which the node has not been told yet, and their number. The node means earlier
   * connections.
   */
  readonly #unheard = new Map<string, number>();
  #life: Life | undefined;
  #node: SimNode | undefined;
  /** What the log has lost and the signer has not been told yet. */
  #losses = NO_LOSSES;
  /** What would have happened to a paused process. It happens at once, and in order, when the process resumes. */
  #held: Held[] = [];
  /** How many of them it has done since it resumed. */
  #caughtUp = 0;

  constructor(world: World, options: ProcessOptions) {
    this.#world = world;
    this.#factory = options.factory;
    this.name = options.name;
    this.index = options.index;
    this.isCorrect = options.isCorrect;
    this.clock = options.clock;
    this.disk = options.disk;
    this.signer = options.signer;
  }

  get node(): SimNode | undefined {
    return this.#node;
  }

  /** Height of the newest block that clients are served; 0 while it does not run. */
  get head(): number {
    return this.#node?.rpc?.chain.head() ?? 0;
  }

  get listening(): boolean {
    return this.#node !== undefined && (this.state === 'up' || this.state === 'paused');
  }

  /** Whether the node was told that this peer is up, and not that it is gone. */
  isConnected(peer: string): boolean {
    return this.#peers.has(peer);
  }

  /**
   * The peers that a message of the node reaches now. It does not go over a connection newer than the one that the node
   * means.
   */
  reachable(peers: readonly string[]): readonly string[] {
    return this.#unheard.size === 0 ? peers : peers.filter((peer) => !this.#unheard.has(peer));
  }

  get isRunning(): boolean {
    return this.state === 'up' || this.state === 'paused';
  }

  /** Begins a new life from what the disk holds. */
  async start(): Promise<void> {
    assert(this.state === 'down' || this.state === 'halted', 'only a stopped process can start');
    this.state = 'down';
    const life = new Life(this.#world, this);
    this.#life = life;
    this.lives++;
    this.isFlushing = false;
    const { records, tornBytes, lossy } = this.disk.log.recover();
    const known = this.#losses;
    this.#losses = { cut: known.cut || (tornBytes > 0 && !lossy), lossy: known.lossy || lossy };
    // A node that finds records behind the damage knows of the loss, so its locks are judged all the same.
    if (this.disk.hasUnreadLoss && !this.#losses.lossy) this.disk.forgets++;
    this.disk.hasUnreadLoss = false;
    try {
      const node = await this.#factory(life.env(records));
      if (!life.alive) return;
      const opened = this.signer?.open(this.disk, records, this.#losses);
      // A Byzantine validator ignores what it has signed before, and a twin does not know what the other one signed.
      if (opened?.ok === false && this.isCorrect) throw new Error(staleText(opened.error));
      this.#losses = NO_LOSSES;
      this.disk.copyGuard();
      this.#node = node;
    } catch (error) {
      if (life.alive) this.fail('start failed:', error);
      return;
    }
    this.state = 'up';
    this.#peers.clear();
    this.#unheard.clear();
    this.haltReason = undefined;
    this.#world.witness({ kind: 'started', node: this, tornBytes });
    this.#world.network.nodeUp(this.index);
    this.input({ kind: 'start' });
  }

  /**
   * Ends the current life at this very point, which may be before the node runs: a start writes too.
   * @param dice Names the choices of what is lost.
   * @returns False when there is no life to end.
   */
  crash(loss: PowerLoss, dice = ''): boolean {
    if (this.state === 'down' && this.#life?.alive !== true) return false;
    this.#end('down');
    this.disk.crash(loss, this.#world.choices.stream(`crash/${this.name}/${dice}`));
    this.#world.network.nodeDown(this.index, loss !== 'none');
    this.#world.note('crash', this, 0);
    this.#world.witness({ kind: 'crashed', node: this });
    return true;
  }

  /** The node stopped itself. Its disk is as after a clean exit, but for what a failed sync has lost. */
  halt(reason: string, loss: PowerLoss = 'none'): void {
    if (this.state === 'halted') return;
    this.#end('halted');
    this.haltReason = reason;
    if (loss === 'none') this.disk.close();
    else this.disk.crash(loss, this.#world.choices.stream(`crash/${this.name}`));
    this.#world.network.nodeDown(this.index, false);
    this.#world.note('halt', this, 0, reason);
    this.#world.witness({ kind: 'halted', node: this, reason });
  }

  /** Its code threw. */
  fail(how: 'threw' | 'start failed:', error: unknown): void {
    this.#world.onThrow?.(error);
    this.halt(`${how} ${textOf(error)}`);
  }

  /** @returns False when it is not running, or has been paused before. */
  pause(): boolean {
    if (this.state !== 'up') return false;
    this.state = 'paused';
    this.#world.remark('pause', this, '');
    return true;
  }

  /** @returns False when it is not paused. */
  resume(): boolean {
    if (this.state !== 'paused') return false;
    this.state = 'up';
    this.#world.remark('resume', this, '');
    if (this.#held.length > 0) this.#catchUp();
    return true;
  }

  /** Does the first of what was held, and then the next. Each is an event of its own. */
  #catchUp(): void {
    this.#world.schedule(this.#world.now, () => {
      if (this.state !== 'up') return undefined;
      const next = this.#held[this.#caughtUp++];
      if (this.#caughtUp < this.#held.length) this.#catchUp();
      else this.#forgetHeld();
      return next?.life.alive === true ? this.guard(() => next.act()) : undefined;
    });
  }

  #forgetHeld(): void {
    this.#held = [];
    this.#caughtUp = 0;
  }

  /** It is paused, or has not yet done all that was held meanwhile: what comes now waits behind that. */
  get #isBehind(): boolean {
    return this.state === 'paused' || this.#held.length > 0;
  }

  /** Runs `act` for one life of this process: not at all when that is over, later when the process is paused. */
  during(life: Life, act: () => Promise<void> | undefined): Promise<void> | undefined {
    if (!life.alive) return undefined;
    if (!this.#isBehind) return this.guard(act);
    this.#held.push({ life, act });
    return undefined;
  }

  /** Hands one input to the node, through the wrapper of a Byzantine one. */
  input(input: Input): void {
    if (this.wrapper === undefined) this.deliver(input);
    else for (const changed of this.wrapper.input(input)) this.deliver(changed);
  }

  deliver(input: Input): void {
    const life = this.#life;
    if (life === undefined) return;
    if (this.#isBehind) this.#held.push({ life, act: () => this.#feed(input) });
    else this.#feed(input);
  }

  /** Errors end here, at the root of the simulated process; errors of a life that ended meanwhile are ignored. */
  #feed(input: Input): undefined {
    const life = this.#life;
    this.#world.touch(this);
    this.#witness(input);
    try {
      present(this.#node, 'a live process has a node').input(input);
    } catch (error) {
      if (life?.alive === true) this.fail('threw', error);
    }
    return undefined;
  }

  #witness(input: Input): void {
    if (input.kind === 'frame') {
      this.#witnessFrame(input);
      return;
    }
    if (input.kind !== 'peerUp' && input.kind !== 'peerDown') return;
    const { peer } = input;
    const isUp = input.kind === 'peerUp';
    if (isUp) {
      this.#peers.add(peer);
      this.#heard(peer);
    } else this.#peers.delete(peer);
    this.#world.witness({ kind: 'peer', node: this, peer, isUp });
  }

  #witnessFrame(input: Extract<Input, { kind: 'frame' }>): void {
    const { peer, channel, bytes } = input;
    if (!this.#world.isAllCorrect && !this.#world.process(peer).isCorrect)
      this.#world.witness({ kind: 'byzantineFrameHeard', node: this, peer, channel, bytes });
    if (channel === CHANNELS.blocksync) this.#world.witness({ kind: 'syncHeard', node: this, peer, bytes });
    else if (isPoolGossip(channel))
      this.#world.witness({ kind: 'poolGossipHeard', node: this, peer, channel, bytes });
    const topics = consensusTopics(channel, bytes);
    if (topics !== undefined) this.#world.witness({ kind: topics.heard, node: this, peer, bytes });
  }

  #heard(peer: string): void {
    const left = (this.#unheard.get(peer) ?? 1) - 1;
    if (left > 0) this.#unheard.set(peer, left);
    else this.#unheard.delete(peer);
  }

  peerUp(peer: string): void {
    this.#world.note('peerUp', this, this.#world.network.indexOf(peer), peer);
    this.#unheard.set(peer, (this.#unheard.get(peer) ?? 0) + 1);
    this.input({ kind: 'peerUp', peer });
  }

  peerDown(peer: string): void {
    this.#world.note('peerDown', this, this.#world.network.indexOf(peer), peer);
    this.input({ kind: 'peerDown', peer });
  }

  frames(from: string, frames: readonly Frame[]): void {
    const sender = this.#world.network.indexOf(from);
    for (const frame of frames) {
      this.#world.noteFrame(this, sender, frame);
      this.input({ kind: 'frame', peer: from, channel: frame.channel, bytes: frame.bytes });
    }
  }

  unsent(peer: string, channel: ChannelId, bytes: Bytes): void {
    this.#world.note('unsent', this, this.#world.network.indexOf(peer), peer);
    this.#world.witness({ kind: 'poolGossipUnsent', node: this, peer, channel, bytes });
    this.input({ kind: 'unsent', peer, channel, bytes });
  }

  /**
   * Runs code of this process. Errors end here, at the root of the simulated process: a broken assertion stops it and is
   * reported.
   */
  guard(act: () => Promise<void> | undefined): Promise<void> | undefined {
    const life = this.#life;
    const fail = (error: unknown): void => {
      if (life?.alive === true) this.fail('threw', error);
    };
    try {
      return act()?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  #end(state: 'down' | 'halted'): void {
    if (this.#life !== undefined) this.#life.alive = false;
    this.#life = undefined;
    this.#node = undefined;
    this.#forgetHeld();
    this.state = state;
  }
}

const staleText = ({ where, height }: StaleState): string =>
  `the validator's state is stale: the ${where} has a signature of height ${height} that it does not know`;

/** Without the stack: it differs between a run and its replay, and names folders of this machine. */
export const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
