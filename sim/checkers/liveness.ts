import { DEFAULT_CONSENSUS_CONFIG } from '../../core/consensus/contract.ts';
import { precommitTimeoutMs, prevoteTimeoutMs, proposeTimeoutMs } from '../../core/consensus/timeouts.ts';
import { validatorAddress } from '../../core/crypto/addresses.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Process } from '../process.ts';
import type { Expectation } from '../scenario/scenario.ts';
import { type Checker, type CheckerContext, isTolerable } from './checker.ts';
import { Rotation } from './rotation.ts';

type Liveness = Extract<Expectation, { kind: 'liveness' }>;

/**
 * LIV: counted from the moment of stability (`gst`, or the start), every correct node decides so many heights in so
 * much time. Nodes that are down at the end and stay down are excused; so is everyone when a third is faulty.
 */
export function liveness(context: CheckerContext, wanted: Liveness): Checker {
  const name = 'liveness';
  let from = 0;
  const base = new Map<Process, number>();
  const done = new Map<Process, number>();
  const { world } = context;
  return {
    name,
    on(fact) {
      if (fact.kind === 'stable') {
        from = world.now;
        done.clear();
        for (const node of context.correct) base.set(node, node.decided);
      }
      if (fact.kind !== 'event' || fact.event.kind !== 'committed' || !fact.node.isCorrect) return;
      const { node } = fact;
      const heights = fact.event.block.header.height - (base.get(node) ?? 0);
      if (heights >= wanted.heights && !done.has(node)) done.set(node, world.now);
    },
    finish() {
      if (!isTolerable(context)) return;
      for (const node of context.correct) {
        const within =
          wanted.within === 'auto' ? autoBound(context, base.get(node) ?? 0, wanted.heights) : wanted.within;
        if (node.state === 'down' || node.state === 'halted') continue;
        const at = done.get(node);
        const seconds = (micros: number): string => `${micros / 1_000_000}s`;
        if (at === undefined) {
          context.fail(
            name,
            `${node.name} decided ${node.decided - (base.get(node) ?? 0)} heights, not ${wanted.heights}`,
          );
        } else if (at - from > within) {
          context.fail(
            name,
            `${node.name} took ${seconds(at - from)} for ${wanted.heights} heights, at most ${seconds(within)}`,
          );
        }
      }
    },
  };
}

/** What a node needs besides the network: signer, application, disk, gossip's tick. Far above any of them. */
const PROCESSING_MICROS = 400_000;
/** Rounds looked ahead for the longest run of proposers that may fail. */
const ROUNDS_AHEAD = 64;

/**
 * R rounds a height (reference §3): as many as the longest run of faulty proposers in the real rotation, one with a correct
 * one, and those until the time-outs outlast the network; each as long as its three time-outs, and then the wait for the
 * next height.
 */
export function autoBound(
  { scenario, cluster, correct }: CheckerContext,
  base: number,
  heights: number,
): number {
  const { genesis, members } = cluster;
  const rotation = new Rotation(
    genesis.validators.map(({ pubKey, power }) => ({ address: validatorAddress(pubKey), power })),
    genesis.initialHeight,
  );
  const faulty = members.filter(({ name }) => !correct.some((node) => node.name === name));
  const isFaulty = (height: number, round: number): boolean =>
    faulty.some(({ address }) => equalBytes(address, rotation.proposer(height, round)));
  const exchange = 2 * slowest(scenario) + PROCESSING_MICROS;
  let bound = 0;
  for (let height = base + 1; height <= base + heights; height++) {
    let run = 0;
    let longest = 0;
    for (let round = 0; faulty.length > 0 && round < ROUNDS_AHEAD; round++) {
      run = isFaulty(height, round) ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    const rounds = longest + 1 + roundsUntil(exchange);
    for (let round = 0; round < rounds; round++) bound += roundMicros(round) + exchange;
    bound += scenario.engine.blockTime;
  }
  return bound;
}

const CONFIG = DEFAULT_CONSENSUS_CONFIG;

const roundMicros = (round: number): number =>
  1000 *
  (proposeTimeoutMs(CONFIG, round) + prevoteTimeoutMs(CONFIG, round) + precommitTimeoutMs(CONFIG, round));

/** Rounds whose time-outs may be too short for one exchange over the network. */
function roundsUntil(exchange: number): number {
  let round = 0;
  while (1000 * Math.min(proposeTimeoutMs(CONFIG, round), prevoteTimeoutMs(CONFIG, round)) < exchange)
    round++;
  return round;
}

/** The longest delay of a message, ever: changed links count, though they may have been mended since. */
const slowest = ({ network, timeline }: CheckerContext['scenario']): number =>
  timeline.reduce(
    (most, { action }) => (action.kind === 'link' ? Math.max(most, action.faults.delay?.high ?? 0) : most),
    network.delay.high,
  );
