import type { ConsensusConfig } from '../../../core/consensus/contract.ts';
import { equalBytes } from '../../../core/lib/bytes.ts';
import type { Process } from '../../machine/process.ts';
import type { Expectation } from '../../scenario/scenario.ts';
import { PPM } from '../../world/choices.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { rotationOf } from '../consensus/rotation.ts';
import { againMicros, slowest } from '../linkFaults.ts';
import { BROKEN_OFF, TOO_MANY_FAULTY } from '../notJudged.ts';
import { type TimeInCore, TimesInCore } from '../progressCore.ts';
import { precommitMicros, prevoteMicros, proposeMicros } from '../timing/roundTimeouts.ts';
import { paceMicros } from '../timing/waitingTime.ts';

type Liveness = Extract<Expectation, { kind: 'liveness' }>;

/** How long the heights took: when they were done, and how long the node could make progress until then. */
interface Done {
  readonly at: number;
  readonly chance: TimeInCore;
}

const NO_CHANCE =
  'no correct node was in a quorum of correct nodes that reach each other for as long as it may need';
const TOO_SHORT = 'the run ended before the time of within was over';
const NOT_STABLE = 'gst has not come';

const seconds = (micros: number): string => `${micros / 1_000_000}s`;

/**
 * LIV: counted from the moment of stability (`gst`, or the start), every correct node decides so many heights within so
 * much time. Excused are nodes that are down or halted at the end, and every node if a third of the power is faulty. A
 * node that starts later has the time from its start on. If the bound is `auto`, only the time counts in which the node
 * was among a quorum of correct nodes that reach each other.
 */
export function liveness(context: CheckerContext, wanted: Liveness): Checker {
  const { world, correct } = context;
  const chances = wanted.within === 'auto' ? new TimesInCore(context) : undefined;
  let from = 0;
  let isStable = !context.scenario.timeline.some(({ action }) => action.kind === 'gst');
  /** When each node first started. */
  const began = new Map<Process, number>();
  let roundMax = 0;
  /** The height before the first. */
  const origin = context.cluster.genesis.initialHeight - 1;
  const base = new Map<Process, number>();
  const baseOf = (node: Process): number => base.get(node) ?? origin;
  const done = new Map<Process, Done>();
  const isUp = ({ state }: Process): boolean => state !== 'down' && state !== 'halted';
  let isAnyJudged = false;
  const isCounted = (): boolean => isStable || chances !== undefined;
  const standingOf = (node: Process, had: TimesInCore): Standing => {
    const reached = done.get(node);
    const chance = reached?.chance ?? had.of(node);
    const isAway = (one: Process): boolean => had.of(one).micros < world.now - from;
    const bound = boundOf(context, baseOf(node), wanted.heights, { firstRound: roundMax, isAway });
    return {
      chance,
      isReached: reached !== undefined,
      isFree:
        reached === undefined && bound.isQuick && chance.micros >= Math.max(world.now - from, bound.least),
      allowed: bound.micros + chance.times * returnMicros(context),
      why: `${bound.rounds}, ${chance.times} × ${seconds(returnMicros(context))} to connect${bound.missed}`,
    };
  };
  const judge = (node: Process): void => {
    const decided = Math.max(node.decided, origin) - baseOf(node);
    const standing = chances && standingOf(node, chances);
    const since = Math.max(from, began.get(node) ?? 0);
    const reachedAt = done.get(node)?.at;
    const passed = (reachedAt ?? world.now) - since;
    const isReached = reachedAt !== undefined;
    if (standing === undefined ? isEarly(wanted, passed, isReached) : isExcused(standing)) return;
    isAnyJudged = true;
    const problem =
      standing === undefined
        ? lateness(wanted, decided, passed, isReached)
        : stall(wanted.heights, decided, standing);
    if (problem === undefined) return;
    const counted = since > 0 ? `, counted from ${seconds(since)} on` : '';
    context.fail('liveness', `${node.name} ${problem}${counted}`);
  };
  return {
    name: 'liveness',
    ...hearing(['committed', ...TimesInCore.TOPICS], (fact) => {
      if (fact.kind === 'started' && !began.has(fact.node)) began.set(fact.node, world.now);
      if (fact.kind === 'stable') {
        [from, isStable] = [world.now, true];
        done.clear();
        for (const node of correct) base.set(node, Math.max(node.decided, origin));
        roundMax = correct.reduce((most, node) => Math.max(most, node.position.round), 0);
      }
      chances?.on(fact);
      if (fact.kind !== 'event' || fact.event.kind !== 'committed' || !fact.node.isCorrect) return;
      const { node } = fact;
      const heights = fact.event.block.header.height - baseOf(node);
      if (heights >= wanted.heights && !done.has(node))
        done.set(node, { at: world.now, chance: chances?.of(node) ?? { micros: 0, times: 0 } });
    }),
    finish() {
      if (!isTolerable(context) || !isCounted()) return;
      for (const node of correct) if (isUp(node)) judge(node);
    },
    unjudged(isBrokenOff) {
      if (!isTolerable(context)) return TOO_MANY_FAULTY;
      if (isBrokenOff) return BROKEN_OFF;
      if (!correct.some(isUp)) return 'no correct node is up at the end';
      if (!isCounted()) return NOT_STABLE;
      if (isAnyJudged) return undefined;
      return chances === undefined ? TOO_SHORT : NO_CHANCE;
    },
  };
}

/** Whether a run with a bound of its own ended while the node still had time. */
const isEarly = ({ within }: Liveness, passed: number, isReached: boolean): boolean =>
  within !== 'auto' && !isReached && passed < within;

/** @param passed The time until the heights were decided, or until the end of the run. */
function lateness(
  { within, heights }: Liveness,
  decided: number,
  passed: number,
  isReached: boolean,
): string | undefined {
  if (within === 'auto' || (isReached && passed <= within)) return undefined;
  return isReached
    ? `took ${seconds(passed)} for ${heights} heights, at most ${seconds(within)}`
    : `decided ${decided} heights in ${seconds(passed)}, not ${heights} within ${seconds(within)}`;
}

/** Where a node stands at the end of a run whose bound is `auto`. */
interface Standing {
  readonly chance: TimeInCore;
  readonly isReached: boolean;
  /** Nothing ever kept the node from making progress, and the run was long enough if each round led to a block. */
  readonly isFree: boolean;
  /** How long it may take, of the time in which it could make progress. */
  readonly allowed: number;
  /** What that time is made of. */
  readonly why: string;
}

/** A node without as much time as it may need is judged only if nothing ever held it up. */
const isExcused = ({ chance, isReached, isFree, allowed }: Standing): boolean =>
  !isReached && !isFree && chance.micros <= allowed;

function stall(
  heights: number,
  decided: number,
  { chance, isReached, allowed, why }: Standing,
): string | undefined {
  const took = `${seconds(chance.micros)} among a quorum of correct nodes that reach each other`;
  const most = `expected within ${seconds(allowed)} (${why})`;
  if (chance.micros > allowed)
    return isReached
      ? `took ${took} for ${heights} heights, ${most}`
      : `decided ${decided} heights, not ${heights}, in ${took}, ${most}`;
  return isReached ? undefined : `decided ${decided} heights, not ${heights}, in a run of ${took}`;
}

/** Time for both ends to notice a broken connection, dial again and announce where they stand. */
const RETURN_MICROS = 40_000_000;
/** Nodes that find each other by themselves wait longer between two dials. */
const FOUND_AGAIN_MICROS = 120_000_000;

const returnMicros = ({ scenario }: CheckerContext): number =>
  scenario.peers === undefined ? RETURN_MICROS : FOUND_AGAIN_MICROS;

/** What a node needs besides the network: signer, application, disk, gossip tick. Far above any of them. */
const PROCESSING_MICROS = 400_000;
/** Rounds searched for the longest run of proposers that may fail. */
const ROUNDS_AHEAD = 64;

/** The proposal, prevotes and precommits of a round. */
const EXCHANGES = 3;

interface Since {
  /** The round in which the first height goes on. */
  readonly firstRound?: number;
  /** Whether a correct node may have missed its turns to propose. */
  readonly isAway?: (node: Process) => boolean;
}

const isNotUp = ({ state }: Process): boolean => state !== 'up';

/** How long so many heights may take, with all nodes that are not up away. */
export const autoBound = (context: CheckerContext, base: number, heights: number): number =>
  boundOf(context, base, heights, {}).micros;

/**
 * The rounds that a height may take: the longest run of proposers in the real rotation that are faulty or away, one round
 * with another proposer, and the rounds before timeouts outlast the network. Each round takes its three timeouts; after it
 * come the wait for the next height and the wait for transactions. The first height begins in the round reached at
 * stability. Nobody begins the first block before the time of genesis.
 */
function boundOf(
  { scenario, cluster, correct }: CheckerContext,
  base: number,
  heights: number,
  { firstRound = 0, isAway = isNotUp }: Since,
): Bound {
  const rotation = rotationOf(cluster);
  const present = new Set(correct.filter((node) => !isAway(node)).map(({ name }) => name));
  const absent = cluster.members.filter(({ name }) => !present.has(name));
  const isAbsent = (height: number, round: number): boolean =>
    absent.some(({ address }) => equalBytes(address, rotation.proposer(height, round)));
  const config = scenario.engine.consensus;
  const slowness = Math.max(0, ...correct.map((node) => paceMicros(node)));
  const exchange = 2 * slowest(scenario) + PROCESSING_MICROS + slowness + againMicros(scenario);
  const timer = timers(scenario);
  const early = roundsUntil(config, exchange);
  let bound = base < cluster.genesis.initialHeight ? timer.micros(genesisMicros(scenario)) : 0;
  let turns = 0;
  let least = bound;
  for (let height = base + 1; height <= base + heights; height++) {
    let run = 0;
    let longest = 0;
    for (let round = 0; absent.length > 0 && round < ROUNDS_AHEAD; round++) {
      run = isAbsent(height, round) ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    const start = height === base + 1 ? firstRound : 0;
    const rounds = start + longest + 1 + early;
    turns += rounds - start;
    for (let round = start; round < rounds; round++)
      bound += timer.micros(roundMicros(config, round)) + exchange + TIMERS_A_ROUND * timer.late;
    const pause =
      timer.micros(1000 * (config.timeoutCommitMs + config.createEmptyBlocksIntervalMs)) +
      TIMERS_A_HEIGHT * timer.late;
    bound += pause;
    least += EXCHANGES * exchange + pause;
  }
  const names = absent.map(({ name }) => name).join(', ');
  return {
    micros: bound,
    isQuick: early === 0 && absent.length === 0,
    least,
    rounds: `${turns} rounds with their timeouts and ${seconds(exchange)} for messages in each`,
    missed: names === '' ? '' : `, turns to propose may be missed by ${names}`,
  };
}

interface Bound {
  readonly micros: number;
  /** Everybody proposes, and the timeouts of the first round outlast the exchange of its messages. */
  readonly isQuick: boolean;
  /** The same if each first round leads to a block before its timeouts. */
  readonly least: number;
  /** What it is made of, for people. */
  readonly rounds: string;
  /** Whose turns may lead to no block. */
  readonly missed: string;
}

/** The three timeouts of a round, and the gossip ticks of an exchange. */
const TIMERS_A_ROUND = 5;
/** The wait for the height, and that for transactions. */
const TIMERS_A_HEIGHT = 2;

/** The longest that a timer takes on any clock of the scenario, and how late it may be besides. */
function timers({ timeline }: CheckerContext['scenario']) {
  const actions = timeline.map(({ action }) => action);
  const drift = Math.min(0, ...actions.map((one) => (one.kind === 'drift' ? one.ppm : 0)));
  return {
    micros: (micros: number): number => Math.ceil((micros * PPM) / (PPM + drift)),
    late: Math.max(0, ...actions.map((one) => (one.kind === 'jitter' ? one.micros : 0))),
  };
}

/** How long nodes wait for the time of genesis. One whose clock is set back meanwhile waits for longer. */
function genesisMicros({ genesis, timeline }: CheckerContext['scenario']): number {
  const back = timeline.map(({ action }) =>
    action.kind === 'skew' || action.kind === 'jump' ? Math.max(0, -action.micros) : 0,
  );
  return genesis.startsIn + back.reduce((sum, micros) => sum + micros, 0);
}

const roundMicros = (config: ConsensusConfig, round: number): number =>
  proposeMicros(config, round) + prevoteMicros(config, round) + precommitMicros(config, round);

/** Rounds whose timeouts may be too short for one exchange over the network. */
function roundsUntil(config: ConsensusConfig, exchange: number): number {
  let round = 0;
  while (Math.min(proposeMicros(config, round), prevoteMicros(config, round)) < exchange) round++;
  return round;
}
