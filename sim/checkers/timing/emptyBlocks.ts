import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { hasOddClocks, SLACK_MICROS } from './earlyTimeouts.ts';
import { answerMicros, WaitingTime } from './waitingTime.ts';

/** Enough for any transaction of a scenario. */
const BLOCK_BYTES = 1_000_000;

/** Where a node stood at its last look. */
interface Wait {
  readonly height: number;
  /** Whether its pool had a transaction at that height. */
  hadTxs: boolean;
  /** Since when it has waited for transactions. */
  since: number | undefined;
  isOver: boolean;
}

/**
 * If empty blocks are off, a node does not start round 0 by itself before its pool has a transaction or the interval
 * between empty blocks is over. Once the pool has one, the node does not wait any longer.
 */
export function emptyBlocks(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, cluster, world } = context;
  const { createEmptyBlocks, createEmptyBlocksIntervalMs } = scenario.engine.consensus;
  if ((createEmptyBlocks && createEmptyBlocksIntervalMs === 0) || hasOddClocks(scenario)) return { name };
  const least =
    createEmptyBlocksIntervalMs === 0 ? Number.POSITIVE_INFINITY : 1000 * createEmptyBlocksIntervalMs;
  const waits = new Map<Process, Wait>();
  const awake = new WaitingTime(context);
  const flushes = new Flushes();
  const waitOf = (node: Process, height: number): Wait => {
    const before = waits.get(node);
    if (before?.height === height) return before;
    const wait = { height, hadTxs: false, since: undefined, isOver: false };
    waits.set(node, wait);
    return wait;
  };
  return {
    name,
    ...hearing(['started'], ({ node }) => {
      const rs = node.node?.rs();
      // The WAL may remember an earlier state of the pool that the observer cannot see.
      if (rs !== undefined) waitOf(node, rs.height).isOver = true;
      awake.forget(node);
    }),
    look(node) {
      const rs = node.node?.rs();
      if (rs === undefined || !node.isCorrect || rs.height <= cluster.genesis.initialHeight) return;
      const idle = awake.wait(node, rs, isIdle(node, rs) ? 'waits' : undefined);
      if (idle !== undefined && idle.micros > answerMicros(node))
        context.fail(
          name,
          `${node.name} waits at ${rs.height}/0 with transactions for a block for ${idle.micros} µs, should propose one`,
        );
      const wait = waitOf(node, rs.height);
      if (flushes.mayHide(node)) wait.isOver = true;
      if (wait.isOver) return;
      wait.hadTxs ||= (node.node?.rpc?.pool.stats().pending ?? 0) > 0;
      if (rs.step === STEP.newHeight) return;
      if (rs.round === 0 && rs.step === STEP.newRound) {
        wait.since ??= world.now;
        return;
      }
      wait.isOver = true;
      const isByItself = rs.round === 0 && rs.step === STEP.propose && rs.proposal === undefined;
      if (!isByItself || wait.hadTxs) return;
      const waited = wait.since === undefined ? 0 : world.now - wait.since;
      if (waited + SLACK_MICROS < least)
        context.fail(
          name,
          `${node.name} begins ${rs.height}/0 after ${waited} µs without a transaction, should wait ${least} µs`,
        );
    },
  };
}

/**
 * Knows whether transactions that a node had since the last look may be gone again. A node whose drive is busy takes a
 * transaction and the order to empty its pool at once.
 */
class Flushes {
  readonly #seen = new Map<Process, { readonly count: number; readonly isOpen: boolean }>();

  /** To be called at each look. */
  mayHide(node: Process): boolean {
    const { flushes: count, isFlushing: isOpen } = node;
    const before = this.#seen.get(node);
    this.#seen.set(node, { count, isOpen });
    return isOpen || before?.isOpen === true || count !== (before?.count ?? 0);
  }
}

/** Whether the node waits although its pool offers enough for a block. */
const isIdle = ({ node }: Process, { round, step }: RoundState): boolean =>
  round === 0 && step === STEP.newRound && (node?.rpc?.pool.best(BLOCK_BYTES).length ?? 0) > 0;
