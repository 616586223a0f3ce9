import { waitsForTxs } from '../../../core/consensus/timeouts.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { precommitMicros, prevoteMicros, proposeMicros } from './roundTimeouts.ts';
import { ANSWER_MICROS, WaitingTime } from './waitingTime.ts';

/** A timeout may be seen so much later than it was due. */
const SLACK_MICROS = 1_500_000;

interface Due {
  readonly what: string;
  readonly micros: number;
}

/** The wait for genesis time in one life. */
interface GenesisWait {
  /** Time left by the node's clock when it began consensus, µs. A later clock jump changes no timer. */
  readonly left: number;
  /** When consensus began. */
  readonly begun: number;
  /** When the WAL had certainly answered, so that the timer was set. */
  since: number | undefined;
}

/**
 * A node waits no longer than the round's timeout (L57, L61, L65), restarts included, and begins a height once the time
 * for late precommits is over. The counterpart of earlyTimeouts.ts. Not judged where clocks drift or jitter, because a slow
 * clock waits longer.
 */
export function lateTimeouts(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  if (scenario.timeline.some(({ action }) => action.kind === 'drift' || action.kind === 'jitter'))
    return { name };
  const awake = new WaitingTime(context);
  const genesisWaits = new Map<Process, GenesisWait>();
  const isTimeOver = (node: Process, { height, startTime }: RoundState): boolean => {
    // Before the first life has begun consensus, there is no start time.
    if (startTime <= 0) return false;
    const left = startTime - node.clock.now(world.now);
    if (height !== context.cluster.genesis.initialHeight) return left < 0;
    const wait = genesisWaits.get(node) ?? { left: Math.max(0, left), begun: world.now, since: undefined };
    genesisWaits.set(node, wait);
    // The timer is set once the WAL has written the start of consensus, for the time that was left before that.
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
          `${node.name} at ${rs.height}/${rs.round}: ${due.what} for ${waited.micros} µs, expected for at most ${due.micros} µs`,
        );
    },
  };
}

/** What the node waits for, if only time ends that wait, and for how long. */
function dueIn(
  rs: RoundState,
  { engine: { consensus: config }, genesis }: Scenario,
  isTimeOver: boolean,
): Due | undefined {
  const { step, round } = rs;
  if (step >= STEP.commit) return undefined;
  if (rs.held.precommitTimer)
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
    return { what: 'waits for transactions, though it may make an empty block,', micros: 0 };
  if (step === STEP.newRound && config.createEmptyBlocksIntervalMs > 0)
    return { what: 'waits for transactions', micros: 1000 * config.createEmptyBlocksIntervalMs };
  return undefined;
}
