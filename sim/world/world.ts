import type { Bytes } from '../../core/lib/bytes.ts';
import type { ChannelId } from '../../core/node/contract.ts';
import { type CrashPoint, DEFAULT_LATENCIES, type Latencies } from '../machine/life.ts';
import { Process, type ProcessOptions } from '../machine/process.ts';
import type { Frame, LinkFaults } from '../network/link.ts';
import { Network } from '../network/network.ts';
import type { Choices } from './choices.ts';
import { type Fact, type FactOf, type Position, type Topic, topicOf, type Witness } from './facts.ts';
import { EventHeap, type SimEvent } from './heap.ts';
import { hashBytes, RollingHash } from './rolling.ts';
import type { Scheduler } from './scheduler.ts';
import type { TraceEntry, TraceSink } from './trace.ts';

/** Events after which a run is given up: far above any honest scenario. */
export const EVENTS_MAX = 500_000_000;

export interface WorldOptions {
  readonly choices: Choices;
  readonly link: LinkFaults;
  readonly latencies?: Latencies;
  readonly nodes: readonly ProcessOptions[];
  /** Receives one entry per happening; undefined costs nothing. */
  readonly trace?: TraceSink | undefined;
  /** Receives each error that stops a node. */
  readonly onThrow?: ((error: unknown) => void) | undefined;
}

/** A message and its receivers. */
interface Said {
  readonly to: readonly string[];
  readonly channel: ChannelId;
  readonly bytes: Bytes;
}

interface Watcher {
  look(process: Process): void;
  readonly isFollower: boolean;
}

/** What the world awaits after each event, before virtual time moves on: client code woken by an answer. */
export type Settle = () => Promise<void> | undefined;

/**
 * Virtual time and everything in it. One heap of events ordered by (time, sequence); one event at a time; whatever
 * an event starts is over before the next one begins, real promises included.
 */
export class World implements Scheduler {
  readonly choices: Choices;
  readonly latencies: Latencies;
  readonly network: Network;
  readonly processes: readonly Process[];
  /** After each wipe of a disk: all nodes that had forgotten what they had decided and signed. */
  readonly forgetful: ReadonlySet<Process>[] = [];
  readonly isAllCorrect: boolean;
  readonly onThrow: ((error: unknown) => void) | undefined;
  readonly hash = new RollingHash();
  /** What Byzantine nodes say instead of what their core would say, or beside it. */
  readonly lies = new WeakSet<Bytes>();
  now = 0;
  events = 0;
  /** Set by the code that drives clients. */
  settle: Settle | undefined;
  /** Called at each crash point of each node; may crash it. */
  onCrashPoint: ((process: Process, point: CrashPoint) => void) | undefined;
  readonly #heap = new EventHeap<SimEvent>();
  readonly #witnesses = new Map<Topic, Witness[]>();
  readonly #watchers: Watcher[] = [];
  readonly #trace: TraceSink | undefined;
  #entries: TraceEntry[] = [];
  /** Remarks about times to come, earliest first. */
  readonly #ahead: { readonly at: number; readonly entry: TraceEntry; isTrue(): boolean }[] = [];
  #touched: Process[] = [];
  /** Collects touched processes while those of this event are looked at: the two lists take turns. */
  #spare: Process[] = [];
  #sequence = 0;

  constructor(options: WorldOptions) {
    this.choices = options.choices;
    this.latencies = options.latencies ?? DEFAULT_LATENCIES;
    this.#trace = options.trace;
    this.onThrow = options.onThrow;
    this.processes = options.nodes.map((node) => new Process(this, node));
    this.isAllCorrect = this.processes.every(({ isCorrect }) => isCorrect);
    this.network = new Network(this, this.processes, options.link);
  }

  process(name: string): Process {
    return this.processes[this.network.indexOf(name)] as Process;
  }

  /** The node has a new disk. It may have voted in the height above all that it has decided. */
  forget(process: Process): void {
    process.forgotten = process.reached + 1;
    this.forgetful.push(new Set(this.processes.filter(({ forgotten }) => forgotten > 0)));
  }

  /** Height of the newest block that any node has decided. */
  get height(): number {
    return Math.max(...this.processes.map(({ decided }) => decided));
  }

  /** Adds an observer of some topics. Observers are called in the order added, for every fact, while it happens. */
  observe<T extends Topic>(topics: readonly T[], witness: (fact: FactOf<T>) => void): void {
    for (const topic of new Set(topics)) {
      const known = this.#witnesses.get(topic);
      if (known === undefined) this.#witnesses.set(topic, [witness as Witness]);
      else known.push(witness as Witness);
    }
  }

  /** Adds an observer that looks at a running node after each event in which it was given something. */
  watch(look: (process: Process) => void): void {
    this.#watchers.push({ look, isFollower: false });
  }

  /** Adds an observer that looks only when the node's consensus has taken a step since the last look. */
  follow(look: (process: Process) => void): void {
    this.#watchers.push({ look, isFollower: true });
  }

  schedule(at: number, fire: () => Promise<void> | undefined): void {
    this.#heap.push({ at, seq: this.#sequence++, fire });
  }

  add(event: SimEvent): void {
    event.seq = this.#sequence++;
    this.#heap.push(event);
  }

  /** Repeats for ever, first after one period. */
  every(period: number, act: () => Promise<void> | undefined): void {
    const fire = (): Promise<void> | undefined => {
      this.schedule(this.now + period, fire);
      return act();
    };
    this.schedule(this.now + period, fire);
  }

  /** Time of the next event; undefined when nothing is left. */
  get nextAt(): number | undefined {
    return this.#heap.peek()?.at;
  }

  /** Runs events until `isOver` (called after each) or until nothing is left before `timeMax`. */
  async run(isOver: () => boolean, timeMax: number): Promise<'over' | 'time' | 'idle' | 'events'> {
    for (;;) {
      const event = this.#heap.peek();
      if (event === undefined) return 'idle';
      if (event.at > timeMax) return 'time';
      if (this.events >= EVENTS_MAX) return 'events';
      this.#heap.pop();
      if (this.#ahead.length > 0) this.#remarkUntil(event.at);
      this.now = event.at;
      this.events++;
      const pending = event.fire();
      if (pending !== undefined) await pending;
      // An event without a promise can answer a client too, as when records have become durable.
      const settling = this.settle?.();
      if (settling !== undefined) await settling;
      this.#afterEvent();
      if (isOver()) return 'over';
    }
  }

  /** Marks a node whose state may have changed in this event. */
  touch(process: Process): void {
    if (!this.#touched.includes(process)) this.#touched.push(process);
  }

  witness(fact: Fact): void {
    const witnesses = this.#witnesses.get(topicOf(fact));
    if (witnesses !== undefined) for (const witness of witnesses) witness(fact);
  }

  crashPoint(process: Process, point: CrashPoint): void {
    this.onCrashPoint?.(process, point);
  }

  /** Puts a happening into the digest and, when traced, into the trace. */
  note(kind: string, process: Process, detail: number, text = ''): void {
    this.hash.word(kind.length * 31 + kind.charCodeAt(0) * 7 + kind.charCodeAt(kind.length - 1));
    this.hash.word(process.index);
    this.hash.word(detail);
    if (this.#trace !== undefined) this.#entries.push({ kind, node: process, text });
  }

  /** Only for readers of the trace: changes neither the run nor its digest. */
  remark(kind: string, process: Process | undefined, text: string): TraceEntry | undefined {
    if (this.#trace === undefined) return undefined;
    const entry = { kind, node: process, text };
    this.#entries.push(entry);
    return entry;
  }

  /**
   * A remark about a time to come, unless `isTrue` is false then. It is no event, so a run has the same events whether
   * it is traced or not.
   */
  remarkAt(at: number, entry: TraceEntry, isTrue: () => boolean): void {
    if (this.#trace === undefined) return;
    this.#ahead.push({ at, entry, isTrue });
    this.#ahead.sort((a, b) => a.at - b.at);
  }

  #remarkUntil(at: number): void {
    for (let next = this.#ahead[0]; next !== undefined && next.at <= at; next = this.#ahead[0]) {
      this.#ahead.shift();
      if (next.isTrue()) this.#trace?.(next.at, this.events, [next.entry], this.hash);
    }
  }

  /** Notes which peers hear nothing of what a Byzantine node's core said, nor of anything in its place. */
  remarkWithheld(process: Process, meant: Said, said: readonly Pick<Said, 'to'>[]): void {
    if (this.#trace === undefined) return;
    const heard = new Set(said.flatMap(({ to }) => to));
    const unheard = meant.to.filter((peer) => !heard.has(peer));
    if (unheard.length === 0) return;
    const { channel, bytes } = meant;
    const frame = { channel, bytes, hash: hashBytes(bytes, channel), sentAt: this.now };
    this.#entries.push({ kind: 'withholds', node: process, text: `from ${unheard.join(', ')}`, frame });
  }

  noteFrame(process: Process, sender: number, frame: Frame): void {
    this.hash.word((process.index << 16) | sender);
    this.hash.word(frame.channel);
    this.hash.word(frame.hash);
    this.#traceFrame(process, this.processes[sender] as Process, frame);
  }

  /** Only for readers of the trace: a message of the exchange of addresses, which bypasses the nodes. */
  remarkFrame(process: Process, sender: Process, frame: Omit<Frame, 'hash'>): void {
    if (this.#trace === undefined) return;
    this.#traceFrame(process, sender, { ...frame, hash: hashBytes(frame.bytes, frame.channel) });
  }

  #traceFrame(process: Process, from: Process, frame: Frame): void {
    if (this.#trace === undefined) return;
    this.#entries.push({
      kind: 'frame',
      node: process,
      text: '',
      from,
      frame,
      isLie: this.lies.has(frame.bytes),
    });
  }

  #afterEvent(): void {
    this.network.flush();
    this.hash.number(this.now);
    if (this.#touched.length > 0) {
      const touched = this.#touched;
      this.#touched = this.#spare;
      this.#spare = touched;
      for (const process of touched) this.#look(process);
      touched.length = 0;
    }
    if (this.#trace !== undefined && this.#entries.length > 0) {
      this.#trace(this.now, this.events, this.#entries, this.hash);
      this.#entries = [];
    }
  }

  #look(process: Process): void {
    const { node, position: before } = process;
    if (node === undefined) return;
    const position: Position = node.position();
    this.hash.word(position.height);
    this.hash.word(position.round * 16 + position.step);
    if (!isSame(position, before)) {
      process.position = { height: position.height, round: position.round, step: position.step };
      this.witness({ kind: 'moved', node: process, position: process.position });
    }
    const lastStep = node.lastStep();
    const hasStepped = lastStep !== process.lastStep;
    process.lastStep = lastStep;
    for (const { look, isFollower } of this.#watchers) if (hasStepped || !isFollower) look(process);
  }
}

const isSame = (a: Position, b: Position): boolean =>
  a.height === b.height && a.round === b.round && a.step === b.step;
