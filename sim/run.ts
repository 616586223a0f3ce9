import { sha256 } from '@noble/hashes/sha2.js';
import { nobleSuite } from '../core/crypto/noble.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { toHex } from '../core/lib/bytes.ts';
import { ok, type Result } from '../core/lib/result.ts';
import { StorageFault } from '../core/lib/storageFault.ts';
import { encodeUtf8 } from '../core/lib/utf8.ts';
import { wrap } from './byzantine/wrap.ts';
import { checkersOf } from './checkers/all.ts';
import type { Checker, CheckerContext } from './checkers/checker.ts';
import { clientCheckers } from './checkers/clientCheckers.ts';
import { notJudged } from './checkers/notJudged.ts';
import { Past } from './checkers/past.ts';
import { stakeOf } from './checkers/stake.ts';
import { hasTimeStopped } from './checkers/timing/hasTimeStopped.ts';
import { type AllClients, accountsOf, makeClients } from './clients/all.ts';
import { CHAIN_ID, type Cluster, makeCluster } from './cluster.ts';
import { keyedHashSuite } from './keyedHash.ts';
import type { NodeFactory } from './machine/simNode.ts';
import { makeWorld } from './makeWorld.ts';
import { memoised } from './memo.ts';
import { neverHappened } from './neverHappened.ts';
import { nameRandomLiars } from './randomLiars.ts';
import { Reruns } from './reference/reruns.ts';
import { FAILURES_MAX, type Failure, FORKS_MAX, type ScenarioReport } from './report.ts';
import type { ScenarioError } from './scenario/cursor.ts';
import { parseScenario } from './scenario/parse.ts';
import type { ByzantineEntry, Scenario } from './scenario/scenario.ts';
import { varied } from './search/vary.ts';
import { addedBy } from './timeline/added.ts';
import { Timeline } from './timeline/timeline.ts';
import { isOver, lack, timeLimit, timeOf } from './timeline/until.ts';
import type { ChoicesOptions } from './world/choices.ts';
import { REMARKED, remarkFact } from './world/remarks.ts';
import { Tripwire } from './world/tripwire.ts';
import { EVENTS_MAX, type World } from './world/world.ts';

/** A run continues this long after its first failure: what else breaks helps to see why, but an hour of it does not. */
const AFTERMATH_MICROS = 300_000_000;

export interface RunOptions {
  /** Replaces the scenario's own seed. Without either the seed is `1`. */
  readonly seed?: string | undefined;
  /** Receives the trace, one JSON line per event. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Where real ed25519, ECDSA and hashes come from; all suites give the same answers. Default: noble. */
  readonly suite?: CryptoSuite | undefined;
  /** Replaces the scenario's `engine.crypto`. */
  readonly crypto?: 'ed25519' | 'keyed-hash' | undefined;
  /** Take clocks, timers and randomness away from everything that runs in the simulation; default true. */
  readonly tripwire?: boolean | undefined;
  /** Choices to replay instead of the seed's. */
  readonly replay?: ReadonlyMap<string, readonly number[]> | undefined;
  readonly zeroed?: ((label: string) => boolean) | undefined;
  /** Answers some choices by other means than chance; see ChoicesOptions. */
  readonly steer?: ChoicesOptions['steer'];
  /** Depth of the schedule: links have priorities that change at so many points less one; see LinkPriorities. */
  readonly pct?: number | undefined;
  /** Receives each failure when it happens. */
  readonly onFailure?: ((failure: Failure) => void) | undefined;
  /** Receives each error that stops a node, for developers: reports and traces hold only its message. */
  readonly onThrow?: ((error: unknown) => void) | undefined;
  /** Which checkers judge. The run is the same whichever do. Default: all. */
  readonly judges?: ((checker: string) => boolean) | undefined;
  /**
   * Ends the run early. Called after each event with virtual µs, the number of events and the time of the next, if any.
   */
  readonly stop?: ((now: number, events: number, nextAt: number | undefined) => boolean) | undefined;
  /** Receives every choice of the run at its end. */
  readonly onChoices?: ((choices: ReadonlyMap<string, readonly number[]>) => void) | undefined;
  /** Receives the cluster before the run. */
  readonly onCluster?: ((cluster: Cluster) => void) | undefined;
  /** Wraps the node factory, e.g. to break a rule on purpose. */
  readonly nodes?: ((real: NodeFactory) => NodeFactory) | undefined;
}

/** The seed of a run without any other. */
export const DEFAULT_SEED = '1';

/** Reads a scenario file and runs it. An error says where the file is wrong. */
export async function runScenario(
  text: string,
  options: RunOptions = {},
): Promise<Result<ScenarioReport, ScenarioError>> {
  const parsed = parseFor(text, options.seed);
  return parsed.ok ? ok(await runParsed(parsed.value, options)) : parsed;
}

/** The scenario of a file for a seed (default: its own). A swarm scenario varies with the seed. */
export function parseFor(text: string, seed: string | undefined): Result<Scenario, ScenarioError> {
  const written = parseScenario(text);
  if (!written.ok || written.value.swarm === undefined) return written;
  return parseScenario(varied(text, seed ?? written.value.seed ?? DEFAULT_SEED));
}

/** Runs a scenario to its end and judges it. Same scenario and seed, same report, on every machine. */
export async function runParsed(parsed: Scenario, options: RunOptions = {}): Promise<ScenarioReport> {
  const tripwire = new Tripwire();
  const scenario = nameRandomLiars(parsed, options.seed ?? parsed.seed ?? DEFAULT_SEED);
  const run = prepare(scenario, options, tripwire);
  if (options.tripwire !== false) tripwire.arm();
  try {
    await run.execute();
  } finally {
    tripwire.disarm();
  }
  for (const name of tripwire.touched) run.fail('tripwire', `${name} was used while simulated nodes ran`);
  options.onChoices?.(run.world.choices.recorded());
  return run.report();
}

function suiteOf(scenario: Scenario, options: RunOptions, tripwire: Tripwire): CryptoSuite {
  const base = tripwire.blinding(options.suite ?? nobleSuite);
  const kind = options.crypto ?? scenario.engine.crypto;
  return memoised(kind === 'keyed-hash' ? keyedHashSuite(base) : base);
}

interface Run {
  readonly world: World;
  fail(checker: string, message: string): void;
  execute(): Promise<void>;
  report(): ScenarioReport;
}

function prepare(scenario: Scenario, options: RunOptions, tripwire: Tripwire): Run {
  const seed = options.seed ?? scenario.seed ?? DEFAULT_SEED;
  const suite = suiteOf(scenario, options, tripwire);
  const cluster = makeCluster(
    suite,
    scenario.validators,
    accountsOf(scenario),
    scenario.genesis,
    scenario.updates,
  );
  options.onCluster?.(cluster);
  const world = makeWorld(scenario, cluster, suite, options, seed);
  const failures: Failure[] = [];
  const fail = (checker: string, message: string): void => {
    if (failures.length >= FAILURES_MAX) return;
    const failure = { checker, message, at: world.now };
    failures.push(failure);
    options.onFailure?.(failure);
    world.remark('broken', undefined, `${checker}: ${message}`);
  };
  const acted = addByzantine(world, scenario, cluster, suite);
  if (options.trace !== undefined) world.observe(REMARKED, (fact) => remarkFact(world, fact));
  const clients = makeClients(world, cluster, suite, scenario);
  const context = contextOf(scenario, cluster, suite, world, fail);
  const checkers = [...checkersOf(context), ...clientCheckers(context, clients)].filter(
    ({ name }) => options.judges?.(name) ?? true,
  );
  for (const checker of checkers) attach(world, checker);
  const timeline = new Timeline(world, cluster, suite, scenario.timeline);
  const tally = tallyOf(world);
  let hasStopped = false;
  let isBrokenOff = false;
  /** Whether the run ends here, before its own end. */
  const isCutShort = (): boolean => {
    const isLost = world.now > (failures[0]?.at ?? world.now) + AFTERMATH_MICROS;
    const { circling } = timeline;
    if (circling !== undefined) fail('until', `${circling} comes again and again at one moment`);
    if (isLost || timeline.isBroken || circling !== undefined) return true;
    return options.stop?.(world.now, world.events, world.nextAt) === true;
  };
  return {
    world,
    fail,
    async execute() {
      startNodes(world, scenario);
      timeline.start();
      for (const client of Object.values(clients).flat()) client.start();
      const isAtEnd = isOver(scenario, world, timeline);
      const isDone = (): boolean => {
        isBrokenOff = isCutShort();
        return isBrokenOff || isAtEnd();
      };
      const ended = await world.run(isDone, timeLimit(scenario));
      // What is expected by the end cannot be judged before the end.
      if (isBrokenOff) return;
      const isTimed = timeOf(scenario.until) !== undefined && (ended === 'time' || ended === 'idle');
      const isShort = ended !== 'over' && !isTimed;
      hasStopped = isShort && hasTimeStopped(context);
      if (isShort && !hasStopped)
        fail('until', `the end was not reached: ${UNREACHED[ended]}${lack(scenario, world, timeline)}`);
      for (const checker of checkers) await finish(checker, fail);
    },
    report: () => ({
      ...reportOf(scenario, seed, world, failures, clients, tally),
      notJudged: notJudged(context, checkers, isBrokenOff),
      neverHappened: [
        ...neverHappened({ scenario, world, timeline, clients, acted }),
        ...(hasStopped ? ['until (block time stands still)'] : []),
      ],
    }),
  };
}

function attach(world: World, { topics, on, look, follow }: Checker): void {
  if (topics !== undefined && on !== undefined) world.observe(topics, on);
  if (follow !== undefined) world.follow(follow);
  if (look !== undefined) world.watch(look);
}

/** Starts every node but those that the timeline adds. */
function startNodes(world: World, { timeline }: Scenario): void {
  const added = addedBy(timeline);
  for (const process of world.processes)
    if (!added.has(process.name)) world.schedule(0, () => process.start());
}

/** Checkers read only nodes with a sound disk: a failed read there is the fault of the node. */
async function finish(checker: Checker, fail: Run['fail']): Promise<void> {
  try {
    await checker.finish?.();
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    fail('records', error.message);
  }
}

/** Why a run ended before its end. */
const UNREACHED = {
  time: 'engine.time_max is over',
  idle: 'nothing is left to happen',
  events: `${EVENTS_MAX} events have happened`,
} as const;

/** Makes nodes Byzantine. Returns a set that will hold the entries that have acted. */
function addByzantine(
  world: World,
  scenario: Scenario,
  cluster: Cluster,
  suite: CryptoSuite,
): ReadonlySet<ByzantineEntry> {
  const acted = new Set<ByzantineEntry>();
  const options = {
    chainId: CHAIN_ID,
    timeouts: scenario.engine.consensus,
    cluster,
    suite,
    coalitions: new Map(),
    twoBlocks: new Map(),
    acted,
  };
  for (const { name } of cluster.members) {
    const entries = scenario.byzantine.filter((entry) => entry.who === name);
    if (entries.length === 0) continue;
    const process = world.process(name);
    process.wrapper = wrap(world, process, entries, options);
  }
  return acted;
}

function contextOf(
  scenario: Scenario,
  cluster: Cluster,
  suite: CryptoSuite,
  world: World,
  fail: CheckerContext['fail'],
): CheckerContext {
  return {
    scenario,
    cluster,
    suite,
    world,
    correct: world.processes.filter((process) => process.isCorrect),
    stakes: cluster.schedule.sets.map((set) => stakeOf(world, set)),
    past: new Past(scenario, new Reruns(suite, cluster.feeMarket)),
    fail,
  };
}

interface Tally {
  roundMax: number;
  evidence: number;
  /** Names of the nodes that decided a block, by height and hash. */
  readonly decided: Map<number, Map<string, Set<string>>>;
}

/** Counts what reports show. */
function tallyOf(world: World): Tally {
  const tally: Tally = { roundMax: 0, evidence: 0, decided: new Map() };
  world.observe(['moved', 'committed'], (fact) => {
    if (!fact.node.isCorrect) return;
    if (fact.kind === 'moved') {
      tally.roundMax = Math.max(tally.roundMax, fact.position.round);
      return;
    }
    const { header, evidence } = fact.event.block;
    const known = tally.decided.get(header.height);
    const hash = toHex(fact.event.blockId.hash);
    const deciders = known?.get(hash);
    if (deciders !== undefined) deciders.add(fact.node.name);
    else if (known !== undefined) known.set(hash, new Set([fact.node.name]));
    if (known !== undefined) return;
    tally.decided.set(header.height, new Map([[hash, new Set([fact.node.name])]]));
    world.hash.bytes(fact.event.blockId.hash);
    world.hash.bytes(fact.event.results.appHash);
    tally.evidence += evidence.length;
  });
  return tally;
}

function forksOf({ decided }: Tally): readonly string[] {
  const forked = [...decided].filter(([, blocks]) => blocks.size > 1).sort(([a], [b]) => a - b);
  return forked.slice(0, FORKS_MAX).map(([height, blocks]) => {
    const sides = [...blocks].map(
      ([hash, names]) => `${[...names].join(' and ')} decided ${hash.slice(0, 12)}`,
    );
    return `height ${height}: ${sides.join(', ')}`;
  });
}

function reportOf(
  scenario: Scenario,
  seed: string,
  world: World,
  failures: readonly Failure[],
  { wallets, bankers }: AllClients,
  tally: Tally,
): Omit<ScenarioReport, 'notJudged' | 'neverHappened'> {
  const { network } = world;
  const nodes = world.processes.map((process) => ({
    name: process.name,
    state: process.state,
    isCorrect: process.isCorrect,
    height: process.decided,
    lives: process.lives,
  }));
  const stats = {
    virtualMicros: world.now,
    events: world.events,
    framesSent: network.stats.framesSent,
    bytesSent: network.stats.bytesSent,
    framesLost: network.stats.framesLost,
    resets: network.stats.resets,
    roundMax: tally.roundMax,
    evidence: tally.evidence,
    txsSent: [...wallets, ...bankers].reduce((sum, client) => sum + client.sent.length, 0),
    txsConfirmed: [...wallets, ...bankers].reduce((sum, client) => sum + client.confirmed.length, 0),
  };
  const summary = JSON.stringify({
    run: world.hash.hex(),
    nodes,
    stats,
    failures: failures.map(({ checker, at }) => [checker, at]),
  });
  return {
    name: scenario.name,
    passed: failures.length === 0,
    seed,
    digest: toHex(sha256(encodeUtf8(`orrery-sim run/1\n${summary}`))),
    failures,
    forks: forksOf(tally),
    nodes: nodes.map((node) => {
      const { haltReason } = world.process(node.name);
      return node.state === 'halted' && haltReason !== undefined ? { ...node, haltReason } : node;
    }),
    stats,
  };
}
