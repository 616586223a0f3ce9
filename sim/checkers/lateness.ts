import { waitsForTxs } from '../../core/consensus/timeouts.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Process } from '../machine/process.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { hearing } from '../world/facts.ts';
import { ANSWER_MICROS, Awake } from './awake.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { precommitMicros, prevoteMicros, proposeMicros } from './waits.ts';

/** A time-out may be seen so much later than it was due. */
const SLACK_MICROS = 1_500_000;

interface Due {
  readonly what: string;
  readonly micros: number;
}

/** The wait of one life for the time of genesis. */
interface GenesisWait {
  /** What was left of it by what its clock said as it began consensus, µs: a later jump changes no timer. */
  readonly left: number;
  /** When it had begun consensus. */
  readonly begun: number;
  /** When its log had answered by far, and its timer was set. */
  since: number | undefined;
}

/**
 * A node waits no longer than the round's time-out asks (L57, L61, L65), restarts included, and begins a height when the time for late
 * precommits is over. The other half of patience.ts; a clock that runs slow waits longer.
 */
export function lateness(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  if (scenario.timeline.some(({ action }) => action.kind === 'drift' || action.kind === 'jitter'))
    return { name };
  const awake = new Awake(context);
  const genesisWaits = new Map<Process, GenesisWait>();
  const isTimeOver = (node: Process, { height, startTime }: RoundState): boolean => {
    // Before the first life has begun consensus there is no start time.
    if (startTime <= 0) return false;
    const left = startTime - node.clock.now(world.now);
    if (height !== context.cluster.genesis.initialHeight) return left < 0;
    const wait = genesisWaits.get(node) ?? { left: Math.max(0, left), begun: world.now, since: undefined };
    genesisWaits.set(node, wait);
    // The timer is set when the log has what it begins with, and for as long as was left before.
    const answersBy = wait.begun + ANSWER_MICROS;
    if (node.state === 'up' && node.disk.syncedBy(answersBy) <= world.now) wait.since ??= world.now;
    return wait.since !== undefined && world.now > wait.since + wait.left;
  };
  return {
    name,
    ...hearing(['started'], (fact) => {
      awake.forget(fact.node);
      genesisWaits.delete(fact.node);
    }),
    look(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect) return;
      const due = dueIn(rs, scenario, isTimeOver(node, rs));
      const waited = awake.wait(node, rs, due?.what);
      if (due !== undefined && waited !== undefined && waited.micros > due.micros + SLACK_MICROS)
        context.fail(
          name,
          `${node.name} at ${rs.height}/${rs.round}: ${due.what} for ${waited.micros} µs, at most ${due.micros}`,
        );
    },
  };
}

/** What only time ends, and how much of it. */
function dueIn(
  rs: RoundState,
  { engine: { consensus: config }, genesis }: Scenario,
  isTimeOver: boolean,
): Due | undefined {
  const { step, round } = rs;
  if (step >= STEP.commit) return undefined;
  if (rs.held?.precommitTimer === true)
    return {
      what: 'waits for precommits',
      micros: precommitMicros(config, round),
    };
  if (step === STEP.propose)
    return {
      what: 'waits for a proposal',
      micros: proposeMicros(config, round),
    };
  if (step === STEP.prevoteWait)
    return {
      what: 'waits for prevotes',
      micros: prevoteMicros(config, round),
    };
  if (step === STEP.newHeight && isTimeOver)
    return { what: 'waits for the height to begin', micros: 1000 * config.timeoutCommitMs };
  if (step === STEP.newRound && (!waitsForTxs(config) || rs.height <= genesis.initialHeight))
    return { what: 'waits with a block', micros: 0 };
  if (step === STEP.newRound && config.createEmptyBlocksIntervalMs > 0)
    return { what: 'waits for transactions', micros: 1000 * config.createEmptyBlocksIntervalMs };
  return undefined;
}
