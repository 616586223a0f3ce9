import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { STEP } from '../../core/types/messages.ts';
import type { Cluster } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import { type Action, EVENT_WORDS, TIMES_MAX, type TimelineEntry, type When } from '../scenario/scenario.ts';
import { PPM } from '../world/choices.ts';
import type { Fact, Position } from '../world/facts.ts';
import type { World } from '../world/world.ts';
import { TimelineActions } from './actions.ts';
import { addedBy } from './added.ts';
import { isAwaited } from './happens.ts';

/**
 * How often one entry may come at one moment. Beyond that entries call each other in a circle, such as a restart after
 * each crash and a crash after each start, and time would stand still.
 */
const AT_ONCE_MAX = 1_000;

interface Entry {
  readonly spec: TimelineEntry;
  left: number;
  /** The moment at which it came last, and how often it came then. */
  lastAt: number;
  atOnce: number;
  /** It has come due, whatever chance said then. */
  hasCome: boolean;
  /** How often it is still to come after its delay. */
  delayed: number;
  /** What has met the condition. It fires once for each life or checkpoint, and once for each height and round. */
  readonly met: Set<string>;
}

/** Carries out the timeline of a scenario: waits for its conditions and has its actions done. */
export class Timeline {
  /** The entry that comes at one moment without end, as `timeline[0]`. The run cannot go on then. */
  circling: string | undefined;
  readonly #world: World;
  readonly #actions: TimelineActions;
  readonly #entries: readonly Entry[];

  constructor(world: World, cluster: Cluster, suite: CryptoSuite, specs: readonly TimelineEntry[]) {
    this.#world = world;
    this.#actions = new TimelineActions(world, cluster, suite, addedBy(specs));
    this.#entries = specs.map((spec) => ({
      spec,
      left: spec.times,
      lastAt: -1,
      atOnce: 0,
      hasCome: false,
      delayed: 0,
      met: new Set(),
    }));
    world.observe(['moved', ...EVENT_WORDS], (fact) => this.#on(fact));
  }

  start(): void {
    for (const entry of this.#entries) {
      const { when } = entry.spec;
      if (when.kind === 'at') this.#world.schedule(when.at, () => this.#fire(entry));
      if (when.kind === 'every') this.#repeat(entry, when.period);
    }
  }

  /** True when nothing is left to come but what repeats for ever. */
  get isSpent(): boolean {
    return this.awaited.length === 0;
  }

  /** Entries that are still to come and do not repeat for ever, as `timeline[0]`. */
  get awaited(): readonly string[] {
    return this.#entries.filter(isAwaiting).map(({ spec }) => spec.line);
  }

  /** Entries that have changed nothing: they did not come due, or could do nothing to the nodes they name. */
  get untouched(): readonly TimelineEntry[] {
    const { effective } = this.#actions;
    return this.#entries.flatMap(({ spec }) => (effective.has(spec.line) ? [] : [spec]));
  }

  /** Virtual time of the last action, for `until: quiet`. */
  get lastActionAt(): number {
    return this.#actions.lastAt;
  }

  /** A `break` has come: the run ends here. */
  get isBroken(): boolean {
    return this.#actions.isBroken;
  }

  /**
   * Whether the timeline is sure to start this process still. What waits for a crash, a start or a round may never come.
   */
  willReturn(process: Process): boolean {
    if (this.#actions.isReturning(process)) return true;
    return this.#entries.some((entry) => isStart(entry.spec.action, process) && isSure(entry, process));
  }

  hasLeft(process: Process): boolean {
    return this.#actions.hasLeft(process);
  }

  #repeat(entry: Entry, period: number): void {
    const fire = (): Promise<void> | undefined => {
      if (entry.left > 0) this.#world.schedule(this.#world.now + period, fire);
      return this.#fire(entry);
    };
    this.#world.schedule(period, fire);
  }

  #on(fact: Fact): void {
    for (const entry of this.#entries) {
      if (entry.left === 0) continue;
      const key = matches(entry.spec, fact);
      if (key === undefined || entry.met.has(key)) continue;
      entry.met.add(key);
      entry.delayed++;
      // Never within the event that met the condition: that event is finished first.
      this.#world.schedule(this.#world.now + entry.spec.delay, () => {
        entry.delayed--;
        return this.#fire(entry);
      });
    }
  }

  #fire(entry: Entry): Promise<void> | undefined {
    entry.hasCome = true;
    if (entry.left === 0 || this.#isCircling(entry)) return undefined;
    const { spec } = entry;
    if (spec.chancePpm < PPM && !this.#world.choices.stream(`${spec.dice}/chance`).chance(spec.chancePpm))
      return undefined;
    entry.left--;
    this.#actions.noteUntil(this.#world.now);
    const done = this.#actions.do(spec.action, spec);
    this.#world.witness({ kind: 'fault' });
    return done;
  }

  #isCircling(entry: Entry): boolean {
    const { now } = this.#world;
    entry.atOnce = entry.lastAt === now ? entry.atOnce + 1 : 1;
    entry.lastAt = now;
    if (entry.atOnce > AT_ONCE_MAX) this.circling ??= entry.spec.line;
    return entry.atOnce > AT_ONCE_MAX;
  }
}

/** Whether the action may start this process if it is down. */
function isStart(action: Action, { name }: Process): boolean {
  switch (action.kind) {
    case 'restart':
    case 'upgrade':
    case 'rollback':
      return action.target.kind !== 'names' || action.target.names.includes(name);
    case 'addNode':
      return action.name === name;
    default:
      return false;
  }
}

/** An entry with a chance comes due at every event of its kind: once is enough to wait for. */
function isAwaiting({ spec, left, hasCome, delayed }: Entry): boolean {
  if (left === 0 || spec.when.kind === 'state') return false;
  // It comes as often as it says, unless its chance is none.
  if (spec.when.kind === 'every') return spec.times < TIMES_MAX && spec.chancePpm > 0;
  const isOnce = spec.when.kind === 'at' || spec.chancePpm < PPM;
  return !hasCome || delayed > 0 || !isOnce;
}

/** Whether an entry comes due in any run that goes on while a process is down. */
function isSure({ spec: { when, on, chancePpm }, left, hasCome, delayed }: Entry, down: Process): boolean {
  if (left === 0 || delayed > 0) return left > 0;
  switch (when.kind) {
    case 'at':
      return !hasCome;
    case 'every':
      return chancePpm > 0;
    case 'event':
      return false;
    case 'state':
      return (when.height === undefined || !hasCome) && (when.round ?? 0) === 0 && on !== down.name;
  }
}

/** A key naming how the fact meets the entry's condition, undefined when it does not. */
function matches(spec: TimelineEntry, fact: Fact): string | undefined {
  const { when, on } = spec;
  if (when.kind === 'state' && fact.kind === 'moved') {
    if (on !== undefined && fact.node.name !== on) return undefined;
    if (when.height === undefined && when.round === undefined && when.step === undefined)
      return `${fact.node.name}/${fact.position.height}/${fact.position.round}/${fact.position.step}`;
    return isThere(when, fact.position) ? `${fact.position.height}/${when.round ?? ''}` : undefined;
  }
  if (when.kind !== 'event' || !isAwaited(when, fact)) return undefined;
  if (fact.kind === 'checkpoint') return `${fact.count}`;
  return 'node' in fact ? `${fact.node.lives}` : when.node;
}

/** Rounds and steps can be skipped within one event: being past them in that height counts. */
function isThere(when: Extract<When, { kind: 'state' }>, at: Position): boolean {
  if (when.height !== undefined && at.height !== when.height) return false;
  const round = when.round ?? at.round;
  if (at.round < round) return false;
  return when.step === undefined || at.round > round || at.step >= STEP[when.step];
}
