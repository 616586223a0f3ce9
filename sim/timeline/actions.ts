import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Cluster } from '../cluster.ts';
import type { PowerLoss } from '../disk/powerLoss.ts';
import type { CrashPoint } from '../machine/life.ts';
import type { Process } from '../machine/process.ts';
import type { Action, Target, TimelineEntry } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { rollBack } from './rollBack.ts';

/** How long a node is away while its program is exchanged or its last height taken back. */
const SERVICE_MICROS = 1_000_000;

interface Armed {
  readonly process: Process;
  readonly point: CrashPoint;
  readonly powerLoss: PowerLoss;
  readonly spec: TimelineEntry;
  left: number;
}

/** Does what the timeline of a scenario says, and undoes what has a duration. */
export class TimelineActions {
  /** Virtual time of the last action, for `until: quiet`. */
  lastAt = 0;
  /** A `break` has come: the run ends here. */
  isBroken = false;
  /** Lines of the entries that have changed anything: who is down cannot crash, and no log of a running node be cut. */
  readonly effective = new Set<string>();
  /** Gone for good. */
  readonly #removed = new Set<Process>();
  /** Partitions and heals so far. */
  #partitions = 0;
  readonly #world: World;
  readonly #cluster: Cluster;
  readonly #suite: CryptoSuite;
  #armed: Armed[] = [];
  /** Restarts that are on their way. */
  readonly #returning = new Map<Process, number>();

  constructor(world: World, cluster: Cluster, suite: CryptoSuite) {
    this.#world = world;
    this.#cluster = cluster;
    this.#suite = suite;
    world.onCrashPoint = (process, point) => this.#atCrashPoint(process, point);
  }

  /** Whether the end of an action that has begun will restart this process. */
  isReturning(process: Process): boolean {
    return (this.#returning.get(process) ?? 0) > 0;
  }

  do(action: Action, spec: TimelineEntry): Promise<void> | undefined {
    const world = this.#world;
    world.remark('fault', undefined, `${spec.text} (${spec.line})`);
    if ('target' in action) return this.#toEach(this.#targets(action.target, spec.line), action, spec);
    if (this.#toAll(action, spec)) this.effective.add(spec.line);
    return action.kind === 'addNode' ? this.#startAll([world.process(action.name)]) : undefined;
  }

  /** @returns Whether it has changed anything. */
  #toAll(action: Exclude<Action, { target: Target }>, spec: TimelineEntry): boolean {
    const world = this.#world;
    const { network } = world;
    switch (action.kind) {
      case 'partition':
        network.partition(
          action.groups.map((group) => group.map((name) => network.indexOf(name))),
          action.oneWay,
        );
        this.#endPartition(spec, ++this.#partitions);
        return true;
      case 'heal':
        this.#partitions++;
        return network.heal();
      case 'gst':
        world.witness({ kind: 'stable' });
        return true;
      case 'link':
        return this.#link(action, spec);
      case 'checkpoint':
        world.witness({ kind: 'checkpoint', name: action.name });
        return true;
      case 'break':
        this.isBroken = true;
        return true;
      case 'addNode':
        return this.#canStart(world.process(action.name));
      case 'removeNode':
        this.#remove(world.process(action.name));
        return true;
    }
  }

  #toEach(
    targets: readonly Process[],
    action: Extract<Action, { target: Target }>,
    spec: TimelineEntry,
  ): Promise<void> | undefined {
    if (action.kind === 'restart') {
      const startable = targets.filter((process) => this.#canStart(process));
      if (startable.length > 0) this.effective.add(spec.line);
      return this.#startAll(startable);
    }
    for (const process of targets) if (this.#toOne(process, action, spec)) this.effective.add(spec.line);
    return undefined;
  }

  /** @returns Whether it has changed anything by now. */
  #toOne(
    process: Process,
    action: Exclude<Extract<Action, { target: Target }>, { kind: 'restart' }>,
    spec: TimelineEntry,
  ): boolean {
    const world = this.#world;
    switch (action.kind) {
      case 'swizzle':
        this.#swizzle(process, spec);
        return true;
      case 'upgrade':
        process.version = action.version;
        process.isIndexed = action.isIndexed ?? process.isIndexed;
        this.#service(process, spec);
        return true;
      case 'rollback':
        this.#service(process, spec);
        return rollBack(process, this.#suite, action.isHard);
      case 'flushPool':
        return this.#flushPool(process);
      case 'clog':
        world.network.clog(process.index, world.now + present(spec.duration, 'a clog has a duration'));
        return true;
      case 'crash': {
        if (action.point !== undefined) {
          // The way back counts from the crash, which comes when the node comes by that point.
          const { point, powerLoss, count } = action;
          this.#armed.push({ process, point, powerLoss, spec, left: count });
          return false;
        }
        const hasCrashed = this.#crash(process, action.powerLoss);
        this.#undo(spec, () => this.#startAll([process]), process);
        return hasCrashed;
      }
      case 'pause': {
        const isPaused = process.pause();
        this.#undo(spec, () => {
          process.resume();
        });
        return isPaused;
      }
      case 'resume':
        return process.resume();
      case 'wipe':
        if (process.isRunning) return false;
        process.disk.wipe();
        return true;
      case 'disk': {
        const isDamaged = process.disk.damage(
          action.fault,
          world.choices.stream(`disk/${process.name}`),
          process.isRunning,
          action,
        );
        this.#undo(spec, () => process.disk.repair(action.fault, world.now));
        return isDamaged;
      }
      case 'skew':
        process.clock.skew(world.now, action.micros);
        return true;
      case 'jump':
        process.clock.jump(world.now, action.micros);
        return true;
      case 'drift':
        process.clock.drift(world.now, action.ppm);
        return true;
    }
  }

  #flushPool(process: Process): boolean {
    const flush = process.state === 'up' ? process.node?.rpc?.flushPool : undefined;
    if (flush === undefined) return false;
    process.flushes++;
    process.isFlushing = true;
    this.#world.witness({ kind: 'flushed', node: process });
    const { lives } = process;
    void flush().then(() => {
      if (process.lives === lives) process.isFlushing = false;
    });
    return true;
  }

  /** Stopped in good order, and started again when its operator is done. */
  #service(process: Process, spec: TimelineEntry): void {
    this.#crash(process, 'none');
    const duration = spec.duration ?? SERVICE_MICROS;
    this.#undo({ ...spec, duration }, () => this.#startAll([process]), process);
  }

  /** Clogged one by one in the first half of the time, free again in the second, in another order (FoundationDB). */
  #swizzle(process: Process, spec: TimelineEntry): void {
    const world = this.#world;
    const half = Math.max(1, Math.floor(present(spec.duration, 'a swizzle has a duration') / 2));
    const choices = world.choices.stream(`${spec.line}/swizzle/${process.name}`);
    const until = world.now + half + choices.choose(half);
    world.schedule(world.now + choices.choose(half), () => {
      world.network.clog(process.index, until);
      return undefined;
    });
  }

  #remove(process: Process): void {
    const { network, processes } = this.#world;
    this.#removed.add(process);
    process.crash('none');
    for (const { index } of processes) if (index !== process.index) network.separate(process.index, index);
  }

  #crash(process: Process, powerLoss: PowerLoss): boolean {
    this.lastAt = this.#world.now;
    return process.crash(powerLoss);
  }

  /** For good, if it ever came. */
  hasLeft(process: Process): boolean {
    return this.#removed.has(process);
  }

  #canStart(process: Process): boolean {
    return !this.hasLeft(process) && !process.isRunning;
  }

  async #startAll(targets: readonly Process[]): Promise<void> {
    this.lastAt = this.#world.now;
    for (const process of targets) if (this.#canStart(process)) await process.start();
  }

  /** @returns Whether there are such links: from a node to itself there is none. */
  #link(action: Extract<Action, { kind: 'link' }>, spec: TimelineEntry): boolean {
    const { network, processes } = this.#world;
    const names = processes.map((process) => process.name);
    const ends: (() => void)[] = [];
    for (const from of action.from ?? names) {
      for (const to of action.to ?? names) {
        if (from === to) continue;
        const link = network.link(network.indexOf(from), network.indexOf(to));
        ends.push(link.patch(action.faults));
      }
    }
    this.#undo(spec, () => {
      for (const end of ends) end();
    });
    return ends.length > 0;
  }

  /** A later partition, or a heal, has taken its place: then there is nothing to end. */
  #endPartition(spec: TimelineEntry, number: number): void {
    this.#undo(spec, () => {
      if (this.#partitions === number) this.#world.network.heal();
    });
  }

  #undo(spec: TimelineEntry, act: () => Promise<void> | void, restarted?: Process): void {
    if (spec.duration === undefined) return;
    if (restarted !== undefined) this.#returning.set(restarted, (this.#returning.get(restarted) ?? 0) + 1);
    this.#world.schedule(this.#world.now + spec.duration, () => {
      this.lastAt = this.#world.now;
      this.#world.remark('fault', restarted, `end of ${spec.action.kind}`);
      if (restarted !== undefined) this.#returning.set(restarted, (this.#returning.get(restarted) ?? 1) - 1);
      const undone = act() ?? undefined;
      this.#world.witness({ kind: 'fault' });
      return undone;
    });
  }

  #targets(target: Target, line: string): readonly Process[] {
    const { processes } = this.#world;
    switch (target.kind) {
      case 'all':
        return processes;
      case 'names':
        return target.names.map((name) => this.#world.process(name));
      case 'proposer': {
        const proposer = this.#proposer();
        return proposer === undefined ? [] : [proposer];
      }
      case 'random': {
        const left = [...processes];
        const stream = this.#world.choices.stream(`${line}/target`);
        const chosen: Process[] = [];
        while (chosen.length < target.count && left.length > 0)
          chosen.push(...left.splice(stream.choose(left.length), 1));
        return chosen;
      }
    }
  }

  /** Of the round that the furthest node is in. */
  #proposer(): Process | undefined {
    let furthest: Process | undefined;
    for (const process of this.#world.processes) {
      if (process.node !== undefined && process.position.height > (furthest?.position.height ?? 0))
        furthest = process;
    }
    const address = furthest?.node?.rs()?.proposer.address;
    const member = this.#cluster.members.find(
      (one) => address !== undefined && equalBytes(one.address, address),
    );
    return member === undefined ? undefined : this.#world.process(member.name);
  }

  #atCrashPoint(process: Process, point: CrashPoint): void {
    if (this.#armed.length === 0) return;
    const armed = this.#armed.find((one) => one.process === process && one.point === point);
    if (armed === undefined || --armed.left > 0) return;
    this.#armed = this.#armed.filter((one) => one !== armed);
    if (this.#crash(process, armed.powerLoss)) this.effective.add(armed.spec.line);
    this.#undo(armed.spec, () => this.#startAll([process]), process);
  }
}
