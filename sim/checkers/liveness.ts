import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Process } from '../machine/process.ts';
import { longestDelay } from '../network/delay.ts';
import type { Expectation } from '../scenario/scenario.ts';
import { PPM } from '../world/choices.ts';
import { hearing } from '../world/facts.ts';
import { type Checker, type CheckerContext, isTolerable } from './checker.ts';
import { type Chance, Chances } from './recoverable.ts';
import { rotationOf } from './rotation.ts';
import { precommitMicros, prevoteMicros, proposeMicros } from './waits.ts';

type Liveness = Extract<Expectation, { kind: 'liveness' }>;

/** What a decision was reached with: virtual time since stability, and time in which the node had the chance. */
interface Done {
  readonly at: number;
  readonly chance: Chance;
}

const seconds = (micros: number): string => `${micros / 1_000_000}s`;

/**
 * LIV: counted from the moment of stability (`gst`, or the start), every correct node decides so many heights in so
 * much time. Nodes that are down at the end and stay down are excused; so is everyone when a third is faulty. With a
 * bound of its own making only the time counts in which the node was among a quorum of correct nodes that reach each other.
 */
export function liveness(context: CheckerContext, wanted: Liveness): Checker {
  const { world, correct } = context;
  const chances = wanted.within === 'auto' ? new Chances(context) : undefined;
  let from = 0;
  let roundMax = 0;
  const base = new Map<Process, number>();
  const done = new Map<Process, Done>();
  const judge = (node: Process): void => {
    const start = base.get(node) ?? 0;
    const reached = done.get(node);
    const problem =
      chances === undefined || wanted.within !== 'auto'
        ? lateness(wanted, node.decided - start, reached === undefined ? undefined : reached.at - from)
        : stall(context, wanted.heights, node.decided - start, {
            chance: reached?.chance ?? chances.of(node),
            isReached: reached !== undefined,
            isFree: reached === undefined && chances.of(node).micros >= world.now - from,
            bound: autoBound(context, start, wanted.heights, roundMax),
          });
    if (problem === undefined) return;
    const since = from > 0 ? `, counted from ${seconds(from)} on` : '';
    context.fail('liveness', `${node.name} ${problem}${since}`);
  };
  return {
    name: 'liveness',
    ...hearing(['committed', ...Chances.TOPICS], (fact) => {
      if (fact.kind === 'stable') {
        from = world.now;
        done.clear();
        for (const node of correct) base.set(node, node.decided);
        roundMax = correct.reduce((most, node) => Math.max(most, node.position.round), 0);
      }
      chances?.on(fact);
      if (fact.kind !== 'event' || fact.event.kind !== 'committed' || !fact.node.isCorrect) return;
      const { node } = fact;
      const heights = fact.event.block.header.height - (base.get(node) ?? 0);
      if (heights >= wanted.heights && !done.has(node))
        done.set(node, { at: world.now, chance: chances?.of(node) ?? { micros: 0, times: 0 } });
    }),
    finish() {
      if (!isTolerable(context)) return;
      for (const node of correct) if (node.state !== 'down' && node.state !== 'halted') judge(node);
    },
  };
}

function lateness(wanted: Liveness, decided: number, took: number | undefined): string | undefined {
  if (took === undefined) return `decided ${decided} heights, not ${wanted.heights}`;
  if (wanted.within === 'auto' || took <= wanted.within) return undefined;
  return `took ${seconds(took)} for ${wanted.heights} heights, at most ${seconds(wanted.within)}`;
}

interface Judged {
  readonly chance: Chance;
  readonly isReached: boolean;
  /** Nothing has ever kept it. */
  readonly isFree: boolean;
  readonly bound: number;
}

/** Whether a node had the chance for longer than it may need; who has not had it so long is not judged. */
function stall(
  context: CheckerContext,
  heights: number,
  decided: number,
  { chance, isReached, isFree, bound }: Judged,
): string | undefined {
  const allowed = bound + chance.times * returnMicros(context);
  if (chance.micros > allowed)
    return `${isReached ? 'took' : `decided ${decided} heights, not ${heights}, in`} ${seconds(chance.micros)}${isReached ? ` for ${heights} heights` : ''} in which nothing kept it, at most ${seconds(allowed)}`;
  return isReached || !isFree ? undefined : `decided ${decided} heights, not ${heights}`;
}

/** Until both ends have noticed a break, have dialled again and have told each other where they stand. */
const RETURN_MICROS = 40_000_000;
/** Nodes that find each other by themselves wait longer between two dials. */
const FOUND_AGAIN_MICROS = 120_000_000;

const returnMicros = ({ scenario }: CheckerContext): number =>
  scenario.peers === undefined ? RETURN_MICROS : FOUND_AGAIN_MICROS;

/** What a node needs besides the network: signer, application, disk, gossip's tick. Far above any of them. */
const PROCESSING_MICROS = 400_000;
/** Rounds looked ahead for the longest run of proposers that may fail. */
const ROUNDS_AHEAD = 64;

/**
 * R rounds a height (reference §3): as many as the longest run of faulty proposers in the real rotation, one with a correct
 * one, and those until the time-outs outlast the network; each as long as its three time-outs, and then the wait for the
 * next height, and for transactions. The first one begins in the round in which things came to rest.
 */
export function autoBound(
  { scenario, cluster, correct }: CheckerContext,
  base: number,
  heights: number,
  firstRound = 0,
): number {
  const rotation = rotationOf(cluster);
  const faulty = cluster.members.filter(({ name }) => !correct.some((node) => node.name === name));
  const isFaulty = (height: number, round: number): boolean =>
    faulty.some(({ address }) => equalBytes(address, rotation.proposer(height, round)));
  const config = scenario.engine.consensus;
  const exchange = 2 * slowest(scenario) + PROCESSING_MICROS + againMicros(scenario);
  let bound = 0;
  for (let height = base + 1; height <= base + heights; height++) {
    let run = 0;
    let longest = 0;
    for (let round = 0; faulty.length > 0 && round < ROUNDS_AHEAD; round++) {
      run = isFaulty(height, round) ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    const start = height === base + 1 ? firstRound : 0;
    const rounds = start + longest + 1 + roundsUntil(config, exchange);
    for (let round = start; round < rounds; round++) bound += roundMicros(config, round) + exchange;
    bound += 1000 * (config.timeoutCommitMs + config.createEmptyBlocksIntervalMs);
  }
  return bound;
}

/** A peer that has not moved for so long is sent everything again: a little above what gossip waits. */
const AGAIN_MICROS = 2_500_000;
/** How unlikely a message may be to get lost that often. */
const ONE_IN = 1_000_000_000;

/** What lost, damaged and torn-off messages may cost an exchange: as many repeats as chance can ask for. */
export function againMicros({ network, timeline }: CheckerContext['scenario']): number {
  const faults = [
    network,
    ...timeline.flatMap(({ action }) => (action.kind === 'link' ? [{ ...network, ...action.faults }] : [])),
  ];
  // Links that lose all are cut; the observer sees that.
  const losses = faults.map(({ lossPpm, corruptPpm, resetPpm }) => lossPpm + corruptPpm + resetPpm);
  const worst = Math.max(0, ...losses.filter((ppm) => ppm < PPM));
  let repeats = 0;
  for (let odds = 1; worst > 0 && odds < ONE_IN; odds *= PPM / worst) repeats++;
  return repeats * AGAIN_MICROS;
}

const roundMicros = (config: ConsensusConfig, round: number): number =>
  proposeMicros(config, round) + prevoteMicros(config, round) + precommitMicros(config, round);

/** Rounds whose time-outs may be too short for one exchange over the network. */
function roundsUntil(config: ConsensusConfig, exchange: number): number {
  let round = 0;
  while (Math.min(proposeMicros(config, round), prevoteMicros(config, round)) < exchange) round++;
  return round;
}

/** The longest delay of a message, ever: changed links count, though they may have been mended since. */
export const slowest = ({ network, timeline }: CheckerContext['scenario']): number =>
  Math.max(
    longestDelay(network.delay),
    ...timeline.flatMap(({ action }) =>
      action.kind === 'link' && action.faults.delay !== undefined ? [longestDelay(action.faults.delay)] : [],
    ),
  );
