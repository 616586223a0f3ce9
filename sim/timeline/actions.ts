import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import type { Cluster } from '../cluster.ts';
import { READ_FAULTS } from '../disk/kvDisk.ts';
import type { PowerLoss } from '../disk/powerLoss.ts';
import type { CrashPoint } from '../machine/life.ts';
import type { Process } from '../machine/process.ts';
import type { Link } from '../network/link.ts';
import type { Action, Target, TimelineEntry } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { Downtimes } from './downtimes.ts';
import { faultText, nameOf } from './faultText.ts';
import { rollBack } from './rollBack.ts';
import { targetsOf } from './targets.ts';

/** How long a node is down for an upgrade or a rollback. */
const SERVICE_MICROS = 1_000_000;

interface Armed {
  readonly process: Process;
  readonly point: CrashPoint;
  readonly powerLoss: PowerLoss;
  readonly spec: TimelineEntry;
  left: number;
}

/** Whether an action has changed anything by now, or may do so later. */
type Outcome = boolean | 'later';

/** Carries out the actions of a timeline, and undoes those that have a duration. */
export class TimelineActions {
  /** A `break` has come: the run ends here. */
  isBroken = false;
  /** Lines of entries that changed something: a node that is down cannot crash, nor a running node's log be cut. */
  readonly effective = new Set<string>();
  /** Processes removed for good. */
  readonly #removed = new Set<Process>();
  #lastAt = 0;
  /** When current faults end, by machine and kind of fault. Faults that overlap end with the last one. */
  readonly #ends = new Map<string, number>();
  readonly #world: World;
  readonly #cluster: Cluster;
  readonly #suite: CryptoSuite;
  #checkpoints = 0;
  #armed: Armed[] = [];
  readonly #downtimes = new Downtimes();
  /** When the timeline stops to clog a machine. */
  readonly #clogged = new Map<Process, number>();
  readonly #added: ReadonlySet<string>;

  /** @param added Names of the nodes that the timeline adds. */
  constructor(world: World, cluster: Cluster, suite: CryptoSuite, added: ReadonlySet<string>) {
    this.#world = world;
    this.#added = added;
    this.#cluster = cluster;
    this.#suite = suite;
    world.onCrashPoint = (process, point) => this.#atCrashPoint(process, point);
  }

  /** Whether the end of an action that has begun will restart this process. */
  isReturning(process: Process): boolean {
    return this.#downtimes.isReturning(process);
  }

  /** Virtual time at which the last action was over, or is going to be, for `until: quiet`. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Notes that something happens, or lasts, until then. */
  noteUntil(at: number): void {
    this.#lastAt = Math.max(this.#lastAt, at);
  }

  do(action: Action, spec: TimelineEntry): Promise<void> | undefined {
    const world = this.#world;
    const remark = world.remark('fault', undefined, '');
    const tell = (hit: readonly Process[], missed: readonly Process[], hasEffect: boolean): void => {
      if (remark !== undefined)
        remark.text = faultText(spec, { hit: namesOf(hit), missed: namesOf(missed), hasEffect });
    };
    if ('target' in action) {
      const targets = targetsOf(world, this.#cluster, action.target, spec.dice);
      const { missed, started } = this.#toEach(targets, action, spec);
      tell(targets, missed, missed.length < targets.length);
      return started;
    }
    const hasEffect = this.#toAll(action, spec);
    if (hasEffect) this.effective.add(spec.line);
    tell([], [], hasEffect);
    return action.kind === 'addNode' ? this.#startAll([world.process(action.name)]) : undefined;
  }

  /** @returns Whether it has changed anything. */
  #toAll(action: Exclude<Action, { target: Target }>, spec: TimelineEntry): boolean {
    const world = this.#world;
    const { network } = world;
    switch (action.kind) {
      case 'partition': {
        const groups = action.groups.map((group) => group.map((name) => network.indexOf(name)));
        const end = network.partition(groups, action.oneWay);
        this.#undo(spec, () => end?.() ?? false);
        return end !== undefined;
      }
      case 'heal':
        return network.heal();
      case 'gst':
        world.witness({ kind: 'stable' });
        return true;
      case 'link':
        return this.#link(action, spec);
      case 'checkpoint':
        world.witness({ kind: 'checkpoint', name: action.name, count: this.#checkpoints++ });
        return true;
      case 'break':
        this.isBroken = true;
        return true;
      case 'addNode':
        return this.#canAdd(world.process(action.name));
      case 'removeNode':
        return this.#remove(world.process(action.name));
    }
  }

  /** @returns The targets on which it changes nothing, and the starts that it has begun. */
  #toEach(
    targets: readonly Process[],
    action: Extract<Action, { target: Target }>,
    spec: TimelineEntry,
  ): { readonly missed: readonly Process[]; readonly started: Promise<void> | undefined } {
    if (action.kind === 'restart') {
      const startable = targets.filter((process) => this.#canStart(process));
      if (startable.length > 0) this.effective.add(spec.line);
      const missed = targets.filter((process) => !startable.includes(process));
      return { missed, started: this.#startAll(startable) };
    }
    const missed = targets.filter((process) => {
      const outcome = this.#toOne(process, action, spec);
      if (outcome === true) this.effective.add(spec.line);
      return outcome === false;
    });
    return { missed, started: undefined };
  }

  #toOne(
    process: Process,
    action: Exclude<Extract<Action, { target: Target }>, { kind: 'restart' }>,
    spec: TimelineEntry,
  ): Outcome {
    const world = this.#world;
    if (this.hasLeft(process)) return false;
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
        return rollBack(world, process, this.#suite, action.isHard);
      case 'flushPool':
        return this.#flushPool(process);
      case 'clog': {
        const until = world.now + present(spec.duration, 'a clog has a duration');
        this.#clog(process, until, spec);
        this.noteUntil(until);
        return true;
      }
      case 'crash':
        return this.#crash(process, action, spec);
      case 'pause':
        return this.#pause(process, spec);
      case 'resume':
        return process.resume();
      case 'wipe':
        if (process.isRunning) return false;
        process.disk.wipe();
        world.forget(process);
        return true;
      case 'disk':
        return this.#damage(process, action, spec);
      case 'skew':
        return process.clock.skew(world.now, action.micros);
      case 'jump':
        return process.clock.jump(world.now, action.micros);
      case 'drift':
        return process.clock.drift(world.now, action.ppm);
      case 'jitter': {
        const was = process.clock.jitter;
        process.clock.jitter = action.micros;
        return action.micros !== was;
      }
    }
  }

  #crash(
    process: Process,
    { point, powerLoss, count }: Extract<Action, { kind: 'crash' }>,
    spec: TimelineEntry,
  ): Outcome {
    if (point === undefined) return this.#stop(process, powerLoss, spec);
    // The duration counts from the crash, which comes when the node passes that point.
    this.#armed.push({ process, point, powerLoss, spec, left: count });
    return 'later';
  }

  #pause(process: Process, spec: TimelineEntry): boolean {
    const isOver = this.#extend(`pause/${process.name}`, process.state === 'paused', spec);
    // One that is paused already stays so for longer.
    const isPaused = process.pause() || process.state === 'paused';
    this.#undo(spec, () => isOver() && process.resume(), process);
    return isPaused;
  }

  #damage(process: Process, action: Extract<Action, { kind: 'disk' }>, spec: TimelineEntry): Outcome {
    const { disk } = process;
    const { fault } = action;
    const isOn = (fault === 'full' && disk.isFull) || (fault === 'slow' && disk.isSlow);
    const isOver = this.#extend(`${fault}/${process.name}`, isOn, spec);
    const choices = this.#world.choices.stream(`disk/${process.name}/${spec.dice}`);
    const isDamaged = disk.damage(fault, choices, process.isRunning, action, () =>
      this.effective.add(spec.line),
    );
    this.#undo(spec, () => isOver() && disk.repair(fault, this.#world.now), process);
    return isDamaged && READ_FAULTS.includes(fault) ? 'later' : isDamaged;
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

  /** Stops the node without any loss, and starts it again when its operator is done. */
  #service(process: Process, spec: TimelineEntry): void {
    this.#downtimes.service(process);
    this.#stop(process, 'none', { ...spec, duration: spec.duration ?? SERVICE_MICROS });
  }

  #clog(process: Process, until: number, spec: TimelineEntry): void {
    const { network } = this.#world;
    network.clog(process.index, until);
    this.#clogged.set(process, Math.max(until, this.#clogged.get(process) ?? 0));
    // Nothing happens at the end of a clog, except that what waits arrives.
    const end = { kind: 'fault', node: process, text: `end of ${nameOf(spec)}` };
    this.#world.remarkAt(until, end, () => this.#clogged.get(process) === until);
  }

  /**
   * Clogs the node in the first half of the time and frees it in the second. Each node has its own times
   * (FoundationDB).
   */
  #swizzle(process: Process, spec: TimelineEntry): void {
    const world = this.#world;
    const half = Math.max(1, Math.floor(present(spec.duration, 'a swizzle has a duration') / 2));
    this.noteUntil(world.now + 2 * half);
    const choices = world.choices.stream(`${spec.dice}/swizzle/${process.name}`);
    const until = world.now + half + choices.choose(half);
    world.schedule(world.now + choices.choose(half), () => {
      world.remark('fault', process, nameOf(spec));
      this.#clog(process, until, spec);
      return undefined;
    });
  }

  /** @returns False if it had left before. */
  #remove(process: Process): boolean {
    const { network, processes } = this.#world;
    const isThere = !this.hasLeft(process);
    this.#removed.add(process);
    process.crash('none');
    for (const { index } of processes) if (index !== process.index) network.separate(process.index, index);
    return isThere;
  }

  /**
   * Stops the node for the duration of the entry, or for good.
   * @returns Whether it was running, or is down for longer by that.
   */
  #stop(process: Process, powerLoss: PowerLoss, spec: TimelineEntry): boolean {
    const world = this.#world;
    this.noteUntil(world.now);
    // Before its first life a node waits to be added, and nothing else starts it.
    if (process.lives === 0 || this.hasLeft(process)) return false;
    const hasCrashed = process.crash(powerLoss, spec.dice);
    const isLonger = this.#downtimes.prolong(
      process,
      world.now + (spec.duration ?? Number.POSITIVE_INFINITY),
    );
    this.#restartAfter(process, spec);
    return hasCrashed || isLonger;
  }

  /** Whether the process was removed for good. */
  hasLeft(process: Process): boolean {
    return this.#removed.has(process);
  }

  /** A node that the timeline adds cannot start before that. */
  #canStart(process: Process): boolean {
    return this.#canAdd(process) && (process.lives > 0 || !this.#added.has(process.name));
  }

  #canAdd(process: Process): boolean {
    return !this.hasLeft(process) && !process.isRunning;
  }

  async #startAll(targets: readonly Process[]): Promise<void> {
    this.noteUntil(this.#world.now);
    for (const process of targets) if (this.#canAdd(process)) await process.start();
  }

  /** @returns Whether any link is or will be another than without it. */
  #link(action: Extract<Action, { kind: 'link' }>, spec: TimelineEntry): boolean {
    const links = this.#linksOf(action);
    const hasEffect = links.some((link) => link.differs(action.faults));
    const ends = links.map((link) => link.patch(action.faults));
    this.#undo(spec, () => ends.map((end) => end()).includes(true));
    return hasEffect;
  }

  /** A node has no link to itself. */
  #linksOf({ from, to }: Extract<Action, { kind: 'link' }>): readonly Link[] {
    const { network, processes } = this.#world;
    const names = processes.map((process) => process.name);
    return (from ?? names).flatMap((one) =>
      (to ?? names)
        .filter((other) => other !== one)
        .map((other) => network.link(network.indexOf(one), network.indexOf(other))),
    );
  }

  /** @returns A function that says whether all faults of that kind on the machine are over. */
  #extend(
    trouble: string,
    isOn: boolean,
    { duration = Number.POSITIVE_INFINITY }: TimelineEntry,
  ): () => boolean {
    const before = isOn ? (this.#ends.get(trouble) ?? 0) : 0;
    this.#ends.set(trouble, Math.max(before, this.#world.now + duration));
    return () => this.#world.now >= (this.#ends.get(trouble) ?? 0);
  }

  /** @param act Undoes the action, and says whether it has changed anything. */
  #undo(spec: TimelineEntry, act: () => boolean, node?: Process): void {
    if (spec.duration === undefined) return;
    this.noteUntil(this.#world.now + spec.duration);
    this.#world.schedule(this.#world.now + spec.duration, () => {
      if (act()) this.#tellEnd(spec, node);
      this.#world.witness({ kind: 'fault' });
      return undefined;
    });
  }

  /** Starts the process after the entry's duration, unless another entry keeps it down for longer. */
  #restartAfter(process: Process, spec: TimelineEntry): void {
    if (spec.duration === undefined) return;
    this.noteUntil(this.#world.now + spec.duration);
    this.#world.schedule(this.#world.now + spec.duration, () => {
      const isDue = this.#downtimes.isOver(process, this.#world.now) && this.#canStart(process);
      if (isDue) this.#tellEnd(spec, process);
      const started = isDue ? this.#startAll([process]) : undefined;
      this.#world.witness({ kind: 'fault' });
      return started;
    });
  }

  #tellEnd(spec: TimelineEntry, node: Process | undefined): void {
    this.#world.remark('fault', node, `end of ${nameOf(spec)}`);
  }

  #atCrashPoint(process: Process, point: CrashPoint): void {
    if (this.#armed.length === 0) return;
    const here = this.#armed.filter((one) => one.process === process && one.point === point);
    for (const one of here) one.left--;
    const armed = here.find(({ left }) => left <= 0);
    if (armed === undefined) return;
    this.#armed = this.#armed.filter((one) => one !== armed);
    if (this.#stop(process, armed.powerLoss, armed.spec)) this.effective.add(armed.spec.line);
  }
}

const namesOf = (processes: readonly Process[]): readonly string[] => processes.map(({ name }) => name);
