import { formatTime } from '../../../core/codec/timeText.ts';
import type { ConsensusConfig } from '../../../core/consensus/contract.ts';
import type { BitSet } from '../../../core/lib/bitset.ts';
import { compareTime, timestampOf } from '../../../core/types/ids.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { stepName, timeText } from '../../words.ts';
import { hearing, type Position } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { precommitMicros, prevoteMicros, proposeMicros } from './roundTimeouts.ts';

/** A node may be seen to move so much later than it did: at its next event, at the latest the next gossip tick. */
export const SLACK_MICROS = 300_000;
/** With these actions, the observer cannot tell when a wait began. */
const CLOCKS_AND_DISKS: readonly string[] = ['skew', 'jump', 'drift', 'jitter', 'disk'];

export const hasOddClocks = ({ timeline }: Scenario): boolean =>
  timeline.some(({ action }) => CLOCKS_AND_DISKS.includes(action.kind));

interface Stay {
  readonly position: Position;
  readonly since: number;
}

/**
 * Before a node gives up on the proposer, the prevotes or the precommits, it waits as long as the round's timeout (L57,
 * L61, L65), and before it begins a height it waits for late precommits. Not judged with faulty clocks or drives.
 */
export function earlyTimeouts(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  if (hasOddClocks(scenario)) return { name };
  const stays = new Map<Process, Stay>();
  return {
    name,
    ...hearing(['started', 'moved'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      const rs = node.node?.rs();
      const before = stays.get(node);
      const position = fact.kind === 'started' ? rs : fact.position;
      if (position === undefined) {
        stays.delete(node);
        return;
      }
      const { height, round, step } = position;
      stays.set(node, { position: { height, round, step }, since: world.now });
      // After a restart the node waits again for what its WAL says it had waited for. First it moves to where it was.
      if (fact.kind === 'started' || before === undefined || rs === undefined) return;
      if (isAt(before.position, position)) return;
      if (isHasty(before.position, rs, scenario) && node.clock.now(world.now) < rs.startTime)
        context.fail(
          name,
          `${node.name} began height ${rs.height} ${rs.startTime - node.clock.now(world.now)} µs early, should wait for late precommits until ${timeText(rs.startTime)}`,
        );
      const { genesisTime, initialHeight } = context.cluster.genesis;
      const isBegun = rs.height === initialHeight && rs.step > STEP.newHeight;
      if (isBegun && compareTime(timestampOf(node.clock.now(world.now)), genesisTime) < 0)
        context.fail(
          name,
          `${node.name} began the first height at ${timeText(node.clock.now(world.now))} of its clock, before the time of genesis, ${formatTime(genesisTime)}`,
        );
      const waited = world.now - before.since;
      const least = leastWait(scenario.engine.consensus, rs, before.position) ?? 0;
      if (waited + SLACK_MICROS < least)
        context.fail(
          name,
          `${node.name} at ${before.position.height}/${before.position.round}: ${early(before.position, waited, least)}`,
        );
    }),
  };
}

const isAt = (a: Position, b: Position): boolean =>
  a.height === b.height && a.round === b.round && a.step === b.step;

/** The node began a height that only time can begin, and no proposal made it do so. */
const isHasty = ({ height, step }: Position, rs: RoundState, { engine }: Scenario): boolean =>
  step === STEP.newHeight &&
  rs.height === height &&
  rs.round === 0 &&
  rs.step > STEP.newHeight &&
  rs.step <= STEP.propose &&
  rs.proposal === undefined &&
  !(engine.consensus.skipTimeoutCommit && hasAll(rs.lastPrecommits?.bits));

/** Bits are checked one by one because the core's counting is under test. */
const hasAll = (bits: BitSet | undefined): boolean =>
  bits !== undefined && Array.from({ length: bits.size }, (_, i) => i).every((i) => bits.has(i));

const early = ({ step }: Position, waited: number, least: number): string =>
  `waited ${waited} µs in step ${stepName(step)}, should wait ${least} µs`;

/** How long the node had to stay at its last position. Undefined if something besides time may have moved it on. */
function leastWait(
  config: ConsensusConfig,
  rs: RoundState,
  { height, round, step }: Position,
): number | undefined {
  if (rs.height !== height || rs.step >= STEP.commit) return undefined;
  if (rs.round === round) {
    if (step === STEP.propose && rs.proposal === undefined) return proposeMicros(config, round);
    const isOpen = rs.votes(round, 'prevote')?.majority() === undefined;
    return step === STEP.prevoteWait && rs.step > STEP.prevoteWait && isOpen
      ? prevoteMicros(config, round)
      : undefined;
  }
  return step === STEP.precommitWait && rs.round === round + 1 && isEmpty(rs, rs.round)
    ? precommitMicros(config, round)
    : undefined;
}

/** No vote of that round was heard yet, so only a timeout leads there. */
export function isEmpty(rs: RoundState, round: number): boolean {
  for (const type of ['prevote', 'precommit'] as const) {
    const votes = rs.votes(round, type);
    if (votes !== undefined && !votes.bits.isEmpty()) return false;
  }
  return true;
}
