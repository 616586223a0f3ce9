import type { RoundState } from '../../../core/types/roundState.ts';
import { Aftermath } from '../../machine/aftermath.ts';
import type { Process } from '../../machine/process.ts';
import { type Delay, longestDelay } from '../../network/delay.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { CheckerContext } from '../checker.ts';

/** Virtual µs within which application, signer and WAL have answered, with a wide margin. */
export const ANSWER_MICROS = 600_000;

/** A machine that needs longer than this for one thing is late (docs/scenarios.md). */
const LATE_MICROS = 500_000;

/**
 * What a machine with a pace of its own takes longer than others. Until a decided block is carried out, the application
 * answers twice and stores the block, and the WAL is written about three times.
 *
 * @param most Delays count as no more than this.
 */
export const paceMicros = (
  { pace: { sync, batch, answer, sign } }: Process,
  most = Number.POSITIVE_INFINITY,
): number => {
  const longest = (delay: Delay | undefined): number =>
    delay === undefined ? 0 : Math.min(longestDelay(delay), most);
  return 3 * longest(sync) + longest(batch) + 2 * longest(answer) + longest(sign);
};

/** Time within which the application, the signer and the WAL of a machine that is not late have answered. */
export const answerMicros = (node: Process): number => ANSWER_MICROS + paceMicros(node, LATE_MICROS);

/** Gossip wakes a node ten times a second. A longer gap was a pause or a rest, and counts as no more than this. */
const LOOK_MICROS = 250_000;

/**
 * An answer takes several syncs. On a drive whose sync takes longer than this, nobody can tell when an answer is due.
 * The same holds for a drive with a pace of its own where each sync takes in only a few inputs (`sizesMax`), and for a
 * late machine.
 */
const SYNC_MICROS_MAX = 100_000;
export const isSluggish = ({ pace: { sync, batch, answer, sign } }: Process, { engine }: Scenario): boolean =>
  (sync !== undefined && (engine.sizesMax !== undefined || longestDelay(sync) > SYNC_MICROS_MAX)) ||
  [batch, answer, sign].some((delay) => delay !== undefined && longestDelay(delay) > LATE_MICROS);

interface Wait {
  readonly what: string;
  readonly height: number;
  readonly round: number;
  micros: number;
  at: number;
}

/** Measures how long a node has waited for something, counting only time in which it could act. */
export class WaitingTime {
  readonly #context: CheckerContext;
  readonly #waits = new Map<Process, Wait>();
  readonly #aftermath: Aftermath;

  constructor(context: CheckerContext) {
    this.#context = context;
    this.#aftermath = new Aftermath(context.world);
  }

  forget(node: Process): void {
    this.#waits.delete(node);
  }

  /** To be called at each look. `what` names what the node waits for in this round; undefined if nothing. */
  wait(node: Process, { height, round }: RoundState, what: string | undefined): Wait | undefined {
    const { now } = this.#context.world;
    const isTroubled = this.#aftermath.lasts(node);
    if (
      what === undefined ||
      isSluggish(node, this.#context.scenario) ||
      isTroubled ||
      this.#isFetching(node)
    ) {
      this.#waits.delete(node);
      return undefined;
    }
    const before = this.#waits.get(node);
    if (before?.what !== what || before.height !== height || before.round !== round) {
      const wait = { what, height, round, micros: 0, at: now };
      this.#waits.set(node, wait);
      return wait;
    }
    before.micros += Math.min(now - before.at, LOOK_MICROS);
    before.at = now;
    return before;
  }

  /** Consensus rests while block sync fetches blocks. What the WAL has brought back of a round is history then. */
  #isFetching(node: Process): boolean {
    return this.#context.scenario.engine.blockSync === true && node.node?.rpc?.catchingUp() === true;
  }
}
